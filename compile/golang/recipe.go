package golang

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"wb/compile/toolchain"
)

// toolName is the toolchain this package registers and needs.
const toolName = "go"

// packages of the standard library that programs may import. Left out is what
// needs something the sandbox has not: networks, processes, plugins, users,
// a terminal, the Go compiler's own innards.
var packages = strings.Fields(`
	archive/tar archive/zip
	bufio bytes cmp
	compress/bzip2 compress/flate compress/gzip compress/lzw compress/zlib
	container/heap container/list container/ring
	context
	crypto crypto/aes crypto/cipher crypto/ed25519 crypto/hmac crypto/md5 crypto/rand
	crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle
	embed
	encoding encoding/ascii85 encoding/base32 encoding/base64 encoding/binary encoding/csv encoding/gob
	encoding/hex encoding/json encoding/pem encoding/xml
	errors flag fmt
	hash hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash
	html html/template
	image image/color image/color/palette image/draw image/gif image/jpeg image/png
	index/suffixarray
	io io/fs io/ioutil
	iter log log/slog maps
	math math/big math/bits math/cmplx math/rand math/rand/v2
	mime mime/quotedprintable
	net/netip net/url
	os path path/filepath
	reflect regexp regexp/syntax
	runtime runtime/debug
	slices sort strconv strings structs
	sync sync/atomic
	text/scanner text/tabwriter text/template text/template/parse
	time time/tzdata
	unicode unicode/utf16 unicode/utf8 unique weak`)

// recipe builds the toolchain with the local Go from Go's own sources.
func (c *Compiler) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "1",
		Summary: "Go's own compiler, linker and standard library",
		Origin:  toolchain.GoRoot{Packages: packages},
		Check:   c.selfTest, Takes: 40 * time.Second,
	}
}

// selfTest compiles, links and runs a program with the toolchain being
// installed. The first use turns 45 MB of wasm into machine code, which is
// cached for later.
func (c *Compiler) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	tool, err := c.ready.From(ctx, t, c.load)
	if err != nil {
		return err
	}
	const program = "package main\n\nimport \"fmt\"\n\nfunc twice[T int | float64](x T) T { return 2 * x }\n\nfunc main() { fmt.Println(twice(21), twice(0.25)) }\n"
	b := &build{compiler: c, tool: tool}
	object, stderr, err := b.compile(ctx, unit{path: "main", files: []file{{"main.go", []byte(program)}}})
	if err != nil {
		return err
	}
	if object == nil {
		return fmt.Errorf("compile: %s", stderr)
	}
	wasm, stderr, err := b.link(ctx, modeProgram)
	if err != nil {
		return err
	}
	if wasm == nil {
		return fmt.Errorf("link: %s", stderr)
	}
	return c.env.Prints(ctx, wasm, "42 0.5\n")
}

// goVersion is the language that the lane speaks, as far as wb can tell before
// the toolchain is there: that of the Go that built wb.
func goVersion() string {
	v := strings.TrimPrefix(runtime.Version(), "go")
	if major, minor, ok := strings.Cut(v, "."); ok {
		minor, _, _ = strings.Cut(minor, ".")
		return major + "." + minor
	}
	return v
}
