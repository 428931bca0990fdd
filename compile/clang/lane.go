package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// lane is C or C++ as the rest of wb sees it.
type lane struct {
	*Compiler
	lang language
	info compile.Info
}

var shapes = []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel}

// C is the lane of C blocks.
func (c *Compiler) C() compile.Lane {
	return &lane{c, langC, compile.Info{Name: "c", Compiles: true, Aliases: []string{"C"}, Shapes: shapes, Toolchains: []string{toolName},
		Summary: "C (clang 22, gnu17) with wasi-libc"}}
}

// CPP is the lane of C++ blocks.
func (c *Compiler) CPP() compile.Lane {
	return &lane{c, langCPP, compile.Info{Name: "cpp", Compiles: true, Aliases: []string{"C++", "c++", "cxx"}, Shapes: shapes, Toolchains: []string{toolName},
		Summary: "C++ (clang 22, gnu++17) with libc++"}}
}

func (l *lane) Info() compile.Info { return l.info }

// Build compiles and links a block.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "%s is compiled: it has no sessions", src.Lang)
	}
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "%s has no packages; put sources in a directory and name it with :dir", src.Lang)
	}
	switch src.Shape {
	case compile.ShapeComponent:
		return l.buildComponent(ctx, src)
	case compile.ShapeKernel:
		return l.buildKernel(ctx, src)
	}
	return l.buildProgram(ctx, src)
}

// Names of the entries of Artifact.Meta.
const (
	metaCmdline = "cmdline" // words of :cmdline, NUL between them
)

// buildProgram builds a program with main.
func (l *lane) buildProgram(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	u, err := babelUnit(src)
	if err != nil {
		return nil, err
	}
	words, err := commandLine(src)
	if err != nil {
		return nil, err
	}
	begin := part{from: originGlue, text: startUp(src, l.lang)}
	u.parts = slices.Insert(u.parts, 0, begin)
	p := program{start: "crt1-command.o"}
	wasm, warnings, err := l.build(ctx, src, u, p)
	if err != nil && strings.Contains(err.Error(), "function definition is not allowed here") {
		hoisted, hoistErr := hoistedUnit(src)
		if hoistErr == nil && hoisted != nil {
			hoisted.parts = slices.Insert(hoisted.parts, 0, begin)
			wasm, warnings, err = l.build(ctx, src, hoisted, p)
		}
	}
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm, warnings)
	art.SetResults(src.Results)
	art.SetWords(metaCmdline, words)
	return art, nil
}

// blocksVersion changes when blocks become other programs and toolchains do not.
const blocksVersion = "blocks 3"

// Fingerprint identifies what makes programs of blocks.
func (l *lane) Fingerprint() string {
	return blocksVersion + " " + unwindingDigest() + " " + l.Compiler.Fingerprint()
}

func (l *lane) artifact(src *compile.Source, wasm []byte, warnings []diag.Finding) *compile.Artifact {
	return &compile.Artifact{Lane: l.info.Name, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Wasm: wasm, Warnings: warnings, Meta: make(map[string]string)}
}

// build compiles a unit, and the C files that :flags names, and links them.
func (l *lane) build(ctx context.Context, src *compile.Source, u *unit, p program) ([]byte, []diag.Finding, error) {
	flags, err := readFlags(src)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.tool(ctx)
	if err != nil {
		return nil, nil, err
	}
	files := maps.Clone(src.Files)
	if files == nil {
		files = make(map[string][]byte)
	}
	main := string(originBody) + l.lang.ext
	files[main] = []byte(dockInclude.ReplaceAllString(u.marked(l.lang.ext), `${1}"`+dockHeader+`"`))
	if _, own := files[dockHeader]; !own {
		files[dockHeader] = []byte(dock.CHeader())
	}
	leaving := leavingOf(l.lang, files)
	if leaving.throws && anyHas(files, throwWord) {
		flags.compile = append(flags.compile, "-gline-tables-only")
	}
	warnings := flags.warnings(src)
	var objects [][]byte
	for _, name := range append([]string{main}, flags.sources...) {
		o, err := l.object(ctx, t, l.lang, leaving, files, name, flags.compile)
		if err != nil {
			return nil, nil, at(src, err)
		}
		failed, passed := split(diagnose(src, o.stderr))
		if len(failed) > 0 || o.exit != 0 {
			return nil, nil, buildError(src, failed, o.stderr)
		}
		warnings = append(warnings, passed...)
		objects = append(objects, o.output)
	}
	p.flags = append(p.flags, flags.link...)
	o, err := l.linkUnwinding(ctx, t, l.lang, leaving, files, objects, p)
	if err != nil {
		return nil, nil, at(src, err)
	}
	if o.exit != 0 {
		return nil, nil, buildError(src, diagnoseLink(src, o.stderr), o.stderr)
	}
	return o.output, warnings, nil
}

// dockHeader is the header through which programs ask the host. The compiler
// finds it beside the block.
const dockHeader = "wb.h"

var dockInclude = lazyregexp.New(`(?m)^([ \t]*#[ \t]*include[ \t]*)<wb\.h>`)

// filesWords occur in every program that opens files by name.
var filesWords = lazyregexp.New(`\b(fopen|freopen|open|openat|creat|stat|lstat|access|opendir|scandir|glob|remove|unlink|rename|mkdir|rmdir|chdir|getcwd|truncate|ifstream|ofstream|fstream|filesystem)\b`)

// printsWords occur in every program that prints lines.
var printsWords = lazyregexp.New(`\b(printf|vprintf|puts|fputs|putc|putchar|fputc|fwrite|wprintf|cout|print|println)\b`)

// startUp is code that runs before main. Programs that use files begin in the
// directory that PWD names, since WASI itself knows none. Those that print do so line
// by line, so that they can be followed while they run.
func startUp(src *compile.Source, lang language) string {
	uses := func(words *lazyregexp.Regexp) bool {
		return words.MatchString(src.Body) ||
			slices.ContainsFunc(slices.Collect(maps.Values(src.Files)), func(data []byte) bool { return words.Match(data) })
	}
	declare, begin := "", ""
	if uses(filesWords) {
		declare += "int chdir(const char *);\nchar *getenv(const char *);\n"
		begin += "const char *dir = getenv(\"PWD\"); if (dir) chdir(dir); "
	}
	if uses(printsWords) {
		declare += "struct _IO_FILE;\nextern struct _IO_FILE *const stdout;\nint setvbuf(struct _IO_FILE *__restrict, char *__restrict, int, __SIZE_TYPE__);\n"
		begin += "setvbuf(stdout, 0, 1 /* _IOLBF */, 1024); "
	}
	if begin == "" {
		return ""
	}
	before, after := "", ""
	if lang.ext == langCPP.ext {
		before, after = "extern \"C\" {\n", "}\n"
	}
	return before + declare + "__attribute__((constructor(101))) static void wb_start(void) { " + begin + "}\n" + after
}

// at places an error that is not about a line. A compiler that trapped is the
// block's fault as a broken limit is.
func at(src *compile.Source, err error) error {
	if _, ok := errors.AsType[*sandbox.TrapError](err); ok {
		return diag.Errorf(src.At(1, 1), "the compiler gave up on this block: it ran out of memory or has a bug")
	}
	return src.Misbuilt(err)
}

// buildError never loses what the compiler said: when no message could be
// read, all of its output is one.
func buildError(src *compile.Source, list []diag.Finding, stderr string) error {
	if len(list) == 0 {
		return diag.Errorf(src.At(1, 1), "compiler failed: %s", strings.TrimSpace(stderr))
	}
	return &diag.FindingsError{Findings: list}
}

// commandLine reads :cmdline. Emacs gives it to a shell; there is none here.
func commandLine(src *compile.Source) ([]string, error) {
	text, ok := src.Arg("cmdline")
	if !ok {
		return nil, nil
	}
	words := compile.Words(compile.Unquoted(text))
	for _, word := range words {
		if strings.ContainsAny(word, "<>|;&") && !strings.ContainsAny(text, `"'\`) {
			return nil, diag.Errorf(src.At(1, 1), ":cmdline %s: there is no shell to understand %q", text, word).WithHint("give input with :stdin, or quote the word")
		}
	}
	return words, nil
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	module, err := l.env.Engine.Compile(ctx, l.info.Name, art.Wasm, sandbox.FromCompiler(), sandbox.MayBeBrief())
	if err != nil {
		return nil, err
	}
	switch art.Shape {
	case compile.ShapeComponent:
		return l.runComponent(ctx, module, art, job)
	case compile.ShapeKernel:
		return l.runKernel(ctx, art, job)
	}
	return l.runProgram(ctx, module, art, job)
}

// runProgram starts main and reads what it prints.
func (l *lane) runProgram(ctx context.Context, module *sandbox.Module, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var stdout, stderr bytes.Buffer
	args := append([]string{"block"}, art.Words(metaCmdline)...)
	words := &lastWords{to: compile.Tee(&stderr, job.Stderr)}
	exit, err := l.env.Engine.Run(ctx, job.Command(module, append(args, job.Args...), compile.Tee(&stdout, job.Stdout), words))
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Exit: exit.Code, Usage: exit.Usage}
	if art.Shape == compile.ShapeBabel {
		out.Value = art.Results().Read(compile.Dedent(stdout.String()))
	} else {
		out.Value = value.OfString(stdout.String())
	}
	if c := crash(job.Source, stderr.String(), words.said, err); c != nil {
		fmt.Fprintln(compile.Tee(&stderr, job.Stderr), c)
		out.Stderr, out.Exit, err = stderr.Bytes(), c.Exit, nil
	}
	return out, err
}
