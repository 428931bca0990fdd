package tangle

import (
	"fmt"
	"path/filepath"
)

// OutputJSON is an [Output] for tools.
type OutputJSON struct {
	Source   string     `json:"source"`
	Blocks   int        `json:"blocks"`
	Files    []FileJSON `json:"files"`
	Warnings []Warning  `json:"warnings"`
}

// FileJSON is a planned file for tools; its path is relative to the document.
type FileJSON struct {
	Path   string    `json:"path"`
	Bytes  int       `json:"bytes"`
	Mode   string    `json:"mode,omitempty"` // octal; absent when the system decides
	Mkdir  bool      `json:"mkdirp,omitempty"`
	Action Action    `json:"action,omitempty"`
	Blocks []Section `json:"blocks"`
}

// JSON describes the output for tools.
func (o *Output) JSON() OutputJSON {
	out := OutputJSON{Source: o.Source, Blocks: o.Blocks, Files: []FileJSON{}, Warnings: o.Warnings}
	if out.Warnings == nil {
		out.Warnings = []Warning{}
	}
	root := filepath.Dir(filepath.FromSlash(o.Source))
	for _, f := range o.Files {
		file := FileJSON{Path: relative(root, f.Path), Bytes: len(f.Content), Mkdir: f.Mkdir, Blocks: f.Sections}
		if f.Mode != 0 {
			file.Mode = fmt.Sprintf("%o", f.Mode.Perm())
		}
		out.Files = append(out.Files, file)
	}
	return out
}

// JSON describes the report for tools.
func (r *Report) JSON() OutputJSON {
	out := r.Output.JSON()
	for i, c := range r.Changes {
		out.Files[i].Action = c.Action
	}
	return out
}

// RecoveryJSON is a [Recovery] for tools.
type RecoveryJSON struct {
	Document  string     `json:"document"`
	Files     []string   `json:"files"`
	Applied   []Returned `json:"applied"`
	Conflicts []Conflict `json:"conflicts"`
}

// JSON describes the recovery for tools.
func (r *Recovery) JSON() RecoveryJSON {
	out := RecoveryJSON{Document: r.Doc, Files: []string{}, Applied: []Returned{}, Conflicts: []Conflict{}}
	for _, file := range r.Files {
		out.Files = append(out.Files, r.Rel(file))
	}
	for _, back := range r.Applied {
		back.File = r.Rel(back.File)
		out.Applied = append(out.Applied, back)
	}
	for _, c := range r.Conflicts {
		c.File = r.Rel(c.File)
		out.Conflicts = append(out.Conflicts, c)
	}
	return out
}

// Rel shortens the path of a tangled file to one relative to the document.
func (r *Recovery) Rel(file string) string { return relative(filepath.Dir(r.path), file) }
