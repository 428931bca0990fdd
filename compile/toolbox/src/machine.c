/* machine.c - uname nproc hostname whoami: a machine that is the same
 * everywhere. truncate, timeout and realpath besides. */
#include "box.h"
#include "tools.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

static int say(int argc, int least, const char *text)
{
	require_args(argc, 1, 0, least);
	out_str(text);
	out_char('\n');
	return 0;
}

int nproc_main(int argc, char **argv)
{
	(void)argv;
	return say(argc, 2, "1");
}

int hostname_main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		die(1, "the name cannot be set here");
	return say(argc, 1, "wb");
}

int whoami_main(int argc, char **argv)
{
	(void)argv;
	return say(argc, 0, "root");
}

int uname_main(int argc, char **argv)
{
	static const char letters[] = "snrvmpio";
	static const char *const values[] = {"Linux", "wb", "6.1.0", "#1 SMP", "wasm32", "unknown", "unknown", "GNU/Linux"};
	unsigned wanted = 0;
	for (int c; (c = getopt(argc, argv, "asnrvmpio")) != -1;)
		if (c == 'a')
			wanted |= 0x9f; /* -p and -i say nothing here */
		else if (c == '?')
			usage_error("bad option");
		else
			wanted |= 1u << (strchr(letters, c) - letters);
	require_args(argc, optind, 0, 0);
	if (!wanted)
		wanted = 1;
	const char *gap = "";
	for (int i = 0; letters[i]; i++)
		if (wanted >> i & 1) {
			out_str(gap);
			out_str(values[i]);
			gap = " ";
		}
	out_char('\n');
	return 0;
}

int truncate_main(int argc, char **argv)
{
	bool no_create = false;
	const char *size = NULL;
	struct stat st;
	long long reference = -1;
	for (int c; (c = getopt(argc, argv, "cos:r:")) != -1;)
		switch (c) {
		case 'c': no_create = true; break;
		case 's': size = optarg; break;
		case 'r':
			if (stat(optarg, &st) < 0)
				die_errno(1, optarg);
			reference = st.st_size;
			break;
		default: usage_error("bad option");
		}
	if (!size && reference < 0)
		usage_error("you must specify either '--size' or '--reference'");
	require_args(argc, optind, 1, -1);
	char op = size && strchr("+-<>/%", *size) ? *size++ : 0;
	long long n = size ? parse_size(size, "number") : reference;
	int status = 0;
	for (int i = optind; i < argc; i++) {
		int fd = open(argv[i], O_WRONLY | (no_create ? 0 : O_CREAT), 0666);
		if (fd < 0 && no_create && errno == ENOENT)
			continue;
		if (fd < 0 || fstat(fd, &st) < 0) {
			warn("cannot open '%s' for writing: %s", argv[i], strerror(errno));
			status = 1;
			continue;
		}
		long long now = reference >= 0 && size ? reference : st.st_size, to = n;
		switch (op) {
		case '+': to = now + n; break;
		case '-': to = now > n ? now - n : 0; break;
		case '<': to = now < n ? now : n; break;
		case '>': to = now > n ? now : n; break;
		case '/': to = n ? now / n * n : now; break;
		case '%': to = n ? (now + n - 1) / n * n : now; break;
		}
		if (ftruncate(fd, to) < 0) {
			warn("failed to truncate '%s' at %lld bytes: %s", argv[i], to, strerror(errno));
			status = 1;
		}
		close(fd);
	}
	return status;
}

/* timeout: the run's own limits count; a clock to stop one command by is none
 * that two runs would read alike. */
int timeout_main(int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++)
		if ((!strcmp(argv[i], "-s") || !strcmp(argv[i], "-k")) && i + 1 < argc)
			i++;
	require_args(argc, i, 2, -1);
	char *end;
	double seconds = strtod(argv[i], &end);
	if (end == argv[i] || seconds < 0 || (*end && (!strchr("smhd", *end) || end[1])))
		die(125, "invalid time interval '%s'", argv[i]);
	return run_command(argv + i + 1);
}

int realpath_main(int argc, char **argv)
{
	bool must = false, may = false, quiet = false;
	for (int c; (c = getopt(argc, argv, "emqsLPz")) != -1;)
		switch (c) {
		case 'e': must = true; break;
		case 'm': may = true; break;
		case 'q': quiet = true; break;
		case '?': usage_error("bad option");
		}
	require_args(argc, optind, 1, -1);
	int status = 0;
	for (int i = optind; i < argc; i++) {
		char dir[PATH_MAX];
		Text full = {0};
		struct stat st;
		if (*argv[i] != '/' && getcwd(dir, sizeof dir))
			text_str(&full, dir);
		bool missing = !*argv[i];
		for (char *part = strtok(xstrdup(argv[i]), "/"); part; part = strtok(NULL, "/")) {
			if (!strcmp(part, "."))
				continue;
			if (missing && !may)
				break;
			if (!strcmp(part, "..")) {
				char *slash = full.len ? strrchr(full.s, '/') : NULL;
				full.len = slash ? (size_t)(slash - full.s) : 0;
				text_str(&full, "");
				continue;
			}
			if (!full.len || full.s[full.len - 1] != '/')
				text_char(&full, '/');
			text_str(&full, part);
			missing = stat(full.s, &st) < 0;
			if (missing && !may && !must) { /* the last part may be missing */
				part = strtok(NULL, "/");
				missing = part != NULL;
				break;
			}
		}
		if (missing && !may) {
			if (!quiet)
				warn("%s: No such file or directory", argv[i]);
			status = 1;
			continue;
		}
		out_str(full.len ? full.s : "/");
		out_char('\n');
	}
	return status;
}
