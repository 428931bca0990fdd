package python

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// builder makes the toolchain of CPython's sources: the program, and the
// standard library compiled by that program.
type builder struct {
	lane     *lane
	compiler *clang.Compiler
}

// keepSources installs the files of an archive as they are.
func keepSources(_ context.Context, job *toolchain.Job, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := job.Write(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) build(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
	wasm, err := b.program(ctx, job)
	if err != nil {
		return err
	}
	if err := job.Write(wasmFile, wasm); err != nil {
		return err
	}
	archive, err := b.stdlib(ctx, job, wasm, files)
	if err != nil {
		return err
	}
	return job.Write(stdlibFile, archive)
}

// compileFlags are those of CPython's own build where they matter: integers
// wrap around, and pointers of different types may meet.
var compileFlags = []string{"-O2", "-DNDEBUG", "-fwrapv", "-fno-strict-aliasing", "-w",
	"-DPy_BUILD_CORE", "-DPLATFORM=\"wasi\"", "-DABIFLAGS=\"\"", "-DVPATH=\"\"",
	"-I/work/Include", "-I/work/Include/internal", "-I/work", "-I/work/Modules"}

// stackSize is what C code may use of the guest's memory for its stack: Python
// programs that recurse reach Python's own limit first.
const stackSize = "8388608"

var linkFlags = []string{"-z", "stack-size=" + stackSize}

// program links python.wasm.
func (b *builder) program(ctx context.Context, job *toolchain.Job) ([]byte, error) {
	objects, err := b.objects(ctx, job.Archive)
	if err != nil {
		return nil, err
	}
	return b.compiler.CompileC(ctx, nil, clang.Options{With: objects, Main: []string{}, LinkFlags: linkFlags, Reactor: true})
}

// bareModules are frozen: importing needs them.
var bareModules = []string{"importlib._bootstrap", "importlib._bootstrap_external", "zipimport"}

var magicNumber = lazyregexp.New(`MAGIC_NUMBER = \((\d+)\)`)

// stdlib compiles the standard library with the program just built, which needs
// no library for that, and packs sources and code into one archive.
func (b *builder) stdlib(ctx context.Context, job *toolchain.Job, wasm []byte, all map[string][]byte) ([]byte, error) {
	module, err := b.lane.env.Engine.Compile(ctx, toolName, wasm)
	if err != nil {
		return nil, err
	}
	library := map[string][]byte{}
	for name, data := range all {
		if inside, ok := strings.CutPrefix(name, "Lib/"); ok && path.Ext(name) == ".py" {
			library[inside] = data
		}
	}
	vm, err := startBare(ctx, b.lane.env.Engine, module)
	if err != nil {
		return nil, err
	}
	defer vm.close(ctx)
	p := &packer{python: vm, dir: stdlibDir, bootstrap: library[bootstrapFile]}
	return p.pack(ctx, job, "the standard library", library, bareModules)
}

// bootstrapFile is where Python's library has the number of its code's version.
const bootstrapFile = "importlib/_bootstrap_external.py"

// packer puts modules, as sources and compiled by Python, into an archive.
type packer struct {
	python    *machine
	dir       string // where the guest will find the modules
	bootstrap []byte // bootstrapFile
}

// pack is the archive of modules by path; those named in frozen are there once
// more, for a Python that cannot import yet.
func (p *packer) pack(ctx context.Context, job *toolchain.Job, what string, modules map[string][]byte, frozen []string) (_ []byte, err error) {
	var total int64
	for _, data := range modules {
		total += int64(len(data))
	}
	step := job.Step(fmt.Sprintf("compiling %d modules of %s", len(modules), what), total)
	defer func() { step.Done(err) }()

	match := magicNumber.FindSubmatch(p.bootstrap)
	if match == nil {
		return nil, fmt.Errorf("%s: no magic number", bootstrapFile)
	}
	var magic uint16
	if _, err := fmt.Sscan(string(match[1]), &magic); err != nil {
		return nil, err
	}
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if path.Ext(name) != ".py" {
			if err := addFile(archive, name, modules[name]); err != nil {
				return nil, err
			}
			continue
		}
		code, err := p.python.marshal(ctx, p.dir+"/"+name, modules[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := addFile(archive, name, modules[name]); err != nil {
			return nil, err
		}
		if err := addFile(archive, cachedName(name), append(codeHeader(magic), code...)); err != nil {
			return nil, err
		}
		step.Add(int64(len(modules[name])))
	}
	for _, name := range frozen {
		code, err := p.python.marshal(ctx, "<frozen "+name+">", modules[strings.ReplaceAll(name, ".", "/")+".py"])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := addFile(archive, frozenName(name), code); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// codeHeader begins a file of compiled code: it says that the code belongs to
// its source without being compared with it (PEP 552).
func codeHeader(magic uint16) []byte {
	header := make([]byte, 16)
	copy(header, []byte{byte(magic), byte(magic >> 8), '\r', '\n', 1})
	return header
}

// cachedName is where Python looks for the compiled code of a source file.
func cachedName(name string) string {
	dir, file := path.Split(name)
	return dir + "__pycache__/" + strings.TrimSuffix(file, ".py") + ".cpython-311.pyc"
}

// frozenName is where the archive keeps the code of a frozen module.
func frozenName(module string) string { return "frozen/" + module }

// archiveTime is the age of all files, so that archives are equal.
var archiveTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func addFile(archive *zip.Writer, name string, data []byte) error {
	w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: archiveTime})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// buildLimits bound the compiler of the standard library.
var buildLimits = sandbox.Limits{Fuel: -1, Memory: 1 << 30, Timeout: 10 * time.Minute}
