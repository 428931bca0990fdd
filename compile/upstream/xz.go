package upstream

import (
	"slices"
	"strings"

	"wb/compile/toolchain"
)

var xz = Package{
	Name: "xz", Version: "5.4.1", Summary: "XZ Utils, built from source with clang",
	Archive: toolchain.Debian{Package: "xz-utils", Version: "5.4.1", Suite: "bookworm", File: "xz-utils_5.4.1.orig.tar.xz", Size: 1_485_272,
		SHA256: "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5"},
	Files:    []string{"src/common/*.c", "src/common/*.h", "src/liblzma/", "src/xz/*.c", "src/xz/*.h"},
	Flags:    xzFlags(),
	Generate: generateXZ, Revision: 1,
	Programs: []Binary{{File: "xz.wasm", Commands: []string{"xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat"},
		Main: slices.Concat(
			in("src/xz", "args coder file_io hardware list main message mytime options signals suffix util"),
			in("src/common", "tuklib_cpucores tuklib_exit tuklib_mbstr_fw tuklib_mbstr_width tuklib_open_stdxxx tuklib_physmem tuklib_progname"),
			in("src/liblzma", `check/check check/crc32_fast check/crc32_table check/crc64_fast check/crc64_table check/sha256
				common/alone_decoder common/alone_encoder common/auto_decoder common/block_buffer_decoder common/block_buffer_encoder common/block_decoder
				common/block_encoder common/block_header_decoder common/block_header_encoder common/block_util common/common
				common/easy_encoder_memusage common/easy_preset common/file_info common/filter_common common/filter_decoder common/filter_encoder
				common/filter_flags_decoder common/filter_flags_encoder common/hardware_cputhreads common/hardware_physmem common/index
				common/index_decoder common/index_encoder common/index_hash common/lzip_decoder common/stream_decoder common/stream_encoder
				common/stream_flags_common common/stream_flags_decoder common/stream_flags_encoder common/string_conversion common/vli_decoder
				common/vli_encoder common/vli_size delta/delta_common delta/delta_decoder delta/delta_encoder lz/lz_decoder lz/lz_encoder lz/lz_encoder_mf
				lzma/fastpos_table lzma/lzma2_decoder lzma/lzma2_encoder lzma/lzma_decoder lzma/lzma_encoder lzma/lzma_encoder_optimum_fast
				lzma/lzma_encoder_optimum_normal lzma/lzma_encoder_presets rangecoder/price_table simple/arm simple/arm64 simple/armthumb simple/ia64
				simple/powerpc simple/simple_coder simple/simple_decoder simple/simple_encoder simple/sparc simple/x86`)),
		Try: []string{"xz", "--version"}, Says: "xz (XZ Utils) 5.4.1\n"}},
}

// xzFlags are what its configure would find out: all filters, no threads.
func xzFlags() []string {
	var list []string
	for _, name := range strings.Fields(`LZMA1 LZMA2 X86 POWERPC IA64 ARM ARMTHUMB ARM64 SPARC DELTA`) {
		list = append(list, "-DHAVE_ENCODER_"+name, "-DHAVE_DECODER_"+name)
	}
	for _, name := range strings.Fields(`ENCODERS DECODERS LZIP_DECODER MF_HC3 MF_HC4 MF_BT2 MF_BT3 MF_BT4 CHECK_CRC32 CHECK_CRC64 CHECK_SHA256 INTTYPES_H STDINT_H
		STDBOOL_H STRING_H STRINGS_H LIMITS_H MEMORY_H VISIBILITY=0 FUTIMENS CLOCK_GETTIME MBRTOWC WCWIDTH GETOPT_H GETOPT_LONG POSIX_FADVISE=0`) {
		list = append(list, "-DHAVE_"+name)
	}
	for _, dir := range strings.Fields("common xz liblzma/api liblzma/common liblzma/check liblzma/lz liblzma/rangecoder liblzma/lzma liblzma/delta liblzma/simple") {
		list = append(list, "-I/work/src/"+dir)
	}
	return append(list, "-DNDEBUG", "-DASSUME_RAM=64", "-DSIZEOF_SIZE_T=4", "-DTUKLIB_SYMBOL_PREFIX=lzma_", "-DLOCALEDIR=\"\"", "-DPACKAGE=\"xz\"",
		"-DPACKAGE_NAME=\"XZ Utils\"", "-DPACKAGE_BUGREPORT=\"xz@tukaani.org\"", "-DPACKAGE_URL=\"https://tukaani.org/xz/\"")
}

// generateXZ makes xz at home in the memory that a block has by default: its
// usual preset needs 94 MiB, the one before half of that. Nobody sends it
// signals, so it needs no pipe to itself.
func generateXZ(files map[string][]byte) error {
	for _, e := range []struct{ name, from, to string }{
		{"src/xz/coder.c", "static uint32_t preset_number = LZMA_PRESET_DEFAULT;", "static uint32_t preset_number = 4;"},
		{"src/xz/hardware.c", "static uint64_t memlimit_compress = 0;", "static uint64_t memlimit_compress = UINT64_C(54) << 20;"},
		{"src/xz/file_io.c", "if (pipe(user_abort_pipe))", "if (0)"},
		{"src/xz/file_io.c", "for (unsigned i = 0; i < 2; ++i) {", "for (unsigned i = 0; i < 0; ++i) {"},
	} {
		if err := edit(files, e.name, e.from, e.to); err != nil {
			return err
		}
	}
	return nil
}
