package shell

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wb/compile/clang"
	"wb/compile/toolbox"
	"wb/compile/toolchain"
	"wb/compile/upstream"
	"wb/sandbox"
)

// original is a program that comes from its authors' own sources. Each package
// is a toolchain of its own, installed when a script first runs one of its
// commands.
type original struct{ toolchain, file string }

// name is the file's without its ending; a toolchain may have several.
func (o original) name() string { return strings.TrimSuffix(o.file, ".wasm") }

// originals are all such programs by command, but for those that the toolbox has as
// well; docs/rationale.org says why it has them.
var originals = sync.OnceValue(func() map[string]original {
	list := map[string]original{}
	ours := toolbox.Names()
	for _, p := range upstream.Packages() {
		for _, program := range p.Programs {
			for _, command := range program.Commands {
				if !slices.Contains(ours, command) {
					list[command] = original{p.Name, program.File}
				}
			}
		}
	}
	return list
})

// upstreamRecipes build the packages with the C lane.
func upstreamRecipes(engine *sandbox.Engine, c *clang.Compiler) []toolchain.Recipe {
	var list []toolchain.Recipe
	for _, p := range upstream.Packages() {
		list = append(list, toolchain.Recipe{
			Name: p.Name, Version: p.Version, Summary: p.Summary, Needs: []string{"clang"},
			Origin: toolchain.Source{Archive: p.Archive, Files: p.Files, Of: p.Identity() + " " + c.Fingerprint(),
				Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
					if err := p.Prepare(files); err != nil {
						return err
					}
					for _, program := range p.Programs {
						wasm, err := c.BuildTool(ctx, job, files, p.Options(program))
						if err != nil {
							return err
						}
						if err := job.Write(program.File, wasm); err != nil {
							return err
						}
					}
					return nil
				}},
			Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
				for _, program := range p.Programs {
					if err := try(ctx, engine, t, program); err != nil {
						return err
					}
				}
				return nil
			},
		})
	}
	return list
}

// try runs a program on its proof.
func try(ctx context.Context, engine *sandbox.Engine, t toolchain.Toolchain, program upstream.Binary) error {
	module, err := load(ctx, engine, t, program.File)
	if err != nil {
		return err
	}
	var out, messages bytes.Buffer
	k := &kernel{limits: sandbox.DefaultLimits}
	tree, err := k.mount(nil)
	if err != nil {
		return err
	}
	k.tree = tree
	p := &process{k: k}
	exit, err := engine.Run(ctx, sandbox.Command{Module: module, Args: program.Try, Files: tree, Stdin: strings.NewReader(program.Input),
		Stdout: &out, Stderr: &messages, Host: []sandbox.HostModule{p.hostModule()}})
	if err == nil && (exit.Code != 0 || !strings.HasPrefix(out.String(), program.Says)) {
		err = fmt.Errorf("%s exited with %d and printed %q, want 0 and %q: %s", strings.Join(program.Try, " "), exit.Code, out.String(), program.Says,
			messages.String())
	}
	return err
}

// original installs and loads the program of a command, which only scripts that
// use it have to wait for. There is none for the toolbox's own commands.
func (l *loader) original(ctx context.Context, command string) (*sandbox.Module, error) {
	o, ok := originals()[command]
	if !ok {
		return nil, nil
	}
	l.originalsMu.Lock()
	defer l.originalsMu.Unlock()
	if m := l.originalsReady[o]; m != nil {
		return m, nil
	}
	m, err := l.module(ctx, o.toolchain, o.file)
	if err != nil {
		return nil, err
	}
	if l.originalsReady == nil {
		l.originalsReady = map[original]*sandbox.Module{}
	}
	l.originalsReady[o] = m
	return m, nil
}

var commandWord = regexp.MustCompile(`[\w.\[+-]+`)

// carriers are words before a command.
var carriers = strings.Fields("then do else elif if while until exec command env time xargs nice nohup -exec -execdir -ok sudo !")

// searched is how much of the end of a script is searched for commands, in bytes: a
// block's own come last, after the variables it is given, which may be tables.
const searched = 64 << 10

// wanted are the originals that argv seems to run: those it names itself, and
// those that stand in its words where a shell expects a command. It may miss
// some; those are loaded when they are run.
func wanted(argv []string) map[original]string {
	all := originals()
	found := map[original]string{}
	if len(argv) == 0 || argv[0] == checkProgram {
		return found
	}
	if o, ok := all[argv[0]]; ok {
		found[o] = argv[0]
	}
	for _, text := range argv[1:] {
		text = text[max(0, len(text)-searched):]
		for _, at := range commandWord.FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			if o, ok := all[word]; ok && runs(text[:at[0]], text[at[1]:]) {
				found[o] = word
			}
		}
	}
	return found
}

// runs reports whether a word between before and after stands where a command
// does.
func runs(before, after string) bool {
	if after != "" && !strings.ContainsRune(" \t\n;|&)<>`", rune(after[0])) {
		return false
	}
	trimmed := strings.TrimRight(before, " \t")
	if trimmed == "" || strings.ContainsRune(";|&({!`\n", rune(trimmed[len(trimmed)-1])) {
		return true
	}
	if trimmed == before { // part of a longer word
		return strings.HasSuffix(before, "/bin/")
	}
	words := strings.Fields(trimmed)
	last := words[len(words)-1]
	return slices.Contains(carriers, last) || strings.Contains(last, "=") || slices.ContainsFunc(words[max(0, len(words)-4):], func(w string) bool {
		return w == "xargs" || w == "timeout"
	})
}

// originalToolchains are the toolchains of all originals, sorted.
func originalToolchains() []string {
	names := map[string]bool{}
	for _, o := range originals() {
		names[o.toolchain] = true
	}
	return slices.Sorted(maps.Keys(names))
}
