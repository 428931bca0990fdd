package toolkit

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// shownSkills is how many skills the index names of each toolkit.
const shownSkills = 8

// Index tells an agent about the toolkits it names: no more than it needs
// to know which skill to read. It is empty when none are named.
func (r Root) Index(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Toolkits\n\nYou have these toolkits. Before using one, read the relevant skill — call the\n`wb` tool: `toolkit show <id> <skill>` (or `toolkit search <query>` to find one).\n")
	for _, id := range ids {
		t, err := r.Open(id)
		if err != nil {
			fmt.Fprintf(&b, "\n- %s: (not installed)", id)
			continue
		}
		fmt.Fprintf(&b, "\n- %s: %s", id, t.Tagline)
		if n := len(t.Skills); n > 0 {
			fmt.Fprintf(&b, "\n  skills: %s", strings.Join(t.Skills[:min(n, shownSkills)], ", "))
			if n > shownSkills {
				fmt.Fprintf(&b, " (+%d more)", n-shownSkills)
			}
		}
		var commands []string
		for _, c := range t.Commands {
			commands = append(commands, c.Name)
		}
		if len(commands) > 0 {
			fmt.Fprintf(&b, "\n  commands: %s", strings.Join(commands, ", "))
		}
	}
	return b.String()
}

// Match is a line that a search found.
type Match struct {
	Path string `json:"path"` // relative to the root
	Line int    `json:"line"`
	Text string `json:"text"`
}

// maxMatches bounds what a search gives.
const maxMatches = 50

// Search finds the lines of manifests and skills that have every word of a
// query, whatever its case.
func (r Root) Search(query string) ([]Match, error) {
	words := strings.Fields(strings.ToLower(query))
	list, errs := r.List()
	if len(errs) > 0 && len(list) == 0 {
		return nil, errs[0]
	}
	matches := []Match{}
	for _, t := range list {
		err := fs.WalkDir(os.DirFS(t.Dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || len(matches) >= maxMatches || !d.Type().IsRegular() || path.Ext(name) != ".org" || strings.HasPrefix(name, "evals/") {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(t.Dir), name)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(text), "\n") {
				if len(words) > 0 && len(matches) < maxMatches && hasAll(strings.ToLower(line), words) {
					matches = append(matches, Match{path.Join(t.ID, name), i + 1, strings.TrimSpace(line)})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return matches, nil
}

func hasAll(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// MatchLines are matches as text.
func MatchLines(query string, matches []Match) string {
	if len(matches) == 0 {
		return fmt.Sprintf("(no matches for %q)\n", query)
	}
	var b strings.Builder
	for _, m := range matches {
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Text)
	}
	return b.String()
}

// Lines are toolkits as a list for people.
func Lines(list []*Toolkit, r Root) string {
	if len(list) == 0 {
		return fmt.Sprintf("(no toolkits under %s)\n", r.Dir)
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%-16s %-12s %s\n", t.ID, t.Status, t.Tagline)
	}
	return b.String()
}
