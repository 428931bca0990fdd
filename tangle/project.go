package tangle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/textdiff"
	"wb/org/orgfile"
)

// Project tangles and detangles files on disk.
type Project struct {
	// Options are the same for every document; File and Name are filled in.
	Options Options
	Write   WriteOptions
	Records Records
}

// Report describes what tangling a file did, or would do.
type Report struct {
	Output  *Output
	Changes []Change
	// Kept are copies of files that were overwritten although somebody had
	// edited them.
	Kept []Backup
}

// Backup is a copy of an edited file.
type Backup struct{ File, Copy string }

// Differs reports whether any file is not as planned.
func (r *Report) Differs() bool {
	for _, c := range r.Changes {
		if c.Action != Unchanged {
			return true
		}
	}
	return false
}

// Diff shows what differs, as unified diffs.
func (r *Report) Diff() string {
	var out strings.Builder
	for _, c := range r.Changes {
		from := c.Rel
		switch c.Action {
		case Created:
			from = "/dev/null"
		case Chmod:
			fmt.Fprintf(&out, "mode of %s becomes %s\n", c.Rel, c.File.Mode)
			continue
		}
		out.WriteString(textdiff.Unified(from, c.Rel, string(c.Old), string(c.File.Content)))
	}
	return out.String()
}

// Compare plans a document and says what Tangle would do; it writes nothing.
func (p *Project) Compare(ctx context.Context, file string) (*Report, error) {
	out, err := p.plan(ctx, file)
	if err != nil {
		return nil, err
	}
	changes, err := out.Compare(p.Write)
	if changes == nil {
		return nil, err
	}
	return &Report{Output: out, Changes: changes}, err
}

// Tangle writes the files of a document.
func (p *Project) Tangle(ctx context.Context, file string) (*Report, error) {
	return p.tangleExcept(ctx, file, nil)
}

func (p *Project) plan(ctx context.Context, file string) (*Output, error) {
	f, err := orgfile.Read(file)
	if err != nil {
		return nil, err
	}
	opts, err := p.optionsFor(file)
	if err != nil {
		return nil, err
	}
	return Plan(ctx, f.Doc, opts)
}

func (p *Project) optionsFor(file string) (Options, error) {
	path, err := filepath.Abs(file)
	opts := p.Options
	opts.File, opts.Name = filepath.ToSlash(path), file
	if opts.ReadFile == nil {
		opts.ReadFile = p.readerFor(filepath.Dir(path))
	}
	return opts, err
}

// readerFor reads the other documents that one refers to, from its own
// directory unless it may leave that.
func (p *Project) readerFor(dir string) func(string) ([]byte, error) {
	if p.Write.AllowOutside {
		return func(name string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(name)) }
	}
	return func(name string) ([]byte, error) {
		rel := relative(dir, name)
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			return nil, &ForbiddenError{rel, ErrOutside}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return root.ReadFile(filepath.FromSlash(rel))
	}
}

// Recovery describes what detangling one document did, or would do.
type Recovery struct {
	Doc    string   // path of the document
	Files  []string // tangled files that were compared
	Before []byte
	*Detangled

	path string // absolute path of the document
}

// Diff shows what changed in the document.
func (r *Recovery) Diff() string {
	return textdiff.Unified(r.Doc, r.Doc, string(r.Before), string(r.Text))
}

// ErrSource is wrapped by the error for a file without a known
// document.
var ErrSource error = unknownSource{}

type unknownSource struct{}

func (unknownSource) Error() string { return "cannot tell from which document this file was tangled" }
func (unknownSource) Hint() string  { return "name the document instead: wb detangle DOC.org" }
func (unknownSource) ExitCode() int { return diag.ExitNotFound }

// Detangle brings edits of the given files back into their documents. A name
// that ends in .org stands for all files of that document. With write false
// nothing is changed. The documents come in the order they are first met.
func (p *Project) Detangle(ctx context.Context, files []string, write bool) ([]*Recovery, error) {
	var order []string
	byDoc := map[string][]string{}
	add := func(doc, target string) {
		if _, known := byDoc[doc]; !known {
			order = append(order, doc)
		}
		byDoc[doc] = append(byDoc[doc], target)
	}
	for _, name := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		path = filepath.ToSlash(path)
		if strings.HasSuffix(name, ".org") {
			if _, isTarget := p.Records.Recall(path); !isTarget {
				add(path, "")
				continue
			}
		}
		doc, err := p.documentOf(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		add(doc, path)
	}
	var all []*Recovery
	for _, doc := range order {
		recovery, err := p.detangle(ctx, doc, byDoc[doc], write)
		if err != nil {
			return all, err
		}
		all = append(all, recovery)
	}
	return all, nil
}

// linkComment is the comment that `:comments link` writes above a block.
var linkComment = lazyregexp.New(`\[\[file:((?:[^\]\[\\:]|\\.|:[^:])+)::`)

// documentOf finds the document of a tangled file: from its record, else from
// the link in its comments.
func (p *Project) documentOf(target string) (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(target))
	if err != nil {
		return "", err
	}
	if record, ok := p.Records.Recall(target); ok {
		return record.Source, nil
	}
	if m := linkComment.FindSubmatch(text); m != nil {
		name := filepath.FromSlash(string(m[1]))
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(filepath.FromSlash(target)), name)
		}
		if _, err := os.Stat(name); err == nil {
			return filepath.ToSlash(name), nil
		}
	}
	return "", ErrSource
}

// detangle compares targets with what a document tangles to; "" among them
// stands for all.
func (p *Project) detangle(ctx context.Context, doc string, targets []string, write bool) (*Recovery, error) {
	name := doc
	if wd, err := os.Getwd(); err == nil {
		if rel := relative(wd, doc); !strings.HasPrefix(rel, "../") {
			name = rel
		}
	}
	file, err := orgfile.Read(filepath.FromSlash(doc))
	if err != nil {
		return nil, err
	}
	opts, err := p.optionsFor(filepath.FromSlash(doc))
	if err != nil {
		return nil, err
	}
	opts.Name = name
	out, err := Plan(ctx, file.Doc, opts)
	if err != nil {
		return nil, err
	}
	recovery := &Recovery{Doc: name, Before: file.Doc.Bytes(), path: filepath.FromSlash(doc)}
	edited, err := p.edited(out, doc, targets)
	if err != nil {
		return nil, err
	}
	for _, e := range edited {
		recovery.Files = append(recovery.Files, e.Path)
	}
	if recovery.Detangled, err = Detangle(ctx, file.Doc, opts, edited); err != nil {
		return nil, err
	}
	if !write {
		return recovery, nil
	}
	if !bytes.Equal(recovery.Text, recovery.Before) {
		if _, err := file.Write(recovery.Text); err != nil {
			return nil, err
		}
	}
	return recovery, p.settle(recovery, doc, edited)
}

// edited reads the tangled files that are to be compared.
func (p *Project) edited(out *Output, doc string, targets []string) ([]Edited, error) {
	wanted := map[string]bool{}
	all := false
	for _, target := range targets {
		wanted[target] = true
		all = all || target == ""
	}
	if all {
		for _, file := range out.Files {
			if _, err := os.Lstat(filepath.FromSlash(file.Path)); err == nil {
				wanted[file.Path] = true
			}
		}
	}
	docInfo, err := os.Stat(filepath.FromSlash(doc))
	if err != nil {
		return nil, err
	}
	var edited []Edited
	seen := map[string]bool{}
	take := func(path string) error {
		if path == "" || seen[path] || !wanted[path] {
			return nil
		}
		seen[path] = true
		name := filepath.FromSlash(path)
		info, err := os.Lstat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return &fs.PathError{Op: "detangle", Path: path, Err: errors.New("not a regular file")}
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		e := Edited{Path: path, Text: text, DocNewer: docInfo.ModTime().After(info.ModTime())}
		if record, ok := p.Records.Recall(path); ok && record.Source == doc {
			e.Base, e.HasBase = record.Content, true
		}
		edited = append(edited, e)
		return nil
	}
	for _, file := range out.Files {
		if err := take(file.Path); err != nil {
			return nil, err
		}
	}
	for _, target := range targets { // files that the document no longer makes
		if err := take(target); err != nil {
			return nil, err
		}
	}
	return edited, nil
}

// settle remembers the files whose edits are all in the document now.
func (p *Project) settle(r *Recovery, doc string, edited []Edited) error {
	open := map[string]bool{}
	for _, c := range r.Conflicts {
		open[c.File] = true
	}
	for _, e := range edited {
		if open[e.Path] {
			continue
		}
		if err := p.Records.Remember(doc, e.Path, e.Text); err != nil {
			return err
		}
	}
	return nil
}
