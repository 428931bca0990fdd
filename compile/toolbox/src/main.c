/* main.c - the table of tools, and the choice among them by argv[0]. */
#include "box.h"

#define TOOLS(X)                                                                                       \
	X("[", test_main, "EXPRESSION ]")                                                              \
	X("base32", base_main, "[-d] [-i] [-w COLS] [FILE]")                                           \
	X("base64", base_main, "[-d] [-i] [-w COLS] [FILE]")                                           \
	X("basename", basename_main, "[-a] [-s SUFFIX] [-z] NAME... [SUFFIX]")                         \
	X("cat", cat_main, "[-AbeEnstTuv] [FILE]...")                                                  \
	X("chmod", chmod_main, "MODE[,MODE]... FILE...")                                                      \
	X("cksum", cksum_main, "[FILE]...")                                                            \
	X("column", column_main, "[-t] [-s SEPARATORS] [-o GAP] [-c WIDTH] [FILE]...")                 \
	X("comm", comm_main, "[-123] [--output-delimiter=S] [--total] FILE1 FILE2")                    \
	X("cp", cp_main, "[-afnpruvT] [-t DIR] SOURCE... DEST")                                        \
	X("cut", cut_main, "(-b LIST | -c LIST | -f LIST [-d C] [-s]) [--complement] [--output-delimiter=S] [FILE]...") \
	X("date", date_main, "[-u] [-d DATE | -r FILE] [-I[FMT] | -R] [+FORMAT]")                      \
	X("dirname", dirname_main, "[-z] NAME...")                                                     \
	X("du", du_main, "[-abchkms] [-d DEPTH] [FILE]...")                                            \
	X("echo", echo_main, "[-neE] [STRING]...")                                                     \
	X("env", env_main, "[-i] [-u NAME] [NAME=VALUE]... [COMMAND [ARG]...]")                        \
	X("envsubst", envsubst_main, "[-v] [SHELL-FORMAT]")                                             \
	X("expand", expand_main, "[-i] [-t TABS] [FILE]...")                                           \
	X("expr", expr_main, "EXPRESSION")                                                             \
	X("factor", factor_main, "[NUMBER]...")                                                        \
	X("false", false_main, "")                                                                     \
	X("fold", fold_main, "[-bs] [-w WIDTH] [FILE]...")                                             \
	X("hd", hexdump_main, "[-bcCdovx] [-n LENGTH] [-s OFFSET] [FILE]...")                          \
	X("head", head_main, "[-n LINES | -c BYTES] [-qvz] [FILE]...")                                 \
	X("hexdump", hexdump_main, "[-bcCdovx] [-n LENGTH] [-s OFFSET] [FILE]...")                     \
	X("hostname", hostname_main, "")                                                                      \
	X("iconv", iconv_main, "[-cl] [-f FROM] [-t TO] [-o FILE] [FILE]...")                           \
	X("join", join_main, "[-i] [-1 FIELD] [-2 FIELD] [-t C] [-a N] [-v N] [-e S] [-o LIST] FILE1 FILE2") \
	X("ln", ln_main, "[-sf] TARGET... LINK")                                                       \
	X("ls", ls_main, "[-1aAdFgGhilnoprRStUX] [FILE]...")                                           \
	X("md5sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                         \
	X("mkdir", mkdir_main, "[-pv] [-m MODE] DIR...")                                               \
	X("mktemp", mktemp_main, "[-dqtu] [-p DIR] [--suffix=S] [TEMPLATE]")                           \
	X("mv", mv_main, "[-fnuvT] [-t DIR] SOURCE... DEST")                                           \
	X("nl", nl_main, "[-b STYLE] [-h STYLE] [-f STYLE] [-d CC] [-i N] [-l N] [-n FORMAT] [-p] [-s SEP] [-v N] [-w N] [FILE]...") \
	X("nproc", nproc_main, "")                                                                            \
	X("numfmt", numfmt_main, "[--from=UNIT] [--to=UNIT] [--padding=N] [--field=N] [-d C] [NUMBER]...") \
	X("od", od_main, "[-abcdosvxX] [-A RADIX] [-t TYPE] [-j SKIP] [-N COUNT] [-w WIDTH] [FILE]...") \
	X("paste", paste_main, "[-sz] [-d LIST] [FILE]...")                                            \
	X("printenv", printenv_main, "[NAME]...")                                                      \
	X("printf", printf_main, "FORMAT [ARGUMENT]...")                                               \
	X("pwd", pwd_main, "")                                                                         \
	X("realpath", realpath_main, "[-emq] FILE...")                                                        \
	X("rev", rev_main, "[FILE]...")                                                                \
	X("rm", rm_main, "[-dfrRv] FILE...")                                                           \
	X("rmdir", rmdir_main, "[-p] DIR...")                                                          \
	X("seq", seq_main, "[-w] [-f FORMAT] [-s SEPARATOR] [FIRST [INCREMENT]] LAST")                 \
	X("sha1sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                        \
	X("sha224sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                      \
	X("sha256sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                      \
	X("sha384sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                      \
	X("sha512sum", sum_main, "[-bct] [--quiet] [--status] [--tag] [FILE]...")                      \
	X("shuf", shuf_main, "[-erz] [-n COUNT] [-i LO-HI] [--random-seed=S] [FILE | ARG...]")         \
	X("sleep", sleep_main, "NUMBER[smhd]...")                                                      \
	X("sort", sort_main, "[-bcCdfghiMmnrsuVz] [-k KEY] [-t C] [-o FILE] [FILE]...")                \
	X("split", split_main, "[-l LINES | -b BYTES | -n CHUNKS] [-a LENGTH] [-d] [FILE [PREFIX]]")   \
	X("stat", stat_main, "[-L] [-c FORMAT | --printf=FORMAT] FILE...")                             \
	X("strings", strings_main, "[-n MIN] [-t RADIX] [FILE]...")                                    \
	X("tac", tac_main, "[FILE]...")                                                                \
	X("tail", tail_main, "[-n [+]LINES | -c [+]BYTES] [-qvz] [FILE]...")                           \
	X("tee", tee_main, "[-ai] [FILE]...")                                                          \
	X("test", test_main, "EXPRESSION")                                                             \
	X("timeout", timeout_main, "DURATION COMMAND [ARG]...")                                               \
	X("touch", touch_main, "[-acm] [-d DATE | -t STAMP | -r FILE] FILE...")                        \
	X("tr", tr_main, "[-cdst] SET1 [SET2]")                                                        \
	X("true", true_main, "")                                                                       \
	X("truncate", truncate_main, "[-c] -s SIZE | -r FILE FILE...")                                        \
	X("unexpand", unexpand_main, "[-a] [-t TABS] [FILE]...")                                       \
	X("uname", uname_main, "[-asnrvmpio]")                                                                \
	X("uniq", uniq_main, "[-cdDiuz] [-f FIELDS] [-s CHARS] [-w CHARS] [INPUT [OUTPUT]]")           \
	X("wc", wc_main, "[-lwcmL] [FILE]...")                                                         \
	X("which", which_main, "NAME...")                                                              \
	X("whoami", whoami_main, "")                                                                          \
	X("xxd", xxd_main, "[-bipru] [-c COLS] [-g BYTES] [-l LEN] [-s SEEK] [FILE]")                  \
	X("yes", yes_main, "[STRING]...")

#define DECLARE(name, run, usage) int run(int argc, char **argv);
TOOLS(DECLARE)
#define ROW(name, run, usage) {name, run, usage},
const Applet applets[] = {TOOLS(ROW){NULL, NULL, NULL}};

const Applet *find_applet(const char *name)
{
	for (const Applet *a = applets; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

/* takes_help: everything but the tools to which --help is ordinary text. */
static bool takes_help(const char *name)
{
	static const char *plain[] = {"echo", "test", "[", "true", "false", "printf", "expr", NULL};
	for (int i = 0; plain[i]; i++)
		if (!strcmp(plain[i], name))
			return false;
	return true;
}

/* enter_directory goes to where the command was started: WASI has no working
 * directory, so the host says it in PWD. */
static void enter_directory(void)
{
#ifdef __wasm__
	const char *dir = getenv("PWD");
	if (dir && *dir == '/' && chdir(dir) < 0)
		fprintf(stderr, "toolbox: %s: %s\n", dir, strerror(errno));
#endif
}

int main(int argc, char **argv)
{
	enter_directory();
	const char *name = argc > 0 ? path_base(argv[0]) : "toolbox";
	const Applet *a = find_applet(name);
	if (!a && argc > 1) { /* toolbox NAME ARG… */
		argv++;
		argc--;
		name = argv[0];
		a = find_applet(name);
	}
	if (!a) {
		for (a = applets; a->name; a++)
			out_line(a->name, strlen(a->name));
		out_flush();
		return argc > 1 ? 127 : 0;
	}
	tool = a->name;
	if (argc == 2 && takes_help(tool) && !strcmp(argv[1], "--help")) {
		out_printf("usage: %s %s\n", tool, a->usage);
		out_flush();
		return 0;
	}
	int status = a->run(argc, argv);
	out_flush();
	return status;
}
