package tangle

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// Synced is the result of bringing a document and its files together.
type Synced struct {
	// Recovery holds the edits from the files; nil when none was edited.
	Recovery *Recovery
	// Report describes what was tangled after that. Files with conflicts are left as
	// they are and not in it.
	Report *Report
}

// Sync goes both ways: first edits of tangled files come back into the
// document, then what the document says is tangled. Only files of which a
// record is kept can be told to be edited; others are simply tangled.
func (p *Project) Sync(ctx context.Context, file string) (*Synced, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	doc := filepath.ToSlash(path)
	out, err := p.plan(ctx, file)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, f := range out.Files {
		if record, ok := p.Records.Recall(f.Path); ok && record.Source == doc {
			known = append(known, f.Path)
		}
	}
	synced := &Synced{}
	var open []string // files with conflicts
	if len(known) > 0 {
		recovery, err := p.detangle(ctx, doc, known, true)
		if err != nil {
			return nil, err
		}
		if len(recovery.Applied) > 0 || len(recovery.Conflicts) > 0 {
			synced.Recovery = recovery
		}
		for _, c := range recovery.Conflicts {
			open = append(open, c.File)
		}
	}
	synced.Report, err = p.tangleExcept(ctx, file, open)
	return synced, err
}

// Watched lists the files whose change calls for another Sync: the document and
// what it tangles to.
func (p *Project) Watched(ctx context.Context, file string) ([]string, error) {
	out, err := p.plan(ctx, file)
	if err != nil {
		return []string{file}, err
	}
	names := []string{file}
	for _, f := range out.Files {
		names = append(names, filepath.FromSlash(f.Path))
	}
	return names, nil
}

// tangleExcept tangles all files of a document but some.
func (p *Project) tangleExcept(ctx context.Context, file string, except []string) (*Report, error) {
	out, err := p.plan(ctx, file)
	if err != nil {
		return nil, err
	}
	out.Files = slices.DeleteFunc(out.Files, func(f File) bool { return slices.Contains(except, f.Path) })
	return p.write(out)
}

// write brings the disk to an output, keeping copies of what somebody edited.
func (p *Project) write(out *Output) (*Report, error) {
	changes, missing := out.Compare(p.Write)
	if changes == nil {
		return nil, missing
	}
	if err := makeDirs(changes); err != nil {
		return nil, err
	}
	report := &Report{Output: out, Changes: changes}
	for _, change := range changes {
		name, err := p.Records.Keep(change, out.Source)
		if err != nil {
			return nil, fmt.Errorf("keep the edited %s: %w", change.Rel, err)
		}
		if name != "" {
			report.Kept = append(report.Kept, Backup{change.Rel, name})
		}
	}
	for _, change := range changes {
		if err := change.apply(); err != nil {
			return nil, fmt.Errorf("%s: %w", change.Rel, err)
		}
		if err := p.Records.Remember(out.Source, change.File.Path, change.File.Content); err != nil {
			return nil, err
		}
	}
	return report, missing
}
