package python

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"wb/compile/clang"
	"wb/compile/toolchain"
)

// objectsName is the toolchain of CPython's object files and headers. Python is
// linked of them, and so is each Python with further modules in C, which then
// costs what it adds.
const objectsName = "python-objects"

// objectsRecipe compiles CPython's C files.
func (l *lane) objectsRecipe(c *clang.Compiler) toolchain.Recipe {
	b := &builder{lane: l, compiler: c}
	return toolchain.Recipe{
		Name: objectsName, Version: sources.Version, Summary: "CPython's object files and headers, of which Python is linked",
		Needs:  []string{"clang", zlibName, sqliteName},
		Apart:  "only building a Python needs it",
		Origin: toolchain.Source{Archive: sources, Files: sourceFiles(), Of: b.identity(), Build: b.buildObjects},
	}
}

// headers are those that most of CPython's files read.
var headers = []string{"Python.h", "pycore_object.h", "pycore_pystate.h", "pycore_call.h", "pycore_initconfig.h", "pycore_long.h", "pycore_pyerrors.h",
	"pycore_fileutils.h", "pycore_interp.h", "pycore_ceval.h", "pycore_moduleobject.h", "pycore_runtime.h", "pycore_pymem.h", "pycore_frame.h"}

// buildObjects writes an object file for each C file, and the headers.
func (b *builder) buildObjects(ctx context.Context, job *toolchain.Job, all map[string][]byte) error {
	files, err := b.cFiles(all)
	if err != nil {
		return err
	}
	names, flags, err := cSources()
	if err != nil {
		return err
	}
	objects, err := b.compiler.BuildObjects(ctx, job, files, clang.Options{
		Flags: compileFlags, FlagsOf: func(name string) []string { return flags[name] }, Main: names, Headers: headers})
	if err != nil {
		return err
	}
	for i, name := range names {
		if err := job.Write(objectName(name), objects[i]); err != nil {
			return err
		}
	}
	included := maps.Clone(files)
	maps.DeleteFunc(included, func(name string, _ []byte) bool { return !isHeader(name) })
	return keepSources(ctx, job, included)
}

// isHeader reports whether modules in C may include a file.
func isHeader(name string) bool { return strings.HasPrefix(name, "Include/") || name == "pyconfig.h" }

// objectName is where the toolchain has the object of a C file.
func objectName(source string) string { return strings.TrimSuffix(source, ".c") + ".o" }

// objects are CPython's object files in the order in which they are linked,
// compiled when they are not there. From is an archive of CPython's sources, ""
// when it is to be fetched.
func (b *builder) objects(ctx context.Context, from string) ([][]byte, error) {
	t, err := b.lane.env.Tools.Install(ctx, objectsName, b.lane.env.Progress, toolchain.Options{From: from})
	if err != nil {
		return nil, err
	}
	names, _, err := cSources()
	if err != nil {
		return nil, err
	}
	objects := make([][]byte, len(names))
	for i, name := range names {
		if objects[i], err = t.ReadFile(objectName(name)); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// cSources are the C files that Python is made of, and the flags for each.
func cSources() (names []string, flags map[string][]string, err error) {
	list, err := cpythonFiles.ReadFile("cpython/sources.txt")
	if err != nil {
		return nil, nil, err
	}
	names, flags = readSources(string(list))
	return append(names, "wbpython.c"), flags, nil
}

// cFiles are the C sources and headers: CPython's, those of the
// libraries in directories of their own, and ours.
func (b *builder) cFiles(all map[string][]byte) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for name, data := range all {
		if !strings.HasPrefix(name, "Lib/") {
			files[name] = data
		}
	}
	for name, dir := range map[string]string{zlibName: "zlib/", sqliteName: "sqlite/"} {
		t, ok := b.lane.env.Tools.Installed(name)
		if !ok {
			return nil, fmt.Errorf("toolchain %s is missing", name)
		}
		for _, f := range t.Files {
			data, err := t.ReadFile(f.Path)
			if err != nil {
				return nil, err
			}
			files[dir+f.Path] = data
		}
	}
	for _, name := range []string{"pyconfig.h", "wbpython.c"} {
		data, err := cpythonFiles.ReadFile("cpython/" + name)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// readSources reads sources.txt: groups of names, each under a directory and
// its flags.
func readSources(text string) (names []string, flags map[string][]string) {
	flags = make(map[string][]string)
	var dir string
	var own []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if head, tail, ok := strings.Cut(line, ":"); ok {
			dir, own = head, strings.Fields(tail)
			continue
		}
		for _, word := range strings.Fields(line) {
			name := path.Join(dir, word)
			if path.Ext(name) != ".cpp" {
				name += ".c"
			}
			names = append(names, name)
			flags[name] = own
		}
	}
	return names, flags
}
