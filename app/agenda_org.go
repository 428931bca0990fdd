package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/org/oql"
	"wb/org/preset"
	"wb/sandbox"
	"wb/tangle/elisp"
)

// OrgAgenda is what a command of the user's own agenda shows, as Org writes it.
type OrgAgenda struct {
	Command string `json:"command"`
	Text    string `json:"text"`
}

// byOrg lets Org itself carry out a command of org-agenda-custom-commands, in the
// sandboxed Emacs of the Emacs Lisp lane. The init file is evaluated there: of the
// host it sees org files and Lisp, to read, and nothing else.
func (in *AgendaIn) byOrg(ctx context.Context, h *Home, now time.Time, presets *preset.Finder) (*AgendaOut, error) {
	switch {
	case in.What != "":
		return nil, diag.Usagef("write --command "+in.Command+" and files alone", "a command says itself what it shows, and %q does too", in.What)
	case in.From != "":
		return nil, diag.Usagef("--now looks from another day", "--from does not go with --command")
	}
	w := &orgWorld{home: h, trees: map[string]sandbox.FS{}}
	defer w.close()
	form, err := in.world(w, presets)
	if err != nil {
		return nil, err
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return nil, err
	}
	lisp := lanes.Lisp()
	if lisp == nil {
		return nil, diag.Failedf("", "this wb has no lane of Emacs Lisp")
	}
	files, err := w.files()
	if err != nil {
		return nil, err
	}
	emacs, err := lisp.Evaluation(ctx, &compile.Document{Files: files, Now: now})
	if err != nil {
		return nil, err
	}
	defer emacs.Close()
	begun, err := emacs.Evaluate(ctx, form, 0)
	if err != nil {
		return nil, err
	}
	lacking, err := in.look(h, begun)
	if err != nil {
		return nil, err
	}
	shown, err := emacs.Evaluate(ctx, fmt.Sprintf("(wb--agenda %s)", elisp.Print(elisp.String(in.Command))), 0)
	if err != nil {
		return nil, diag.Advise(fmt.Errorf("the agenda command %s: %w", in.Command, err), lacking)
	}
	return &AgendaOut{in: in, org: &OrgAgenda{in.Command, elisp.Princ(shown)}}, nil
}

// look checks that the command exists. What the init file lacks in the sandbox is
// noted, and returned as advice for the case that the command fails.
func (in *AgendaIn) look(h *Home, begun elisp.Value) (advice string, err error) {
	lacks, _ := elisp.Items(elisp.Car(begun))
	if len(lacks) > 0 {
		advice = fmt.Sprintf("left out of the init file: %s, the first: %s", Count(len(lacks), "form"), elisp.Princ(lacks[0]))
	}
	if h.Verbose {
		for _, form := range lacks {
			h.notef("left out: %s", elisp.Princ(form))
		}
	}
	commands, _ := elisp.Items(elisp.Car(elisp.Cdr(begun)))
	known := make([]string, len(commands))
	for i, c := range commands {
		if known[i] = elisp.Princ(elisp.Car(c)); known[i] == in.Command {
			return advice, nil
		}
		if name := elisp.Princ(elisp.Car(elisp.Cdr(c))); name != "" {
			known[i] += " (" + name + ")"
		}
	}
	hint := "there are " + strings.Join(known, ", ")
	if advice != "" {
		hint += "; " + advice
	}
	return "", diag.NotFoundf(hint, "no agenda command has the key %s", in.Command)
}

// world is the form that makes Emacs's world: what is set, and where files are.
func (in *AgendaIn) world(w *orgWorld, presets *preset.Finder) (string, error) {
	var form strings.Builder
	form.WriteString("(wb--agenda-world")
	add := func(name string, v elisp.Value) { fmt.Fprintf(&form, " :%s '%s", name, elisp.Print(v)) }
	paths, init := in.Paths, in.Init
	if init == "" {
		init = presets.Init
		if len(paths) == 0 && w.home.Root == nil {
			paths = presets.User().AgendaFiles()
		}
		add("todo", texts(presets.User().Todo))
	}
	if err := w.roots(add, init); err != nil {
		return "", err
	}
	if init != "" {
		_, at, src, err := w.home.Read(init)
		if err != nil {
			return "", err
		}
		inside, err := w.show(at)
		if err != nil {
			return "", err
		}
		head, _, _ := strings.Cut(string(src), "\n")
		add("init", elisp.String(preset.InitLisp(at, src)))
		add("init-file", elisp.String(inside))
		if filepath.Ext(at) == ".org" || strings.Contains(head, "lexical-binding: t") {
			add("lexical", elisp.T)
		}
	}
	place := "files"
	if len(paths) == 0 {
		place = "fallback"
	}
	paths, err := w.home.orgPaths(paths)
	if err != nil {
		return "", err
	}
	names, err := oql.Files(orHere(paths))
	if err != nil {
		return "", Plainly(err)
	}
	inside := make([]string, len(names))
	for i, name := range names {
		if inside[i], err = w.show(name); err != nil {
			return "", err
		}
	}
	add(place, texts(inside))
	here := w.home.Dir
	if len(in.Paths) > 0 {
		here = paths[0]
	}
	if locals := presets.DirLocals(here); locals != "" {
		add("locals", elisp.String(locals))
	}
	return form.String() + ")", nil
}

func texts(list []string) elisp.Value {
	items := make([]elisp.Value, len(list))
	for i, s := range list {
		items[i] = elisp.String(s)
	}
	return elisp.List(items...)
}

// orgWorld is what Emacs sees of the host: directories, under the paths that they
// have there; those of a bounded home under paths that begin with it.
type orgWorld struct {
	home  *Home
	trees map[string]sandbox.FS // by directory
	open  []*sandbox.HostFS
}

// roots shows the directories that everything lies in. Only an init file may name
// files anywhere in the user's home.
func (w *orgWorld) roots(add func(string, elisp.Value), init string) error {
	home, dir := "/", "/"
	if w.home.Root == nil {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		dir = inEmacs(here)
		if at, err := os.UserHomeDir(); err == nil {
			home = inEmacs(at)
			if init != "" {
				if err := w.mount(at); err != nil {
					return err
				}
			}
		}
	}
	add("home", elisp.String(home))
	add("dir", elisp.String(dir))
	return nil
}

// show lets Emacs see the directory of a file, and returns the file's path there.
func (w *orgWorld) show(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if w.home.Root == nil {
		return inEmacs(abs), w.mount(filepath.Dir(abs))
	}
	inside, err := filepath.Rel(w.home.Dir, abs)
	if err != nil {
		return "", err
	}
	return "/" + filepath.ToSlash(inside), w.mount(w.home.Dir)
}

// inEmacs is the path that a file of the host has in Emacs.
func inEmacs(abs string) string {
	return "/" + strings.TrimPrefix(filepath.ToSlash(filepath.Clean(abs)), "/")
}

func (w *orgWorld) mount(dir string) error {
	at := strings.TrimPrefix(inEmacs(dir), "/")
	if w.home.Root != nil {
		at = ""
	}
	if _, known := w.trees[at]; known {
		return nil
	}
	tree, err := sandbox.HostDir(dir)
	if err != nil {
		return err
	}
	w.open = append(w.open, tree)
	w.trees[at] = &orgShelf{tree, w.home.Hidden}
	return nil
}

// files are all that is shown.
func (w *orgWorld) files() (sandbox.FS, error) {
	var root sandbox.FS = sandbox.NewMemFS()
	if tree, ok := w.trees[""]; ok {
		root = tree
		delete(w.trees, "")
	}
	return sandbox.Mounts(root, w.trees)
}

func (w *orgWorld) close() {
	for _, tree := range w.open {
		tree.Close()
	}
}
