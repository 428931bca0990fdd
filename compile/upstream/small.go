package upstream

import (
	"fmt"
	"slices"
	"strings"

	"wb/compile/toolchain"
)

var bc = Package{
	Name: "bc", Version: "1.07.1", Summary: "GNU bc and dc, built from source with clang",
	Archive: toolchain.Debian{Package: "bc", Version: "1.07.1", Suite: "bookworm", File: "bc_1.07.1.orig.tar.gz", Size: 419_850,
		SHA256: "62adfca89b0a1c0164c2cdca59ca210c1d44c3ffc46daf9931cf4942664cb02a"},
	Files: []string{"bc/*.c", "bc/*.h", "bc/libmath.b", "dc/*.c", "dc/*.h", "h/*.h", "lib/*.c"},
	Flags: []string{"-I/work/h", "-DBC_COPYRIGHT=\"Copyright 1991-1994, 1997, 1998, 2000, 2004, 2006, 2008, 2012-2017 Free Software Foundation, Inc.\"",
		"-DDC_VERSION=\"1.4.1\"", "-DDC_COPYRIGHT=\"Copyright 1994, 1997, 1998, 2000, 2001, 2003-2006, 2008, 2010, 2012-2017 Free Software Foundation, Inc.\""},
	GNU:      true,
	Generate: generateBC, Revision: 1,
	Programs: []Binary{
		{File: "bc.wasm", Commands: []string{"bc"}, Flags: []string{"-I/work/bc"},
			Main: slices.Concat(in("bc", "bc execute global load main scan storage util warranty libmath"), in("lib", "getopt getopt1 number")),
			Try:  []string{"bc", "-lq"}, Input: "4*a(1)\nj(0,1)\n", Says: "3.14159265358979323844\n.76519768655796655144\n"},
		{File: "dc.wasm", Commands: []string{"dc"}, Flags: []string{"-I/work/dc"},
			Main: slices.Concat(in("dc", "array dc eval misc numeric stack string"), in("lib", "getopt getopt1 number")),
			Try:  []string{"dc", "-e", "2 64^p"}, Says: "18446744073709551616\n"},
	},
}

// generateBC gives bc its mathematical library as text. Bc's own build compiles it
// with a first bc; here each bc -l reads it, which takes it a millisecond. Bc gives
// its library's functions a second number where a program defines them again: only
// once they are defined, or the library's own definitions would get that number.
func generateBC(files map[string][]byte) error {
	again, load := "namekind == FUNCTDEF && id->f_name <= 6", "      mstr = libmath;\n"
	if err := edit(files, "bc/util.c", again, again+" && functions[id->f_name].f_defined"); err != nil {
		return err
	}
	if err := edit(files, "bc/main.c", load,
		"      {\n\textern FILE *wb_libmath (void);\n\tnew_yy_file (wb_libmath ());\n\treturn TRUE;\n      }\n"+load); err != nil {
		return err
	}
	files["bc/libmath.h"] = []byte("{0}\n")
	files["bc/libmath.c"] = []byte("#include <stdio.h>\nstatic char text[] =\n" + literal(string(files["bc/libmath.b"])) +
		`;
FILE *wb_libmath(void)
{
	FILE *file = tmpfile(); /* bc reads descriptors */
	if (!file)
		return NULL;
	fwrite(text, 1, sizeof text - 1, file);
	rewind(file);
	return file;
}
`)
	return nil
}

// literal is text as string literals of C, one for each line.
func literal(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "\"%s\"\n", strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n").Replace(line))
	}
	return b.String()
}

var tree = Package{
	Name: "tree", Version: "2.1.0", Summary: "tree, built from source with clang",
	Archive: toolchain.Debian{Package: "tree", Version: "2.1.0", Suite: "bookworm", File: "tree_2.1.0.orig.tar.gz", Size: 59_189,
		SHA256: "0160c535bff2b0dc6a830b9944e981e3427380f63e748da96ced7071faebabf6"},
	Files: []string{"*.c", "*.h"},
	Flags: []string{"-DLARGEFILE_SOURCE", "-D_FILE_OFFSET_BITS=64"},
	Programs: []Binary{{File: "tree.wasm", Commands: []string{"tree"},
		Main: in(".", "tree list hash color file filter info unix xml json html strverscmp"),
		Try:  []string{"tree", "--noreport", "/"}, Says: "/\n"}},
}

var patch = Package{
	Name: "patch", Version: "2.7.6", Summary: "GNU patch, built from source with clang",
	Archive: toolchain.Debian{Package: "patch", Version: "2.7.6", Suite: "bookworm", File: "patch_2.7.6.orig.tar.xz", Size: 783_756,
		SHA256: "ac610bda97abe0d9f6b7c963255a11dcb196c25e337c61f94e4778d632f1d8fd"},
	Files: []string{"src/*.c", "src/*.h", "lib/*.c", "lib/*.h"},
	Flags: []string{"-I/work/src", "-DEDITOR_PROGRAM=\"ed\"", "-DENABLE_MERGE=1"},
	GNU:   true,
	Generate: func(files map[string][]byte) error {
		files["lib/safe-read.h"] = []byte("#include <stddef.h>\nsize_t safe_read(int fd, void *buffer, size_t n);\n")
		return nil
	},
	Programs: []Binary{{File: "patch.wasm", Commands: []string{"patch"},
		Main: slices.Concat(in("src", "inp merge patch pch safe util version"),
			in("lib", `argmatch backup-find backupfile basename basename-lgpl bitrotate c-ctype c-strcasecmp c-strncasecmp chdir-long chmodat chownat cloexec dirname
				dirname-lgpl dup-safer dup-safer-flag error exitfail fd-hook fd-safer fd-safer-flag filenamecat-lgpl full-write getprogname gettime
				gl_linked_list gl_list gl_xlist hard-locale hash localcharset malloca nstrftime opendir-safer parse-datetime progname quotearg renameat2 safe-read
				safe-write save-cwd stat-time statat stripslash tempname time_rz timespec utimens verror xmalloc xmemdup0 xstrndup xvasprintf xasprintf openat-die`)),
		Try: []string{"patch", "--version"}, Says: "GNU patch 2.7.6"}},
}
