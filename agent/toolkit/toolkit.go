// Package toolkit reads capabilities that are written down in documents.
//
// A toolkit is a directory toolkits/ID:
//
//	manifest.org          what it is: a heading :toolkit:, and a heading :command:
//	                      with a source block for each program it brings
//	skills/NAME.org       how to use it, or skills/NAME/SKILL.org
//	evals/NAME.org        headings :eval: that show it works
//
// An agent that names a toolkit is told its tagline and the names of its skills.
// It reads a skill when it needs one (`wb toolkit show ID SKILL`) and runs
// commands (`wb toolkit run ID COMMAND`): programs of wb's lanes, built and run in
// the sandbox with what they declare and the user grants.
package toolkit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/nearest"
	"wb/org"
)

// Toolkit is one directory.
type Toolkit struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Tagline string `json:"tagline,omitempty"`
	Status  string `json:"status,omitempty"`
	Version string `json:"version,omitempty"`

	Skills   []string  `json:"skills"`   // sorted, overview first
	Commands []Command `json:"commands"` // in the manifest's order

	Dir      string `json:"-"`
	Manifest string `json:"-"` // the manifest's text
}

// Command is a program of a toolkit.
type Command struct {
	Name    string   `json:"name"`
	Tagline string   `json:"tagline,omitempty"`
	Lang    string   `json:"lang"`
	Caps    []string `json:"caps,omitempty"` // what it asks for

	source *compile.Source
}

// Root is a directory of toolkits.
type Root struct{ Dir string }

// Find is the root for a working directory: WB_TOOLKITS_ROOT, else toolkits in it
// or beside it. A root that does not exist has no toolkits.
func Find(dir string, getenv func(string) string) Root {
	if root := getenv("WB_TOOLKITS_ROOT"); root != "" {
		return Root{root}
	}
	for _, root := range []string{filepath.Join(dir, "toolkits"), filepath.Join(dir, "..", "toolkits")} {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return Root{root}
		}
	}
	return Root{filepath.Join(dir, "toolkits")}
}

var slug = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// List reads all toolkits. A manifest that is wrong is an error beside those that
// are right.
func (r Root) List() (list []*Toolkit, errs []error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []error{err}
	}
	for _, e := range entries {
		if !e.IsDir() || !slug.MatchString(e.Name()) {
			continue
		}
		t, err := read(filepath.Join(r.Dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, t)
	}
	return list, errs
}

// Open reads one toolkit.
func (r Root) Open(id string) (*Toolkit, error) {
	var ids []string
	list, errs := r.List()
	for _, t := range list {
		if t.ID == id {
			return t, nil
		}
		ids = append(ids, t.ID)
	}
	for _, err := range errs {
		if strings.Contains(err.Error(), filepath.Join(r.Dir, id)+string(filepath.Separator)) {
			return nil, err
		}
	}
	return nil, &diag.NotFoundError{What: "no such toolkit: " + id, Help: among(id, ids, "there are no toolkits in "+r.Dir)}
}

func among(word string, names []string, none string) string {
	if near := nearest.Word(word, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) == 0 {
		return none
	}
	return "there are " + strings.Join(names, ", ")
}

// read reads a toolkit's directory. Links do not lead out of it.
func read(dir string) (*Toolkit, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := root.ReadFile("manifest.org")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "manifest.org")
	doc := org.Parse(text)
	t := &Toolkit{ID: filepath.Base(dir), Dir: dir, Manifest: string(text), Skills: []string{}, Commands: []Command{}}
	found := false
	for h := range doc.Headlines() {
		switch {
		case h.HasTag("toolkit") && !found:
			found = true
			t.Title = strings.TrimSpace(h.Title.Text)
			t.Tagline, _ = h.Property("TAGLINE")
			t.Status, _ = h.Property("STATUS")
			if id, ok := h.Property("ID"); ok && id != t.ID {
				return nil, fmt.Errorf("%s: :ID: %s is not the directory's name %s", at(doc, file, h.Start()), id, t.ID)
			}
		case h.HasTag("command"):
			c, err := readCommand(doc, file, h)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(t.Commands, func(o Command) bool { return o.Name == c.Name }) {
				return nil, fmt.Errorf("%s: a second command %s", at(doc, file, h.Start()), c.Name)
			}
			t.Commands = append(t.Commands, c)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s:1:1: no heading has the tag toolkit", file)
	}
	keyword := func(to *string, key string) {
		if values := keywords(doc, key); *to == "" && len(values) > 0 {
			*to = values[0]
		}
	}
	keyword(&t.Tagline, "TAGLINE")
	keyword(&t.Status, "STATUS")
	keyword(&t.Version, "VERSION")
	t.Skills = skills(root)
	return t, nil
}

// keywords are the values of #+KEY: lines.
func keywords(doc *org.Document, key string) (values []string) {
	for line := range strings.Lines(doc.Source()) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#+")
		if name, value, colon := strings.Cut(rest, ":"); ok && colon && strings.EqualFold(name, key) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

func at(doc *org.Document, file string, offset int) diag.Position {
	line, col := doc.Position(offset)
	return diag.Position{File: file, Line: line, Col: col}
}

// skills are the names of a toolkit's skills, overview first.
func skills(root *os.Root) []string {
	names := []string{}
	dir, err := root.Open("skills")
	if err != nil {
		return names
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1)
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".org")
		if !slug.MatchString(name) {
			continue
		}
		if _, err := root.Stat(path.Join("skills", e.Name(), "SKILL.org")); isFile && !e.IsDir() || err == nil {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case a == "overview":
			return -1
		case b == "overview":
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// Skill is the text of a skill.
func (t *Toolkit) Skill(name string) (string, error) {
	missing := &diag.NotFoundError{What: fmt.Sprintf("no such skill: %s/%s", t.ID, name), Help: among(name, t.Skills, t.ID+" has no skills")}
	if !slices.Contains(t.Skills, name) {
		return "", missing
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, file := range []string{"skills/" + name + ".org", "skills/" + name + "/SKILL.org"} {
		text, err := root.ReadFile(file)
		if err == nil {
			return string(text), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", missing
}

// Show is the first page a reader of a toolkit sees: the manifest and the lists of what there
// is besides.
func (t *Toolkit) Show() string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(t.Manifest, "\n") + "\n")
	if len(t.Skills) > 0 {
		fmt.Fprintf(&b, "\nSkills (read with `wb toolkit show %s <skill>`):\n", t.ID)
		for _, s := range t.Skills {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	if len(t.Commands) > 0 {
		fmt.Fprintf(&b, "\nCommands (run with `wb toolkit run %s <command> …`):\n", t.ID)
		for _, c := range t.Commands {
			fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(c.Name+"  "+c.Tagline))
		}
	}
	return b.String()
}

// ShowSkill is a skill behind the list of what its blocks do.
func ShowSkill(text string) string {
	var captions []string
	for _, c := range keywords(org.Parse([]byte(text)), "CAPTION") {
		captions = append(captions, "  • "+c)
	}
	if len(captions) == 0 {
		return text
	}
	return "TOC (CAPTIONs):\n" + strings.Join(captions, "\n") + "\n\n" + text
}
