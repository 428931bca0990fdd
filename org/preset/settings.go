package preset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/org"
	"wb/org/agenda"
)

// Settings are the variables set for a file, or for the agenda.
type Settings struct {
	org.Presets
	Agenda agenda.Settings
	// Files are the agenda files: org files and directories of them.
	Files []string
}

// apply takes over what variables say. home is where ~ leads.
func (s *Settings) apply(v *variables, home string) {
	problem := func(name, what string) {
		v.notes = append(v.notes, fmt.Sprintf("%s: %s", name, what))
	}
	words := func(name string) ([]string, bool) {
		f, ok := v.set[name]
		if !ok {
			return nil, false
		}
		out := []string{}
		for _, k := range f.kids {
			if k.kind != str {
				problem(name, "is no list of texts")
				return nil, false
			}
			out = append(out, k.text)
		}
		return out, f.kind == list
	}
	if f, ok := v.set["org-todo-keywords"]; ok {
		if lines, ok := sequences(f); ok {
			s.Todo = lines
		} else {
			problem("org-todo-keywords", "is no list of sequences")
		}
	}
	if tags, ok := words("org-tags-exclude-from-inheritance"); ok {
		s.NotInherited = tags
	}
	if f, ok := v.set["org-use-tag-inheritance"]; ok {
		tags, isList := words("org-use-tag-inheritance")
		switch {
		case f.is("t"):
			s.NoTagInheritance, s.Inherited = false, nil
		case isList && len(tags) == 0:
			s.NoTagInheritance = true
		case isList:
			s.NoTagInheritance, s.Inherited = false, tags
		default:
			problem("org-use-tag-inheritance", "is a regexp, which wb does not read here")
		}
	}
	for name, to := range map[string]*int{"org-priority-highest": &s.Agenda.Highest, "org-highest-priority": &s.Agenda.Highest,
		"org-priority-lowest": &s.Agenda.Lowest, "org-lowest-priority": &s.Agenda.Lowest, "org-priority-default": &s.Agenda.Default,
		"org-default-priority": &s.Agenda.Default, "org-deadline-warning-days": &s.Agenda.WarningDays} {
		if f, ok := v.set[name]; ok && f.kind == num {
			*to = f.num
		}
	}
	directory := filepath.Join(home, "org")
	if f, ok := v.set["org-directory"]; ok && f.kind == str {
		directory = expand(f.text, home, home)
	}
	if files, ok := words("org-agenda-files"); ok {
		s.Files = nil
		for _, name := range files {
			s.Files = append(s.Files, expand(name, home, directory))
		}
	}
}

// sequences are keywords as #+TODO: lines have them.
func sequences(f form) (lines []string, ok bool) {
	if f.kind != list {
		return nil, false
	}
	texts := func(list []form) (string, bool) {
		var out []string
		for _, k := range list {
			if k.kind != str {
				return "", false
			}
			out = append(out, k.text)
		}
		return strings.Join(out, " "), len(out) > 0
	}
	if line, ok := texts(f.kids); ok { // the old form, one sequence alone
		return []string{line}, true
	}
	for _, k := range f.kids {
		if k.head() != "sequence" && k.head() != "type" {
			return nil, false
		}
		line, ok := texts(k.kids[1:])
		if !ok {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, len(lines) > 0
}

// expand makes a file name absolute as Emacs does.
func expand(name, home, directory string) string {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		return filepath.Join(home, strings.TrimPrefix(name, "~"))
	case filepath.IsAbs(name):
		return name
	}
	return filepath.Join(directory, name)
}

// AgendaFiles are the agenda files that exist: of a directory the org files in it,
// but not those below.
func (s Settings) AgendaFiles() (names []string) {
	for _, name := range s.Files {
		info, err := os.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			found, _ := filepath.Glob(filepath.Join(name, "*.org"))
			names = append(names, slices.DeleteFunc(found, func(n string) bool { return strings.HasPrefix(filepath.Base(n), ".") })...)
		default:
			names = append(names, name)
		}
	}
	return names
}
