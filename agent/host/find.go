package host

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wb/agent"
	"wb/org"
)

// Hidden reports whether a file is kept back from those who look around a directory:
// what begins with a dot (.git, .wb), and what the host keeps of runs and settings.
func Hidden(name string) bool {
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." || slices.Contains([]string{"_steps.jsonl", "_ledger.json", "wb.toml", "approvals.org"}, part) {
			return true
		}
	}
	return false
}

// Found is an agent of a document in a directory.
type Found struct {
	Name    string `json:"agent"` // FILE#ID
	Title   string `json:"title"`
	Tagline string `json:"tagline,omitempty"`
	System  string `json:"-"`
	// Output is the schema of its results, nil where the document says none.
	Output json.RawMessage `json:"-"`
}

// What is looked at when agents are looked for.
const (
	maxFiles     = 1000
	maxAgentFile = 1 << 20 // bytes
)

// FilesIn visits the files of a directory that are not kept back, at most a thousand.
func FilesIn(dir fs.FS, visit func(name string, info fs.FileInfo)) error {
	n := 0
	return fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not offered
		case Hidden(name) && d.IsDir():
			return fs.SkipDir
		case Hidden(name) || !d.Type().IsRegular():
			return nil
		case n == maxFiles:
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			n++
			visit(name, info)
		}
		return nil
	})
}

// AgentsIn are the agents that the documents of a directory define, by file.
func AgentsIn(dir fs.FS) ([]Found, error) {
	all := []Found{}
	err := DocumentsIn(dir, func(name string, _ fs.FileInfo) {
		if src, err := fs.ReadFile(dir, name); err == nil {
			all = append(all, AgentsOf(name, src)...)
		}
	})
	return all, err
}

// DocumentsIn visits the org files among those that are not kept back, but for very
// large ones.
func DocumentsIn(dir fs.FS, visit func(name string, info fs.FileInfo)) error {
	return FilesIn(dir, func(name string, info fs.FileInfo) {
		if path.Ext(name) == ".org" && info.Size() <= maxAgentFile {
			visit(name, info)
		}
	})
}

// AgentsOf are the agents that one document defines.
func AgentsOf(name string, src []byte) []Found {
	if !strings.Contains(string(src), ":agent:") {
		return nil
	}
	var all []Found
	defined, _ := agent.Definitions(org.Parse(src), name)
	for _, d := range defined {
		all = append(all, Found{Name: name + "#" + d.ID, Title: d.Title, Tagline: d.Tagline, System: d.System, Output: d.OutputSchema()})
	}
	return all
}
