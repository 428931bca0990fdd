package run

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/tangle"
	"wb/tangle/elisp"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// settle turns what a program did into the component's value.
func (r executor) settle(ctx context.Context, p *program, t *task, k *kept) error {
	t.words = p.words
	t.args = p.args
	t.done.Stdout, t.done.Stderr, t.done.Exit, t.done.Usage = k.Stdout, k.Stderr, k.Exit, k.Usage
	t.done.Warnings = p.warnings
	recording(r.runner).keepRecorded(p, t, k)
	if k.Exit != 0 {
		t.fail(&ExitError{ID: p.owner.ID, Exit: k.Exit, Stderr: k.Stderr, Pos: p.owner.Pos})
		if p.src.Shape == compile.ShapeBabel {
			t.done.Value = k.Value // what it printed before it failed is shown, as in Emacs
		}
		return nil
	}
	if err := r.restoreFiles(k); err != nil {
		return err
	}
	v, err := p.shapeValue(k)
	if err != nil {
		return err
	}
	if p.src.Shape != compile.ShapeBabel {
		t.done.Value = v
		return checkOutputs(p.code, v)
	}
	t.done.Value, err = r.babelValue(ctx, p, t, v)
	return err
}

// shapeValue is the value an exec shape makes of an outcome.
func (p *program) shapeValue(k *kept) (value.Value, error) {
	switch p.src.Shape {
	case compile.ShapeBabel:
		if k.Value.IsNull() && p.words.Has("output") && k.Stdout != "" && !p.words.Has("discard") {
			return value.OfString(k.Stdout), nil
		}
		return k.Value, nil
	case compile.ShapeComponent:
		return unwrap(k.Value, p.src.Outs), nil
	}
	text := k.Stdout
	if p.src.Shape == compile.ShapeKernel {
		return k.Value, nil
	}
	if !p.words.Has("verbatim") && !p.words.Has("scalar") && !p.words.Has("raw") {
		return streamValue(text, p.src.Outs), nil
	}
	return value.OfString(strings.TrimRight(text, "\r\n")), nil
}

// checkOutputs makes sure that a component with several outputs gave each.
func checkOutputs(c *plan.Component, v value.Value) error {
	if len(c.Out) > 1 {
		for _, out := range c.Out {
			if _, ok := v.Get(plan.PortName(out)); !ok {
				return diag.Errorf(c.Pos, "%s gave no %q", c.ID, plan.PortName(out)).
					WithHint("return an object with " + plan.JoinNames(plan.PortNames(c.Out)))
			}
		}
	}
	sig := c.Sig
	if sig != nil && len(sig.Results) == 1 && sig.Results[0].Name == "" {
		if _, err := value.Fit("the result", sig.Results[0].Type, v); err != nil {
			return diag.Errorf(c.Pos, "%s: %v", c.ID, err)
		}
	}
	return nil
}

// plainLangs are languages whose org-babel support does not put column names
// back on results.
var plainLangs = []string{"js", "javascript", "node", "ts", "typescript", "sed", "sqlite", "sqlite3", "sql"}

// babelValue does what org-babel does between running a block and inserting
// its result: names go back on tables, a lone value becomes a table where one
// is asked for, the result goes to :file, and :post reworks it.
func (r executor) babelValue(ctx context.Context, p *program, t *task, v value.Value) (value.Value, error) {
	if !slices.Contains(plainLangs, strings.ToLower(p.src.Lang)) {
		v = reassemble(v, p.args, p.vars)
	}
	if !p.words.Has("output") && (p.words.Has("vector") || p.words.Has("table")) && v.Kind() != value.List && !v.IsNull() {
		v = value.OfList(value.OfList(v))
	}
	file, err := p.file()
	if err != nil {
		return v, err
	}
	if file != "" && p.words.Has("file") {
		if v, err = r.resultToFile(p, v, file); err != nil {
			return v, err
		}
	}
	post, ok := p.args.Get(":post")
	if !ok || post.Value == "" {
		return v, nil
	}
	if file != "" && p.words.Has("file") {
		linked := result.Result{Value: v, Words: result.Words{"file"}}
		describeResult(&linked, p.args)
		v = value.OfString(linked.Link())
		t.words = slices.DeleteFunc(slices.Clone(t.words), func(w string) bool { return w == "file" })
	}
	return binding(r.runner).eval(ctx, p.owner, post.Value, &v)
}

// collectFiles takes the file its author named out of what a program wrote.
// Other files it wrote stay behind, which a note says.
func (r executor) collectFiles(p *program, files *guestTree, k *kept) error {
	wanted, err := p.keeps()
	if err != nil {
		return err
	}
	return files.overlay.Upper().Walk(func(name string, info fs.FileInfo, data []byte) error {
		if info.IsDir() {
			return nil
		}
		if !slices.Contains(wanted, name) {
			if was, ok := files.before[name]; ok && bytes.Equal(was, data) {
				return nil
			}
			p.note(diag.Note, "file-discarded", ":results file :file "+name+" keeps it", "%s wrote %s, which stays in the sandbox", p.owner.ID, name)
			return nil
		}
		if k.blobs == nil {
			k.blobs = make(map[string][]byte)
		}
		k.blobs[name] = slices.Clone(data)
		k.Files = append(k.Files, keptFile{Name: name, SHA256: trace.Digest(data)})
		return nil
	})
}

// keeps are the files of the tree that stay when the program has written them:
// that of :results file, and those its language keeps, such as a database.
func (p *program) keeps() ([]string, error) {
	file, err := p.file()
	if err != nil {
		return nil, err
	}
	var names []string
	if file != "" && p.words.Has("file") {
		names = append(names, p.inDir(file))
	}
	for _, arg := range p.lane.Info().Keeps {
		if text, ok := p.src.Arg(arg); ok && text != "" {
			names = append(names, p.inDir(strings.Trim(strings.TrimSpace(text), `"`)))
		}
	}
	return names, nil
}

// restoreFiles puts the files of an outcome where other components, and in the
// end the author, find them.
func (r executor) restoreFiles(k *kept) error {
	for _, f := range k.Files {
		data, ok := k.blobs[f.Name]
		if !ok {
			var err error
			if data, err = r.opts.Cache.blob(f.SHA256); err != nil {
				return fmt.Errorf("%s is no longer kept: %w", f.Name, err)
			}
		}
		if err := r.make(f.Name, data); err != nil {
			return err
		}
	}
	return nil
}

// make adds a file to the run's tree, and to the workbook's directory if the run
// writes there.
func (r executor) make(name string, data []byte) error {
	if slices.Contains(hostNames, firstPart(name)) {
		return fmt.Errorf("write blocked: %s is reserved for the host", firstPart(name))
	}
	if name == r.files.file {
		return fmt.Errorf("write blocked: %s is the workbook itself", name)
	}
	if err := r.files.made.WriteFile(name, data); err != nil {
		return err
	}
	if r.dry || !r.opts.Write.files() {
		return nil
	}
	if err := r.files.put(name, data); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// resultToFile writes a result to the file its author named, unless the
// program writes it itself (:results link or graphics), and returns the file's
// path from the workbook.
func (r executor) resultToFile(p *program, v value.Value, file string) (value.Value, error) {
	if path.IsAbs(file) && !strings.HasPrefix(p.job.Dir, "/") {
		file = strings.TrimPrefix(path.Clean(file), "/")
	}
	name := p.inDir(file)
	written := !v.IsNull() && (p.lane.Info().Draws || !p.words.Has("link") && !p.words.Has("graphics"))
	if written {
		separator := "\t"
		if sep, ok, err := p.args.text(":sep"); ok && err == nil && sep != "" {
			separator = sep
		}
		if err := r.make(name, []byte(shellText(v, separator, ""))); err != nil {
			return v, diag.Errorf(p.owner.Pos, "%v", err)
		}
	}
	if mode, ok := p.args.Get(":file-mode"); ok && (written || r.files.has(name)) {
		if m, err := fileMode(mode.Value); err == nil && !r.dry && r.opts.Write.files() {
			if err := r.files.chmod(name, m); err != nil {
				return v, diag.Errorf(p.owner.Pos, ":file-mode %s: %v", mode.Value, err)
			}
		}
	}
	return value.OfString(name), nil
}

// fileMode reads :file-mode as :tangle-mode is read: (identity #o755), o755,
// rwxr-xr-x.
func fileMode(text string) (fs.FileMode, error) {
	v, err := elisp.ReadCell(text, &elisp.Env{})
	if err != nil {
		return 0, err
	}
	m, err := tangle.ParseMode(v)
	return fs.FileMode(m), err
}
