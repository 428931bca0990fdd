package golang

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// file is one Go source file, named without a directory.
type file struct {
	name string
	text []byte
}

// unit is one package to compile.
type unit struct {
	path  string // import path, "main" for the program
	files []file
	lang  string // version of the language, as in go1.21; "" for the newest
}

// build makes one program: its packages in import order, then the link.
type build struct {
	compiler *Compiler
	tool     *tool
	done     []object
}

// object is a compiled package of the user's.
type object struct {
	path    string
	archive []byte
}

// objectFile is where a compiled package lies below workDir. Import paths may
// hold any letter, so they are numbered.
func objectFile(i int) string { return fmt.Sprintf("o%d.a", i) }

// compile compiles a package whose imports have been compiled before. It
// returns nil, and what the compiler printed, when there are errors.
func (b *build) compile(ctx context.Context, u unit) (archive []byte, messages string, err error) {
	files := make(map[string][]byte)
	var config strings.Builder
	for _, p := range b.tool.std.paths {
		config.WriteString(configLine(p))
	}
	b.addObjects(files, &config)
	files["importcfg"] = []byte(config.String())
	args := []string{"-o", workDir + "/out.a", "-p", u.path, "-complete", "-c=1", "-dwarf=false", "-importcfg", workDir + "/importcfg", "-pack"}
	if u.lang == "" {
		u.lang = languageVersion(b.tool.version)
	}
	if u.lang != "" {
		args = append(args, "-lang="+u.lang)
	}
	for _, f := range u.files {
		files[f.name] = f.text
		args = append(args, workDir+"/"+f.name)
	}
	o, err := b.compiler.run(ctx, b.tool, b.tool.compile, files, "out.a", args...)
	if err != nil || o.exit != 0 {
		return nil, o.text, err
	}
	b.done = append(b.done, object{u.path, o.output})
	return o.output, o.text, nil
}

// languageVersion is go1.26 for go1.26.8.
func languageVersion(release string) string {
	if strings.Count(release, ".") < 2 {
		return release
	}
	return release[:strings.LastIndexByte(release, '.')]
}

// addObjects puts the packages compiled so far among files and in an importcfg.
func (b *build) addObjects(files map[string][]byte, config *strings.Builder) {
	for i, o := range b.done {
		files[objectFile(i)] = o.archive
		fmt.Fprintf(config, "packagefile %s=%s\n", o.path, path.Join(workDir, objectFile(i)))
	}
}

// mode says what the linker makes.
type mode string

const (
	modeProgram mode = "exe"      // has _start and runs main
	modeReactor mode = "c-shared" // has _initialize and exported functions
)

// link makes a program of everything compiled. It returns nil, and what the
// linker printed, when there are errors.
func (b *build) link(ctx context.Context, m mode) (wasm []byte, messages string, err error) {
	main := slices.IndexFunc(b.done, func(o object) bool { return o.path == "main" })
	if main < 0 {
		return nil, "", fmt.Errorf("go: no package main to link")
	}
	files := make(map[string][]byte)
	var config strings.Builder
	b.addObjects(files, &config)
	config.WriteString(b.tool.std.linkConfig)
	files["importcfg"] = []byte(config.String())
	linker, err := b.tool.link()
	if err != nil {
		return nil, "", err
	}
	o, err := b.compiler.run(ctx, b.tool, linker, files, "out.wasm",
		"-o", workDir+"/out.wasm", "-importcfg", workDir+"/importcfg", "-buildmode="+string(m), "-s", "-w", "-buildid=", path.Join(workDir, objectFile(main)))
	if err != nil || o.exit != 0 {
		return nil, o.text, err
	}
	return o.output, o.text, nil
}
