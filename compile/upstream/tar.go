package upstream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"wb/compile/toolchain"
)

var tar = Package{
	Name: "tar", Version: "1.34", Summary: "GNU tar, built from source with clang",
	Archive: toolchain.Debian{Package: "tar", Version: "1.34+dfsg", Suite: "bookworm", File: "tar_1.34+dfsg.orig.tar.xz", Size: 1_981_736,
		SHA256: "7d57029540cb928394defb3b377b3531237c947e795b51aa8acac0c5ba0e4844"},
	Files:    []string{"src/*.c", "src/*.h", "lib/*.c", "lib/*.h", "gnu/*.c", "gnu/*.h", "gnu/malloc/*.c", "gnu/malloc/*.h"},
	Flags:    tarFlags(),
	GNU:      true,
	Guest:    "tar",
	Generate: generateTar, Revision: 1,
	Programs: []Binary{{File: "tar.wasm", Commands: []string{"tar"},
		Main: slices.Concat(in("src", `buffer checkpoint compare create delete exit exclist extract xheader incremen list map misc names sparse suffix system tar
				transform unlink update utf8 warning xattrs`),
			in("tar", "options"),
			in("lib", "paxerror paxexit-status paxnames rtapelib wordsplit"),
			in("gnu", `allocator areadlink areadlink-with-size areadlinkat areadlinkat-with-size argmatch argp-ba argp-eexst argp-fmtstream argp-help argp-parse argp-pin
				argp-pv argp-pvh argp-version-etc backup-find backupfile basename basename-lgpl bitrotate c-ctype c-strcasecmp c-strncasecmp careadlinkat
				chdir-long cloexec close-stream closeout creat-safer dirname dirname-lgpl dup-safer dup-safer-flag error exclude exitfail fd-hook fd-safer
				fd-safer-flag fdutimensat fileblocks filenamecat-lgpl fprintftime full-write getfilecon getprogname gettime hard-locale hash human imaxtostr inttostr
				localcharset malloc/scratch_buffer_dupfree malloc/scratch_buffer_grow malloc/scratch_buffer_grow_preserve malloc/scratch_buffer_set_array_size malloca
				mbchar mbscasecmp mbuiter mkdtemp modechange nstrftime obstack offtostr open-safer openat-die openat-safer opendir-safer opendirat parse-datetime priv-set
				progname quotearg regex renameatu rpmatch safe-read safe-write save-cwd savedir selinux-at setlocale_null stat-time statat stdopen stripslash strnlen1
				tempname time_rz timespec uinttostr umaxtostr unlinkdir utimens version-etc version-etc-fsf xasprintf xgetcwd xmalloc xsize xstrndup
				xstrtol xstrtoul xstrtoumax xvasprintf`)),
		Try: []string{"tar", "-cf", "-", "-C", "/", "-T", "-"}, Input: "tmp\n", Says: "tmp/\x00"}},
}

// generateTar takes what forks out of tar's system.c; tar/commands.c stands for it.
// The rest: a tree has no /dev/null, what goes to a filter is a file nobody asked to
// archive, and the clock of a block starts in 2000 unless it is granted.
func generateTar(files map[string][]byte) error {
	const name = "src/system.c"
	text := files[name]
	for _, part := range []struct{ from, to string }{
		{"static _Noreturn void\nxexec", "#if MSDOS"},
		{"void\nsys_wait_for_child (pid_t child_pid, bool eof)\n{\n  if (child_pid)", "bool\nsys_compare_uid (struct stat *a, struct stat *b)\n{\n  return a->"},
		{"#define\tPREAD 0", "static void\ndec_to_env"},
		{"static pid_t global_pid;", "#endif /* not MSDOS */"},
	} {
		from, to := bytes.Index(text, []byte(part.from)), bytes.Index(text, []byte(part.to))
		if from < 0 || to < from {
			return fmt.Errorf("%s is not the source that this recipe knows: no %q before %q", name, part.from, part.to)
		}
		text = slices.Concat(text[:from], text[to:])
	}
	for _, e := range []struct{ name, from, to string }{
		{"lib/rmt.h", ": creat (dev_name, mode))", ": open (dev_name, O_CREAT | O_WRONLY | O_TRUNC, mode))"},
		{"src/names.c", "  if (stat (filename, &st))\n", "  if (strcmp (filename, \"/dev/null\") == 0)\n    return 0;\n  if (stat (filename, &st))\n"},
		{"src/create.c", "      WARNOPT (WARN_IGNORE_ARCHIVE,", "      if (!use_compress_program_option) WARNOPT (WARN_IGNORE_ARCHIVE,"},
		{"src/extract.c", "if (timespec_cmp (volume_start_time, t) < 0)", "if (volume_start_time.tv_sec >= 978307200 && timespec_cmp (volume_start_time, t) < 0)"},
	} {
		if err := edit(files, e.name, e.from, e.to); err != nil {
			return err
		}
	}
	files["lib/rmt-command.h"] = nil // DEFAULT_RMT_COMMAND is a flag
	files[name] = append(text, "\n#include \"../tar/commands.c\"\n"...)
	return nil
}

// tarFlags are what its configure would find out.
func tarFlags() []string {
	list := []string{"-Dmajor_t=int", "-Dminor_t=int", "-DGNULIB_AREADLINKAT_WITH_SIZE=1", "-DGNULIB_FDUTIMENSAT=1", "-DGNULIB_FOPEN_SAFER=1", "-I/work/gnu", "-I/work/src", "-DDEFAULT_ARCHIVE=\"-\"", "-DDEFAULT_ARCHIVE_FORMAT=GNU_FORMAT", "-DDEFAULT_BLOCKING=20",
		"-DDEFAULT_QUOTING_STYLE=escape_quoting_style", "-DDEFAULT_RMT_COMMAND=\"rmt\"", "-DREMOTE_SHELL=\"rsh\""}
	for _, program := range strings.Fields("bzip2 gzip compress lzip lzma lzop xz zstd") {
		list = append(list, fmt.Sprintf("-D%s_PROGRAM=%q", strings.ToUpper(program), program))
	}
	return list
}
