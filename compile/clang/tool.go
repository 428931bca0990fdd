package clang

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/whole"
)

// Options say how [Compiler.CompileC] builds a tool.
type Options struct {
	// Flags are given to the compiler for every file: "-O2", "-DX=1",
	// "-I/work/include" (the sources lie in /work).
	Flags []string
	// FlagsOf are further flags for one file, nil for none.
	FlagsOf func(name string) []string
	// LinkFlags are given to wasm-ld: "-z", "stack-size=65536".
	LinkFlags []string
	// Reactor builds a module with _initialize in place of _start; Exports
	// names the functions it offers.
	Reactor bool
	Exports []string
	// Main names the .c, .cc, .cpp and .cxx files to compile; nil means all of
	// them. They do not include each other.
	Main []string
	// With are object files of an earlier build, linked before those of Main.
	With [][]byte
	// Objects is a directory that keeps object files, so that an interrupted
	// build goes on where it was; "" keeps none.
	Objects string
	// Headers are read ahead, in this order, for C files that begin with the first
	// of them and perhaps a few macros: "Python.h", "pycore_object.h".
	Headers []string
	// Unwinds says that C++ files may throw and catch, and all may jump. Objects of
	// With may be made without it; exceptions do not pass through those.
	Unwinds bool
	// Compiled hears about every file that has been compiled, from several
	// goroutines; nil for none.
	Compiled func(name string)
}

// CompileC builds one wasm program from C and C++ files by slash path: every
// source file is compiled, headers lie where the paths say, below /work.
// Messages of the compiler come back in a [*diag.FindingsError] with the files'
// own positions. The toolchain is installed when it is missing.
func (c *Compiler) CompileC(ctx context.Context, files map[string][]byte, opts Options) ([]byte, error) {
	t, err := c.tool(ctx)
	if err != nil {
		return nil, err
	}
	return c.compileC(ctx, t, files, opts)
}

// languageOf is the language of a source file, by its name.
func languageOf(name string) (lang language, ok bool) {
	switch path.Ext(name) {
	case ".c":
		return langC, true
	case ".cc", ".cpp", ".cxx":
		return langCPP, true
	}
	return language{}, false
}

func (c *Compiler) compileC(ctx context.Context, t *tool, files map[string][]byte, opts Options) ([]byte, error) {
	t = t.within(toolLimits)
	sources := opts.sources(files)
	objects, err := c.objects(ctx, t, files, sources, opts)
	if err != nil {
		return nil, err
	}
	main := langC
	for _, name := range sources {
		if lang, _ := languageOf(name); lang.ext == langCPP.ext {
			main = langCPP
		}
	}
	p := program{start: "crt1-command.o", exports: opts.Exports, flags: opts.LinkFlags}
	if opts.Reactor {
		p.start = "crt1-reactor.o"
		p.flags = append([]string{"--entry=_initialize"}, p.flags...)
	}
	l := opts.leaving(main)
	o, err := c.linkUnwinding(ctx, t, main, l, nil, slices.Concat(opts.With, objects), p)
	if err == nil && o.exit != 0 {
		err = toolError(o.stderr)
	}
	return o.output, err
}

// sources are the files that are compiled.
func (o Options) sources(files map[string][]byte) []string {
	if o.Main == nil {
		return sourcesOf(files)
	}
	return o.Main
}

// objects compiles the sources, each to an object file: the largest first, so
// that none is left to be compiled alone.
func (c *Compiler) objects(ctx context.Context, t *tool, files map[string][]byte, sources []string, opts Options) ([][]byte, error) {
	objects := make([][]byte, len(sources))
	shared := toolchain.HashFiles(withoutKeys(files, sources))
	openings := opts.openingsOf(files, sources)
	group, building := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, i := range bySize(files, sources) {
		name := sources[i]
		lang, ok := languageOf(name)
		if !ok || files[name] == nil {
			return nil, fmt.Errorf("%s is not among the given C and C++ files", name)
		}
		group.Go(func() (err error) {
			one := source{name: name, lang: lang, flags: opts.flagsOf(name), opening: openings[name], leaving: opts.leaving(lang)}
			objects[i], err = c.keptObject(building, t, files, one, opts.Objects, shared)
			if err == nil && opts.Compiled != nil {
				opts.Compiled(name)
			}
			return err
		})
	}
	return objects, group.Wait()
}

// flagsOf are the compiler's flags for one file.
func (o Options) flagsOf(name string) []string {
	if o.FlagsOf == nil {
		return o.Flags
	}
	return slices.Concat(o.Flags, o.FlagsOf(name))
}

// source is one file to compile.
type source struct {
	name    string
	lang    language
	flags   []string
	leaving leaving
	opening *opening // nil when it is compiled from its first line
}

// leaving says how functions of a language may be left.
func (o Options) leaving(lang language) leaving {
	cpp := lang.ext == langCPP.ext
	return leaving{throws: o.Unwinds && cpp, catches: o.Unwinds && cpp, jumps: o.Unwinds}
}

// bySize are the indexes of sources, the largest file first.
func bySize(files map[string][]byte, sources []string) []int {
	order := make([]int, len(sources))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(files[sources[j]]) - len(files[sources[i]]) })
	return order
}

// keptObject compiles one file unless dir has its object from an earlier
// attempt. Shared is the digest of the files that are not compiled on their own,
// any of which it may include.
func (c *Compiler) keptObject(ctx context.Context, t *tool, files map[string][]byte, one source, dir, shared string) ([]byte, error) {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\n%s\n%q %q %q\n%s\n%q\n%s\n%x\n", version, t.digest, compileFlags, one.lang.compile, one.lang.optimise, one.name, slices.Concat(one.leaving.compileFlags(), one.flags), shared, sha256.Sum256(files[one.name]))))
	kept := filepath.Join(dir, hex.EncodeToString(sum[:16])+".o")
	if dir != "" {
		if object, err := os.ReadFile(kept); err == nil {
			return object, nil
		}
	}
	if one.opening != nil {
		read, err := c.precompiledOpening(ctx, t, one.opening, files)
		if err != nil {
			return nil, err
		}
		files = with(files, openingCompiled, read)
		files[openingFile] = []byte(one.opening.text)
		one.flags = slices.Concat(one.flags, []string{"-include-pch", workDir + "/" + openingCompiled})
	}
	o, err := c.object(ctx, t, one.lang, one.leaving, files, one.name, one.flags)
	if err == nil && o.exit != 0 {
		err = toolError(o.stderr)
	}
	if err != nil || dir == "" {
		return o.output, err
	}
	return o.output, whole.File{Mode: 0o644, Dirs: 0o755}.Write(kept, o.output)
}

// withoutKeys are the files but those of the given names.
func withoutKeys(files map[string][]byte, names []string) map[string][]byte {
	rest := maps.Clone(files)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// toolError keeps messages about files that are not blocks.
func toolError(stderr string) error {
	e := &diag.FindingsError{}
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if m := messageLine.FindStringSubmatch(line); m != nil {
			e.Findings = append(e.Findings, diag.Finding{Severity: severityOf(m[4]), Code: codeOf(m[6]), Message: m[5],
				Pos: diag.Position{File: strings.TrimPrefix(m[1], workDir+"/"), Line: number(m[2]), Col: number(m[3])}})
		} else if strings.Contains(line, "error:") {
			e.Findings = append(e.Findings, diag.Finding{Severity: diag.Error, Message: line})
		}
	}
	if len(e.Findings) == 0 {
		e.Findings = []diag.Finding{{Severity: diag.Error, Message: "compiler failed: " + strings.TrimSpace(stderr)}}
	}
	return e
}

// BuildTool is CompileC for a toolchain being made: its progress is shown file
// by file, and objects are kept until it is finished.
func (c *Compiler) BuildTool(ctx context.Context, job *toolchain.Job, files map[string][]byte, opts Options) (wasm []byte, err error) {
	opts, done := opts.told(job, files)
	defer func() { done(err) }()
	return c.CompileC(ctx, files, opts)
}

// BuildObjects compiles what several toolchains link: the object files of
// opts.Main, in this order. It is told and kept as BuildTool is.
func (c *Compiler) BuildObjects(ctx context.Context, job *toolchain.Job, files map[string][]byte, opts Options) (objects [][]byte, err error) {
	opts, done := opts.told(job, files)
	defer func() { done(err) }()
	t, err := c.tool(ctx)
	if err != nil {
		return nil, err
	}
	return c.objects(ctx, t.within(toolLimits), files, opts.Main, opts)
}

// told are the options of a job that shows its progress and keeps objects.
func (o Options) told(job *toolchain.Job, files map[string][]byte) (Options, func(error)) {
	o.Main = o.sources(files)
	var total int64
	for _, name := range o.Main {
		total += int64(len(files[name]))
	}
	step := job.Step(fmt.Sprintf("compiling %d files", len(o.Main)), total)
	o.Objects = job.Keep()
	o.Compiled = func(name string) { step.Add(int64(len(files[name]))) }
	return o, step.Done
}

// sourcesOf are the names of the C and C++ files, sorted.
func sourcesOf(files map[string][]byte) []string {
	var sources []string
	for name := range files {
		if _, ok := languageOf(name); ok {
			sources = append(sources, name)
		}
	}
	slices.Sort(sources)
	return sources
}
