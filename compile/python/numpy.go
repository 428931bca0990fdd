package python

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"wb/compile/clang"
	"wb/compile/toolchain"
)

// Names of numpy's toolchain and of the Python in it, and of that of Cython, in
// which some of numpy is written.
const (
	numpyName    = "numpy"
	numpyVersion = "1.24.2"
	numpyFile    = "numpy.wasm"
	cythonName   = "cython"
)

// numpyFiles are what wb adds to numpy's sources, and which of them it takes.
//
//go:embed all:numpy
var numpyFiles embed.FS

// numpySources is numpy as Debian has it. The contents decide, so that the sdist
// and the archive of the tag do as well: what only one of these has is left out.
var numpySources = toolchain.Source{
	Archive: toolchain.Debian{Package: "numpy", Version: numpyVersion, Suite: "bookworm",
		File: "numpy_1.24.2.orig.tar.xz", Size: 8_239_412,
		Else: "the sdist numpy-1.24.2.tar.gz, or the archive of the tag v1.24.2 of numpy's repository"},
	Files: strings.Fields(`LICENSE.txt
		numpy/*.py !numpy/_version.py !numpy/conftest.py numpy/__init__.pxd numpy/*/*.py numpy/testing/_private/*.py
		!numpy/setup.py !numpy/*/setup.py !numpy/core/setup_common.py !numpy/f2py/*.py !numpy/tests/*.py !numpy/_pyinstaller/*.py
		!numpy/distutils/*.py numpy/distutils/conv_template.py numpy/core/code_generators/*.py
		numpy/core/include/numpy/*.h numpy/core/include/numpy/*/*.h
		numpy/core/src/*/*.c numpy/core/src/*/*.cpp numpy/core/src/*/*.h numpy/core/src/*/*.hpp numpy/core/src/*/*.src
		numpy/core/src/*/*/*.c numpy/core/src/*/*/*.cpp numpy/core/src/*/*/*.h numpy/core/src/*/*/*.hpp numpy/core/src/*/*/*.src
		!numpy/core/src/_simd/*
		numpy/linalg/umath_linalg.cpp numpy/linalg/lapack_litemodule.c numpy/linalg/lapack_lite/*.c numpy/linalg/lapack_lite/*.h
		numpy/fft/_pocketfft.c
		numpy/random/*.pyx numpy/random/*.pxd numpy/random/*.in !numpy/random/_bounded_integers.pyx !numpy/random/_bounded_integers.pxd
		numpy/random/include/*.h numpy/random/src/*/*.c numpy/random/src/*/*.h !numpy/random/src/*/*-benchmark.c !numpy/random/src/*/*.orig.*
		!numpy/random/src/*/*-test-data-gen.c !numpy/random/src/splitmix64/* !numpy/random/src/*/randomkit.*`),
	Content: "df149aab1c100fb9268c38da2862adbc86e9c33615e7409d72109f5800e1c18f",
}

// numpyRecipe builds a Python with numpy's modules in it, inside the sandbox:
// Cython runs in the sandbox's Python, clang is the C lane's.
func (l *lane) numpyRecipe(p *pack, c *clang.Compiler) toolchain.Recipe {
	own, err := toolchain.HashFS(numpyFiles)
	origin := numpySources
	b := &numpyBuilder{builder: builder{lane: l, compiler: c}, pack: p}
	origin.Of = fmt.Sprintf("2 %s %v %q %q %q %s %s", own, err, numpyEdits, numpyFlags, numpyCPP,
		l.env.Tools.Fingerprint(objectsName), l.env.Tools.Fingerprint(cythonName))
	origin.Build = b.build
	return toolchain.Recipe{
		Name: p.name, Version: p.version, Summary: p.summary, Needs: []string{toolName, objectsName, cythonName},
		Origin: origin,
		Apart:  "building it takes about a quarter of an hour",
		Check:  func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error { return l.testPack(ctx, t, p) },
		Takes:  30 * time.Second,
	}
}

// cythonRecipe keeps Cython, without the parts of it that were compiled for
// Debian's machines: all of it is there in Python as well.
func (l *lane) cythonRecipe() toolchain.Recipe {
	const dir = debianDir + "Cython/"
	p := &pack{name: cythonName}
	return toolchain.Recipe{
		Name: cythonName, Version: "0.29.32", Summary: "Cython, which translates numpy's own Cython files to C",
		Needs: []string{toolName},
		Apart: "only building numpy needs it",
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "cython3", Version: "0.29.32", Suite: "bookworm", Binary: true,
				File: "cython3_0.29.32-2+b1_" + toolchain.DebianArch() + ".deb", Size: 1_301_688, Else: "the package for any other machine"},
			Files: []string{dir + "*.py", dir + "Compiler/*.py", dir + "Compiler/*.pxd", dir + "Plex/*.py", dir + "Plex/*.pxd",
				dir + "Tempita/*.py", dir + "Includes/", dir + "Utility/"},
			Content: "c0c440ce14ab8a4bb5744e9849e4cae7bea0b9ba222dd0cc667ec0691f14ac82",
			Of:      packFormat + " " + l.env.Tools.Fingerprint(toolName),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				data, err := l.packModules(ctx, job, p.name, debianModules(files))
				if err != nil {
					return err
				}
				return job.Write(packFile, data)
			},
		},
	}
}

// numpyBuilder makes the toolchain of numpy's sources.
type numpyBuilder struct {
	builder
	pack *pack
}

func (b *numpyBuilder) build(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
	if err := b.prepare(files); err != nil {
		return err
	}
	if err := b.generate(ctx, job, files); err != nil {
		return err
	}
	wasm, err := b.program(ctx, job, files)
	if err != nil {
		return err
	}
	if err := job.Write(numpyFile, wasm); err != nil {
		return err
	}
	modules, err := b.lane.packModules(ctx, job, b.pack.name, numpyModules(files))
	if err != nil {
		return err
	}
	if err := job.Write(packFile, modules); err != nil {
		return err
	}
	return job.Write("LICENSE.txt", files["LICENSE.txt"])
}

// numpyModules are numpy's files in Python that are of use in a block.
func numpyModules(files map[string][]byte) map[string][]byte {
	modules := inPython(files)
	maps.DeleteFunc(modules, func(name string, _ []byte) bool {
		return path.Base(name) == "setup.py" || path.Base(name) == "conftest.py" ||
			strings.HasPrefix(name, "numpy/core/code_generators/") || strings.HasPrefix(name, "numpy/distutils/")
	})
	return modules
}

// prepare adds our files to numpy's and makes the edits that numpy needs.
func (b *numpyBuilder) prepare(files map[string][]byte) error {
	for from, to := range map[string]string{
		"config.h": "numpy/core/include/numpy/config.h", "_numpyconfig.h": "numpy/core/include/numpy/_numpyconfig.h",
		"legacy_names.h": "legacy_names.h", "modules.c": "modules.c",
		"_version.py": "numpy/_version.py", "__config__.py": "numpy/__config__.py",
	} {
		data, err := numpyFiles.ReadFile("numpy/" + from)
		if err != nil {
			return err
		}
		files[to] = data
	}
	if err := applyEdits(files, numpyEdits); err != nil {
		return err
	}
	const dir = "numpy/random/src/distributions/"
	files[dir+"distributions_legacy.c"] = files[dir+"distributions.c"]
	return nil
}

// edit replaces a text that is in a file once.
type edit struct{ file, old, new string }

func applyEdits(files map[string][]byte, edits []edit) error {
	for _, e := range edits {
		text := string(files[e.file])
		if strings.Count(text, e.old) != 1 {
			return fmt.Errorf("%s: %q is not there once", e.file, e.old)
		}
		files[e.file] = []byte(strings.Replace(text, e.old, e.new, 1))
	}
	return nil
}

// numpyEdits are all that is changed in numpy's sources. In WebAssembly a
// function is called with the arguments it takes, no more: where a table of
// methods or attributes says that there is one more or less, the function follows.
// A descriptor cannot be duplicated (WASI has no dup), so numpy's FILE shares that of
// the Python file, and is flushed where numpy would close its own.
var numpyEdits = []edit{
	{"numpy/core/include/numpy/npy_cpu.h", "#elif defined(__EMSCRIPTEN__)", "#elif defined(__EMSCRIPTEN__) || defined(__wasm__)"},
	{"numpy/core/include/numpy/npy_3kcompat.h", `PyObject_CallMethod(os, "dup", "i", fd)`, "PyLong_FromLong(fd)"},
	{"numpy/core/include/numpy/npy_3kcompat.h", "/* Close the FILE* handle */\n    fclose(handle);", "fflush(handle);"},
	{"numpy/core/src/multiarray/multiarraymodule.c", "\narray_vdot(PyObject *NPY_UNUSED(dummy), PyObject *args)",
		"\narray_vdot(PyObject *NPY_UNUSED(dummy), PyObject *args, PyObject *NPY_UNUSED(kwds))"},
	{"numpy/core/src/multiarray/convert_datatype.h", "\n_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args)",
		"\n_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args, PyObject *NPY_UNUSED(kwds))"},
	{"numpy/core/src/multiarray/convert_datatype.c", "\n_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args)",
		"\n_get_castingimpl(PyObject *NPY_UNUSED(module), PyObject *args, PyObject *NPY_UNUSED(kwds))"},
	{"numpy/core/src/multiarray/dtypemeta.c", "\ndtypemeta_get_abstract(PyArray_DTypeMeta *self)",
		"\ndtypemeta_get_abstract(PyArray_DTypeMeta *self, void *NPY_UNUSED(closure))"},
	{"numpy/core/src/multiarray/dtypemeta.c", "\ndtypemeta_get_parametric(PyArray_DTypeMeta *self)",
		"\ndtypemeta_get_parametric(PyArray_DTypeMeta *self, void *NPY_UNUSED(closure))"},
	{"numpy/core/src/multiarray/_multiarray_tests.c.src", "\nprintf_float_g(PyObject *NPY_UNUSED(dummy), PyObject *args, PyObject *kwds)",
		"\nprintf_float_g(PyObject *NPY_UNUSED(dummy), PyObject *args)"},
	{"numpy/core/src/multiarray/array_method.c", "\nboundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self)",
		"\nboundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self, void *NPY_UNUSED(closure))"},
}

// numpyFlags are those of numpy's own build that matter here.
var numpyFlags = []string{"-O2", "-DNDEBUG", "-fwrapv", "-fno-strict-aliasing", "-w",
	"-DNPY_INTERNAL_BUILD=1", "-DHAVE_NPY_CONFIG_H=1", "-DNPY_DISABLE_OPTIMIZATION=1", "-D_FILE_OFFSET_BITS=64",
	"-I/work/numpy/core/include", "-I/work/numpy/core/include/numpy", "-I/work/numpy/core/src/common", "-I/work/numpy/core/src/multiarray",
	"-I/work/numpy/core/src/umath", "-I/work/numpy/core/src/npymath", "-I/work/numpy/core/src/npysort", "-I/work/Include", "-I/work"}

// numpyCPP are further flags for C++: its standard headers and Python's agree
// with these.
var numpyCPP = []string{"-std=c++17", "-D__STDC_VERSION__=0", "-fno-rtti", "-Drestrict=__restrict"}

// headers are what numpy's sources include of CPython's.
func (b *numpyBuilder) headers(ctx context.Context) (map[string][]byte, error) {
	t, err := b.lane.env.Tools.Ensure(ctx, objectsName, b.lane.env.Progress)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range t.Files {
		if isHeader(f.Path) {
			if files[f.Path], err = t.ReadFile(f.Path); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// program compiles numpy's C files and links them with CPython's.
func (b *numpyBuilder) program(ctx context.Context, job *toolchain.Job, all map[string][]byte) ([]byte, error) {
	objects, err := b.objects(ctx, "")
	if err != nil {
		return nil, err
	}
	list, err := numpyFiles.ReadFile("numpy/sources.txt")
	if err != nil {
		return nil, err
	}
	names, flags := readSources(string(list))
	files, err := b.headers(ctx)
	if err != nil {
		return nil, err
	}
	for name, data := range all {
		switch path.Ext(name) {
		case ".c", ".cpp", ".h", ".hpp", ".inc":
			files[name] = data
		}
	}
	names = append(names, "modules.c")
	own, err := b.compiler.BuildObjects(ctx, job, files, clang.Options{
		Flags: numpyFlags, Main: names,
		FlagsOf: func(name string) []string {
			if strings.HasSuffix(name, ".cpp") {
				return append(numpyCPP[:len(numpyCPP):len(numpyCPP)], flags[name]...)
			}
			return flags[name]
		},
	})
	if err != nil {
		return nil, err
	}
	if err := keepForOthers(job, files, own); err != nil {
		return nil, err
	}
	return b.compiler.CompileC(ctx, nil, clang.Options{With: slices.Concat(objects, own), Main: []string{}, LinkFlags: append([]string{"-lc++", "-lc++abi"}, linkFlags...), Reactor: true})
}

// numpyObjects and numpyHeaders are the directories of what other Pythons with
// numpy are made of.
const (
	numpyObjects = "objects/"
	numpyHeaders = "numpy/core/include/"
)

// keepForOthers writes what a Python with numpy and more is made of.
func keepForOthers(job *toolchain.Job, files map[string][]byte, objects [][]byte) error {
	for i, object := range objects {
		if err := job.Write(fmt.Sprintf("%s%03d.o", numpyObjects, i), object); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, numpyHeaders) {
			if err := job.Write(name, files[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
