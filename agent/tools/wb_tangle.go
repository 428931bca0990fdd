package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"wb/agent"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/tangle"
	"wb/workbook"
)

// verbTangle writes the source files of documents into the run's tree. All of them
// are planned and checked before the first is written.
func verbTangle(ctx context.Context, at *Place, args []string) (agent.Output, error) {
	given, names, err := words(args, "check", "dry-run", "plan")
	if err != nil {
		return agent.Output{}, err
	}
	if len(names) == 0 {
		return agent.Output{}, errors.New("no file")
	}
	var reports []*tangle.Report
	for _, name := range names {
		report, err := at.tangled(ctx, name)
		if err != nil {
			return agent.Output{}, err
		}
		reports = append(reports, report)
	}
	var b strings.Builder
	exit := 0
	for i, r := range reports {
		switch {
		case given["plan"]:
			text, err := json.Marshal(r.JSON())
			if err != nil {
				return agent.Output{}, err
			}
			fmt.Fprintf(&b, "%s\n", text)
			continue
		case given["dry-run"]:
			b.WriteString(r.Diff())
			continue
		case given["check"]:
			if r.Differs() {
				exit = 1
			}
		default:
			if err := at.write(r); err != nil {
				return agent.Output{}, err
			}
		}
		for _, w := range r.Output.Warnings {
			fmt.Fprintf(&b, "%s:%d:%d: warning: %s\n", names[i], w.Line, w.Col, w.Msg)
		}
		for _, c := range r.Changes {
			fmt.Fprintf(&b, "%-9s %s\n", c.Action, c.Rel)
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing to tangle")
	}
	return agent.Output{Text: strings.TrimSuffix(b.String(), "\n"), Exit: &exit}, nil
}

// tangled plans a document of the tree and compares the plan with the tree. A file
// that the run may not write is refused.
func (p *Place) tangled(ctx context.Context, name string) (*tangle.Report, error) {
	path, src, err := p.text(name)
	if err != nil {
		return nil, err
	}
	opts := tangle.Options{File: filepath.ToSlash(path), Name: name, Machine: tangle.Machine{OS: runtime.GOOS}, ReadFile: p.document}
	if p.Lanes != nil {
		opts.Run = p.block
	}
	out, err := tangle.Plan(ctx, org.Parse(src), opts)
	if err != nil {
		return nil, err
	}
	for i := range out.Files {
		rel, err := p.target(out.Files[i].Path)
		if err != nil {
			return nil, err
		}
		out.Files[i].Path = filepath.ToSlash(filepath.Join(p.Dir, rel))
	}
	changes, err := out.Compare(tangle.WriteOptions{AllowOutside: true}) // of the document's directory; target keeps it in the tree
	if err != nil {
		return nil, err
	}
	for i := range changes {
		rel, err := filepath.Rel(p.Dir, filepath.FromSlash(changes[i].File.Path))
		if err != nil {
			return nil, err
		}
		changes[i].Rel = filepath.ToSlash(rel)
	}
	return &tangle.Report{Output: out, Changes: changes}, nil
}

// target is the place in the tree of a file that a document wants written.
func (p *Place) target(file string) (string, error) {
	rel, err := filepath.Rel(p.Dir, filepath.FromSlash(file))
	if err != nil || !filepath.IsLocal(rel) { // an absolute name may mean the directory that the tree was copied from
		if rel, err = filepath.Rel(p.Tree.Dir(), filepath.FromSlash(file)); err != nil || !filepath.IsLocal(rel) {
			return "", errors.New("write blocked: path escapes your working dir")
		}
	}
	if err := p.Tree.Writable(filepath.ToSlash(rel)); err != nil {
		return "", err
	}
	return rel, nil
}

// write brings the tree to the plan. A tree knows no permissions: files keep those
// they have.
func (p *Place) write(r *tangle.Report) error {
	for _, c := range r.Changes {
		if c.Action != tangle.Created && c.Action != tangle.Changed {
			continue
		}
		if err := p.Tree.Write(c.Rel, c.File.Content); err != nil {
			return err
		}
	}
	return nil
}

// document reads another document of the tree, by its absolute path.
func (p *Place) document(name string) ([]byte, error) {
	rel, err := filepath.Rel(p.Dir, filepath.FromSlash(name))
	if err != nil || !filepath.IsLocal(rel) {
		return nil, errors.New("read blocked: path escapes your working dir")
	}
	_, src, err := p.text(filepath.ToSlash(rel))
	return src, err
}

// block runs a block that a document refers to, in the sandbox and with no
// capability.
func (p *Place) block(ctx context.Context, call tangle.Call) (value.Value, error) {
	return workbook.Resolve(ctx, workbook.Options{File: call.File, Source: call.Doc.Bytes(), Lanes: p.Lanes,
		Lint: func(*workbook.Plan) []diag.Finding { return nil }}, call.String())
}
