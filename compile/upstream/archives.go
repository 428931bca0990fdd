package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

var gzip = Package{
	Name: "gzip", Version: "1.12", Summary: "GNU gzip, built from source with clang",
	Archive: toolchain.Debian{Package: "gzip", Version: "1.12", Suite: "bookworm", File: "gzip_1.12.orig.tar.xz", Size: 825_548,
		SHA256: "ce5e03e519f637e1f814011ace35c4f87b33c0bbabeec35baf5fbd3479e91956"},
	Files: []string{"*.c", "*.h", "lib/*.c", "lib/*.h"},
	Flags: []string{"-DGNU_STANDARD=0", "-DNO_ASM=1", "-DDIRENT=1"},
	GNU:   true,
	Generate: func(files map[string][]byte) error {
		files["version.c"], files["version.h"] = versionOf()
		return nil
	},
	Programs: []Binary{{File: "gzip.wasm", Commands: []string{"gzip", "gunzip", "zcat", "uncompress"},
		Main: slices.Concat([]string{"bits.c", "deflate.c", "gzip.c", "inflate.c", "trees.c", "unlzh.c", "unlzw.c", "unpack.c", "unzip.c", "util.c", "version.c", "zip.c"},
			in("lib", `basename-lgpl chdir-long cloexec dirname-lgpl dup-safer dup-safer-flag error exitfail fd-hook fd-safer fd-safer-flag
				getprogname gettime ialloc openat-die openat-safer open-safer opendir-safer save-cwd savedir stat-time stripslash timespec
				utimens xmalloc yesno`)),
		Try: []string{"gzip", "-cd"}, Input: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x31\xe2\x02\x00\x31\x29\x86\xd1\x03\x00\x00\x00", Says: "42\n"}},
}

var bzip2 = Package{
	Name: "bzip2", Version: "1.0.8", Summary: "bzip2, built from source with clang",
	Archive: toolchain.Debian{Package: "bzip2", Version: "1.0.8", Suite: "bookworm", File: "bzip2_1.0.8.orig.tar.gz", Size: 810_029,
		SHA256: "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269"},
	Files: []string{"*.c", "*.h"},
	Programs: []Binary{{File: "bzip2.wasm", Commands: []string{"bzip2", "bunzip2", "bzcat"},
		Main: in(".", "blocksort bzip2 bzlib compress crctable decompress huffman randtable"),
		Try:  []string{"bunzip2", "-c"}, Input: "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xd6\xec\x8d\x9f\x00\x00\x01\x48\x00\x00\x10\x14\x00\x20\x00\x21\x98\x19\x81\x61\x77\x24\x53\x85\x09\x0d\x6e\xc8\xd9\xf0", Says: "42\n"}},
}

var zip = Package{
	Name: "zip", Version: "3.0", Summary: "Info-ZIP's zip, built from source with clang",
	Archive: toolchain.Debian{Package: "zip", Version: "3.0", Suite: "bookworm", File: "zip_3.0.orig.tar.gz", Size: 1_118_845,
		SHA256: "f0e8bb1f9b7eb0b01285495a2699df3a4b766784c1765a8f1aeedf63c0806369"},
	Files: []string{"*.c", "*.h", "unix/*.c", "unix/*.h"},
	Flags: []string{"-I/work", "-DUNIX", "-DLARGE_FILE_SUPPORT", "-DUNICODE_SUPPORT", "-DHAVE_DIRENT_H", "-DHAVE_TERMIOS_H", "-DNO_ASM", "-DUIDGID_NOT_16BIT",
		"-DIZ_CRYPT_TRAD", "-DNO_LCHOWN"},
	Programs: []Binary{{File: "zip.wasm", Commands: []string{"zip"},
		Main: append(in(".", "zip zipfile zipup fileio util globals crc32 crypt ttyio deflate trees"), "unix/unix.c"),
		Try:  []string{"zip", "-h"}, Says: "Copyright (c) 1990-2008 Info-ZIP"}},
}

var unzip = Package{
	Name: "unzip", Version: "6.0", Summary: "Info-ZIP's unzip, built from source with clang",
	Archive: toolchain.Debian{Package: "unzip", Version: "6.0", Suite: "bookworm", File: "unzip_6.0.orig.tar.gz", Size: 1_376_845,
		SHA256: "036d96991646d0449ed0aa952e4fbe21b476ce994abc276e49d30e686708bd37"},
	Files: []string{"*.c", "*.h", "unix/*.c", "unix/*.h"},
	Flags: []string{"-I/work", "-DUNIX", "-DLARGE_FILE_SUPPORT", "-DUNICODE_SUPPORT", "-DUNICODE_WCHAR", "-DUTF8_MAYBE_NATIVE", "-DHAVE_DIRENT_H", "-DHAVE_TERMIOS_H",
		"-DNO_LCHMOD", "-DNO_LCHOWN", "-DNO_WORKING_ISPRINT", "-DACORN_FTYPE_NFS", "-DNO_SETLOCALE_X"},
	Programs: []Binary{{File: "unzip.wasm", Commands: []string{"unzip", "zipinfo"},
		Main: append(in(".", `unzip crc32 crypt envargs explode extract fileio globals inflate list match process ttyio ubz2err unreduce unshrink zipinfo`),
			"unix/unix.c"),
		Try: []string{"unzip", "-v"}, Says: "UnZip 6.00"}},
}

// versionOf is how GNU packages carry their version.
func versionOf() (source, header []byte) {
	return []byte("const char *Version = VERSION;\n"), []byte("extern const char *Version;\n")
}
