package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

var diffutils = Package{
	Name: "diffutils", Version: "3.8", Summary: "GNU diff, cmp, diff3 and sdiff, built from source with clang",
	Archive: toolchain.Debian{Package: "diffutils", Version: "3.8", Suite: "bookworm", File: "diffutils_3.8.orig.tar.xz", Size: 1_585_120,
		SHA256: "a6bdd7d1b31266d11c4f4de6c1b748d4607ab0231af5188fc2533d0ae2438fec"},
	Files: []string{"src/*.c", "src/*.h", "lib/*.c", "lib/*.h", "lib/malloc/*.c", "lib/malloc/*.h"},
	Flags: []string{"-I/work/src", "-DGNULIB_FILENAMECAT=1", "-DPR_PROGRAM=\"pr\"", "-DDEFAULT_EDITOR_PROGRAM=\"ed\""},
	GNU:   true,
	Generate: func(files map[string][]byte) error {
		files["src/version.c"], files["src/version.h"] = versionOf()
		files["src/paths.h"] = []byte("#define DEFAULT_DIFF_PROGRAM \"diff\"\n")
		return nil
	},
	Programs: []Binary{
		{File: "diff.wasm", Commands: []string{"diff"},
			Main: slices.Concat(in("src", "analyze context diff dir ed ifdef io normal side util version"), diffLibrary),
			Try:  []string{"diff", "--version"}, Says: "diff (GNU diffutils) 3.8\n"},
		{File: "cmp.wasm", Commands: []string{"cmp"}, Main: slices.Concat(in("src", "cmp version"), diffLibrary),
			Try: []string{"cmp", "--version"}, Says: "cmp (GNU diffutils) 3.8\n"},
		{File: "diff3.wasm", Commands: []string{"diff3"}, Main: slices.Concat(in("src", "diff3 version"), diffLibrary),
			Try: []string{"diff3", "--version"}, Says: "diff3 (GNU diffutils) 3.8\n"},
		{File: "sdiff.wasm", Commands: []string{"sdiff"}, Main: slices.Concat(in("src", "sdiff version"), diffLibrary),
			Try: []string{"sdiff", "--version"}, Says: "sdiff (GNU diffutils) 3.8\n"},
	},
}

var diffLibrary = in("lib", `argmatch basename basename-lgpl bitrotate c-ctype c-strcasecmp c-strncasecmp cmpbuf dirname dirname-lgpl error exclude exitfail
	file-type filenamecat filenamecat-lgpl getprogname gettime hard-locale hash ialloc imaxtostr inttostr localcharset malloca mbchar mbscasecmp mbslen
	mbsstr mbuiter mbiter nstrftime offtostr prepargs progname propername quotearg regex sh-quote system-quote setlocale_null stat-time striconv
	stripslash strnlen1 tempname time_rz timespec trim uinttostr umaxtostr version-etc version-etc-fsf xalloc-die xasprintf xfreopen xmalloc xmalloca
	xreadlink xstdopen stdopen xstriconv xstrtoimax xstrtol xvasprintf xsize areadlink careadlinkat allocator malloc/dynarray_resize`)
