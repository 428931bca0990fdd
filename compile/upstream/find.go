package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

var findutils = Package{
	Name: "findutils", Version: "4.9.0", Summary: "GNU find and xargs, built from source with clang",
	Archive: toolchain.Debian{Package: "findutils", Version: "4.9.0", Suite: "bookworm", File: "findutils_4.9.0.orig.tar.xz", Size: 2_046_252,
		SHA256: "a2bfb8c09d436770edc59f50fa483e785b161a3b7b9d547573cb08065fd462fe"},
	Files: []string{"find/*.c", "find/*.h", "xargs/*.c", "lib/*.c", "lib/*.h", "gl/lib/*.c", "gl/lib/*.h", "gl/lib/malloc/*.c", "gl/lib/malloc/*.h"},
	Flags: []string{"-I/work/gl/lib", "-DALREADY_INCLUDED_CONFIG_H=1", "-DHAVE_ENDGRENT=1", "-DHAVE_ENDPWENT=1", "-DGNULIB_AREADLINKAT=1",
		"-DGNULIB_FOPEN_SAFER=1", "-DPACKAGE_BUGREPORT_URL=\"https://savannah.gnu.org/bugs/?group=findutils\""},
	GNU:      true,
	Generate: generateFind,
	Programs: []Binary{
		{File: "find.wasm", Commands: []string{"find"},
			Main: slices.Concat(in("find", "ftsfind finddata fstype parser pred exec tree util sharefile print"), []string{"wb/context.c"}, findLibrary),
			Try:  []string{"find", "/", "-maxdepth", "0", "-printf", `%y\n`}, Says: "d\n"},
		{File: "xargs.wasm", Commands: []string{"xargs"}, Main: slices.Concat([]string{"xargs/xargs.c"}, findLibrary),
			Try: []string{"xargs", "--version"}, Says: "xargs (GNU findutils) 4.9.0\n"},
	},
}

var findLibrary = slices.Concat(
	in("lib", "buildcmd dircallback extendbuf fdleak findutils-version listfile printquoted qmark regextype safe-atoi splitstring bugreports"),
	in("gl/lib", `allocator areadlink areadlinkat argmatch argv-iter basename basename-lgpl bitrotate c-ctype c-strcasecmp c-strncasecmp
		canonicalize careadlinkat chdir-long cloexec close-stream closein closeout creat-safer cycle-check dirname dirname-lgpl dup-safer dup-safer-flag
		error exitfail fd-hook fd-safer fd-safer-flag file-set filemode filenamecat-lgpl fopen-safer fts getfilecon getprogname gettime hard-locale hash
		hash-pjw hash-triple-simple human i-ring ialloc idcache localcharset malloca mbchar mbscasestr mbslen mbsstr mbswidth mbuiter modechange nstrftime
		open-safer openat-die openat-safer opendir-safer opendirat parse-datetime progname quotearg regex rpmatch safe-read save-cwd savedir
		setlocale_null stat-time statat stripslash strnlen1 time_rz timespec version-etc version-etc-fsf xalloc-die xgetcwd xmalloc xsize
		xstrtod xstrtol xstrtol-error xstrtoul xstrtoumax yesno malloc/dynarray_resize malloc/dynarray_emplace_enlarge malloc/dynarray_finalize malloc/scratch_buffer_grow
		malloc/scratch_buffer_grow_preserve malloc/scratch_buffer_set_array_size malloc/scratch_buffer_dupfree`))

// generateFind lets find and xargs run commands without fork: each has ended when
// the call returns.
func generateFind(files map[string][]byte) error {
	files["wb/context.c"] = []byte(`#include <errno.h>
int getfileconat(int dir, const char *name, char **to) { errno = ENOTSUP; return -1; }
int lgetfileconat(int dir, const char *name, char **to) { errno = ENOTSUP; return -1; }
`)
	for _, e := range []struct{ name, from, to string }{
		{"find/exec.c", "  child_pid = fork ();\n", `  struct saved_cwd here;
  if (save_cwd (&here) != 0 || restore_cwd (execp->wd_for_exec) != 0)
    die (EXIT_FAILURE, errno, _("cannot change the directory"));
  child_pid = wb_spawn (argv, execp->close_stdin);
  restore_cwd (&here);
  free_cwd (&here);
`},
		{"xargs/xargs.c", "  int fd[2];\n  int buf;\n", "  int fd[2] = {-1, -1};\n  int buf = ENOENT;\n"},
		{"xargs/xargs.c", "if (pipe (fd))", "if (0)"},
		{"xargs/xargs.c", "while ((child = fork ()) < 0 && errno == EAGAIN && procs_executing)\n\twait_for_proc (false, 1u);", "child = wb_spawn (argv, !keep_stdin);"},
		{"xargs/xargs.c", "r = safe_read (fd[0], &buf, sizeof (int))", "r = wb_missing (child) ? sizeof (int) : 0"},
	} {
		if err := edit(files, e.name, e.from, e.to); err != nil {
			return err
		}
	}
	return nil
}
