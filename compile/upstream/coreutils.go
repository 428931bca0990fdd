package upstream

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wb/compile/toolchain"
)

// coreutilsCommands are the commands of GNU coreutils that are built, each with
// the file that has its main and, where several commands share one, what tells
// them apart.
var coreutilsCommands = map[string]struct{ file, define string }{
	"[": {file: "lbracket"}, "b2sum": {"digest", "HASH_ALGO_BLAKE2 1"}, "base32": {"basenc", "BASE_TYPE 32"}, "base64": {"basenc", "BASE_TYPE 64"},
	"basenc": {"basenc", "BASE_TYPE 42"}, "cksum": {"digest", "HASH_ALGO_CKSUM 1"}, "md5sum": {"digest", "HASH_ALGO_MD5 1"},
	"sha1sum": {"digest", "HASH_ALGO_SHA1 1"}, "sha224sum": {"digest", "HASH_ALGO_SHA224 1"}, "sha256sum": {"digest", "HASH_ALGO_SHA256 1"},
	"sha384sum": {"digest", "HASH_ALGO_SHA384 1"}, "sha512sum": {"digest", "HASH_ALGO_SHA512 1"}, "sum": {"digest", "HASH_ALGO_SUM 1"},
	"install": {file: "install"}, "dir": {file: "coreutils-dir"}, "vdir": {file: "coreutils-vdir"}, "arch": {file: "coreutils-arch"},
	"basename": {}, "cat": {}, "chgrp": {}, "chmod": {}, "chown": {}, "comm": {}, "cp": {}, "csplit": {define: "xalloc_die csplit_xalloc_die"}, "cut": {}, "date": {}, "dd": {},
	"dirname": {}, "du": {}, "echo": {}, "env": {}, "expand": {}, "expr": {}, "factor": {}, "false": {}, "fmt": {}, "fold": {}, "groups": {},
	"head": {}, "hostname": {}, "id": {}, "join": {}, "link": {}, "ln": {}, "logname": {}, "ls": {}, "mkdir": {}, "mktemp": {}, "mv": {},
	"nice": {}, "nl": {}, "nohup": {}, "nproc": {}, "numfmt": {}, "od": {}, "paste": {}, "pathchk": {}, "pr": {}, "printenv": {}, "printf": {},
	"ptx": {}, "pwd": {}, "readlink": {}, "realpath": {}, "rm": {}, "rmdir": {}, "seq": {}, "shred": {}, "shuf": {}, "sleep": {}, "sort": {},
	"split": {}, "stat": {}, "sync": {}, "tac": {}, "tail": {}, "tee": {}, "test": {}, "touch": {}, "tr": {}, "true": {}, "truncate": {},
	"tsort": {}, "tty": {}, "uname": {}, "unexpand": {}, "uniq": {}, "unlink": {}, "wc": {}, "whoami": {}, "yes": {},
}

var coreutils = Package{
	Name: "coreutils", Version: "9.1", Summary: "GNU coreutils as one program, built from source with clang",
	Archive: toolchain.Debian{Package: "coreutils", Version: "9.1", Suite: "bookworm", File: "coreutils_9.1.orig.tar.xz", Size: 5_712_104,
		SHA256: "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423"},
	Files:    []string{"src/*.c", "src/*.h", "src/blake2/*.c", "src/blake2/*.h", "lib/*.c", "lib/*.h", "lib/malloc/*.c", "lib/malloc/*.h", "lib/unistr/*.c"},
	Flags:    []string{"-I/work/src", "-DGNULIB_FILENAMECAT=1", "-DGNULIB_XGETGROUPS=1", "-DGNULIB_FDUTIMENSAT=1", "-DGNULIB_AREADLINKAT_WITH_SIZE=1", "-DGNULIB_FOPEN_SAFER=1"},
	GNU:      true,
	Generate: generateCoreutils,
	Programs: []Binary{{File: "coreutils.wasm", Commands: slices.Sorted(maps.Keys(coreutilsCommands)),
		Main: slices.Concat([]string{"wb/main.c"}, coreutilsMains(),
			in("src", `chown-core copy cp-hash expand-common find-mount-point force-link group-list ls-ls operand2sig prog-fprintf
				relpath remove set-fields sum cksum crctab selinux uname-uname version blake2/blake2b-ref blake2/b2sum`),
			in("lib", `acl-errno-valid acl-internal alignalloc allocator areadlink-with-size areadlinkat areadlinkat-with-size argmatch argv-iter
				backupfile backup-find backup-rename base32 base64 basename basename-lgpl buffer-lcm c-ctype c-strcasecmp c-strncasecmp
				canonicalize chmodat c-strtod c-strtold careadlinkat areadlink chdir-long cl-strtod cl-strtold copy-file-range cloexec close-stream closein closeout copy-acl cycle-check
				di-set dirchownmod dirname dirname-lgpl dtoastr ftoastr ldtoastr dtotimespec dup-safer dup-safer-flag error exclude exitfail fadvise fd-hook fd-reopen
				fd-safer fd-safer-flag fdutimensat file-has-acl file-set file-type filemode filenamecat filenamecat-lgpl filevercmp
				fopen-safer fprintftime freadseek fts full-read full-write getndelim2 getprogname get-permissions gethrxtime gettime gettime-res getugroups hard-locale hash hash-pjw
				hash-triple hash-triple-simple heap human i-ring ialloc isapipe mbchar mbschr mbscasecmp mbslen memcmp2 mkstemp-safer uinttostr idcache imaxtostr ino-map linebuffer localcharset long-options malloca
				mbsalign mbswidth md5 md5-stream memcasecmp memchr2 memcoll mgetgroups mini-gmp-gnulib mkancesdirs mkdir-p modechange mpsort
				nproc nstrftime obstack offtostr open-safer openat-die openat-safer opendirat opendir-safer parse-datetime physmem posixtm posixver
				priv-set progname propername qcopy-acl qset-acl quotearg randint randperm randread rand-isaac readtokens readtokens0 read-file regex renameatu root-dev-ino rpmatch
				safe-read safe-write same save-cwd savedir savewd set-acl set-permissions setlocale_null settime sha1 sha1-stream sha256 sha256-stream
				sha512 sha512-stream sig2str sm3 sm3-stream stat-time strintcmp striconv stripslash strnumcmp strnlen1 targetdir tempname time_rz timespec trim mbsstr
				umaxtostr unlinkdir unicodeio userspec utimecmp utimens version-etc version-etc-fsf verror write-any-file xalignalloc xalloc-die xbinary-io xdectoimax xdectoumax
				xfts xgetcwd xgetgroups xgethostname xmalloc xmemcoll xnanosleep xprintf xreadlink xstriconv xstrtod xstrtoimax xstrtol xstrtol-error xstrtold
				xstrtoul xstrtoumax xvasprintf xasprintf xsize yesno getfilecon
				malloc/dynarray_resize malloc/scratch_buffer_dupfree malloc/scratch_buffer_grow malloc/scratch_buffer_grow_preserve malloc/scratch_buffer_set_array_size
				unistr/u8-mbtoucr unistr/u8-uctomb unistr/u8-uctomb-aux`)),
		Try: []string{"fmt", "-w", "9"}, Input: "a paragraph\n", Says: "a\nparagraph\n"}},
}

// symbol is a command's name as part of a C name.
func symbol(command string) string { return strings.ReplaceAll(command, "[", "_") }

func coreutilsMains() []string {
	var list []string
	for _, command := range slices.Sorted(maps.Keys(coreutilsCommands)) {
		list = append(list, "wb/"+symbol(command)+".c")
	}
	return append(list, "wb/ls_.c")[:len(list)]
}

// generateCoreutils gives each command a file in which its main has a name of its
// own, as coreutils' --enable-single-binary does, and a main that chooses.
func generateCoreutils(files map[string][]byte) error {
	var declarations, rows strings.Builder
	for _, command := range slices.Sorted(maps.Keys(coreutilsCommands)) {
		c, name := coreutilsCommands[command], symbol(command)
		file := c.file
		if file == "" {
			file = command
		}
		text := fmt.Sprintf("#define main single_binary_main_%s\n#define usage _usage_%s\n", name, name)
		if c.define != "" {
			text += "#define " + c.define + "\n"
		}
		files["wb/"+name+".c"] = []byte(text + "#include \"../src/" + file + ".c\"\n")
		fmt.Fprintf(&declarations, "int single_binary_main_%s(int, char **);\n", name)
		fmt.Fprintf(&rows, "\t{%q, single_binary_main_%s},\n", command, name)
	}
	files["wb/main.c"] = []byte("#include <stdio.h>\n#include <string.h>\n" + declarations.String() +
		"static const struct { const char *name; int (*main)(int, char **); } commands[] = {\n" + rows.String() + `};
int main(int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : "";
	const char *slash = strrchr(name, '/');
	if (slash)
		name = slash + 1;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].main(argc, argv);
	fprintf(stderr, "coreutils: %s: no such command\n", name);
	return 127;
}
`)
	files["lib/gmp.h"] = []byte("#include \"mini-gmp.h\"\n")
	files["src/version.c"] = []byte("const char *Version = VERSION;\n")
	files["src/version.h"] = []byte("extern const char *Version;\n")
	return nil
}
