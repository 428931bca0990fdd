package python

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// importLine finds what a statement of a program imports.
var importLine = lazyregexp.New(`(?m)(?:^|;)[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))`)

// imports are the modules at the top of their packages that a text imports.
func imports(text string) (modules []string) {
	for _, m := range importLine.FindAllStringSubmatch(text, -1) {
		for item := range strings.SplitSeq(m[1]+m[2], ",") {
			if words := strings.Fields(item); len(words) > 0 {
				module, _, _ := strings.Cut(words[0], ".")
				modules = append(modules, module)
			}
		}
	}
	return modules
}

// packsOf are the names of the packs that a block or a module it brings imports.
// What the block brings itself is none.
func packsOf(src *compile.Source, p *program) []string {
	modules := imports(p.Preamble + "\n" + p.Text)
	for name, data := range p.Sources {
		if path.Ext(name) == ".py" {
			modules = append(modules, imports(string(data))...)
		}
	}
	if p.Graphics != "" || slices.Contains(modules, "PIL") || slices.Contains(modules, "pylab") || slices.Contains(modules, "mpl_toolkits") {
		modules = append(modules, matplotlibName)
	}
	var names []string
	for _, pack := range packs {
		if slices.Contains(modules, pack.name) && !vendored(p.Sources, pack.name) && !pinned(src, pack.name) {
			names = append(names, pack.name)
		}
	}
	return names
}

// present are those packs among names that a block can have. What comes only to
// who asks for it, and is not here, is a module that is not found.
func (l *lane) present(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := l.env.Tools.Installed(name)
		return !ok && !l.env.Tools.Comes(name)
	})
}

// archives are the modules of packs and of what those need, installed if they are
// not yet.
func (l *lane) archives(ctx context.Context, names ...string) ([]sandbox.FS, error) {
	var trees []sandbox.FS
	for _, name := range names {
		pack := packOf(name)
		if pack == nil {
			continue
		}
		below, err := l.archives(ctx, pack.needs...)
		if err != nil {
			return nil, err
		}
		t, err := l.env.Tools.Ensure(ctx, name, l.env.Progress)
		if err != nil {
			return nil, err
		}
		trees = append(append(trees, below...), l.packArchive(t))
	}
	return trees, nil
}

// packArchive is the archive of a pack's toolchain, one for all machines.
func (l *lane) packArchive(t toolchain.Toolchain) *vm.Archive {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shelves == nil {
		l.shelves = map[string]*vm.Archive{}
	}
	if l.shelves[t.Digest] == nil {
		l.shelves[t.Digest] = newPack(t)
	}
	return l.shelves[t.Digest]
}

// visible are the packs that a program sees: those that it imports, and in a
// session all that are installed, since its other blocks may import them.
func (l *lane) visible(ctx context.Context, p *program) ([]sandbox.FS, error) {
	names := l.present(p.Packs)
	if p.Session {
		for _, pack := range packs {
			if _, ok := l.env.Tools.Installed(pack.name); ok && !slices.Contains(names, pack.name) {
				names = append(names, pack.name)
			}
		}
	}
	return l.archives(ctx, names...)
}

// importing is an interpreter that has imported packs before it was frozen, so
// that importing them costs a block nothing. The archives have their modules.
func (l *lane) importing(names []string, archives []sandbox.FS) *vm.Interpreter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready == nil {
		l.ready = map[string]*vm.Interpreter{}
	}
	key := strings.Join(names, " ")
	if l.ready[key] == nil {
		l.ready[key] = l.newImporting(names, archives)
	}
	return l.ready[key]
}

// programOf is the last pack among some that has a Python of its own, which has the
// modules of those before it: nil for none.
func programOf(names []string) *pack {
	for _, name := range slices.Backward(names) {
		if p := packOf(name); p != nil && p.program != "" {
			return p
		}
	}
	return nil
}

func (l *lane) newImporting(names []string, archives []sandbox.FS) *vm.Interpreter {
	key := version + " " + guestKey()
	text := "import gc\n"
	for _, name := range names {
		key += " " + name + " " + l.env.Tools.Fingerprint(name)
		for _, module := range packOf(name).modules() {
			text += "import " + module + "\n"
		}
	}
	return l.newInterpreter(programOf(names), key, archives, func(ctx context.Context, in *sandbox.Instance) error {
		if err := boot(ctx, in); err != nil {
			return err
		}
		err := (&machine{in: in}).strings(ctx, "wb_module", "_wb_packs", "<wb:packs>", text+"gc.collect()\ngc.freeze()\n")
		if err != nil {
			return fmt.Errorf("import %s: %w", strings.Join(names, ", "), err)
		}
		return nil
	})
}
