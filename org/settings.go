package org

import (
	"slices"
	"strings"
)

// settings holds the file's in-buffer settings.
type settings struct {
	todo       TodoKeywords
	fileTags   []string
	properties []fileProperty
	links      []linkAbbrev
}

// linkAbbrev is one "#+LINK: key text" line.
type linkAbbrev struct{ key, text string }

// fileProperty is the outcome of the #+PROPERTY: lines for one key.
type fileProperty struct {
	key   string
	lines []Token // the values in the order they are joined
}

// TodoKeywords are the keywords a headline of the file may have.
type TodoKeywords struct {
	List []TodoKeyword
}

// TodoKeyword is one of them.
type TodoKeyword struct {
	Name string
	Done bool
	Fast byte   // the key in "TODO(t!)", 0 without
	Log  string // what follows the key: "!", "@", "@/!", …
}

// Find returns the keyword with the given name.
func (t TodoKeywords) Find(name string) (TodoKeyword, bool) {
	for _, k := range t.List {
		if k.Name == name {
			return k, true
		}
	}
	return TodoKeyword{}, false
}

// String is the keywords as a #+TODO: line declares them: "TODO NEXT | DONE".
func (t TodoKeywords) String() string {
	var open, done []string
	for _, k := range t.List {
		if k.Done {
			done = append(done, k.Name)
		} else {
			open = append(open, k.Name)
		}
	}
	return strings.Join(slices.Concat(open, []string{"|"}, done), " ")
}

// Todo returns the keywords that #+TODO:, #+SEQ_TODO: and #+TYP_TODO: lines
// declare, or TODO and DONE when there are none.
func (d *Document) Todo() TodoKeywords { return d.settings.todo }

// FileTags returns the tags that #+FILETAGS: gives to every headline.
func (d *Document) FileTags() []string { return d.settings.fileTags }

// Setting returns the value of the last "#+NAME: value" line of the file that
// belongs to no element, such as #+TITLE:; the name is case-insensitive.
func (d *Document) Setting(name string) (Token, bool) {
	var value Token
	found := false
	for k := range d.Keywords(strings.ToUpper(name)) {
		value, found = k.Value, true
	}
	return value, found
}

func readSettings(d *Document, keywords []*Node) settings {
	var s settings
	for _, n := range keywords {
		k := readKeyword(n)
		switch k.Name() {
		case "TODO", "SEQ_TODO", "TYP_TODO":
			s.todo.declare(k.Value.Text)
		case "FILETAGS":
			for _, word := range strings.Fields(k.Value.Text) {
				s.fileTags = append(s.fileTags, splitTags(word)...)
			}
		case "PROPERTY":
			s.property(d, k.Value)
		case "LINK":
			s.link(k.Value.Text)
		}
	}
	if len(s.todo.List) == 0 {
		for _, line := range d.presets.Todo {
			s.todo.declare(line)
		}
	}
	if len(s.todo.List) == 0 {
		s.todo.declare("TODO | DONE")
	}
	return s
}

// declare adds one sequence. Without "|" its last keyword is the done state.
func (t *TodoKeywords) declare(line string) {
	words := strings.Fields(line)
	done := false
	first := len(t.List)
	for _, w := range words {
		if w == "|" {
			done = true
			continue
		}
		k := TodoKeyword{Name: w, Done: done}
		if name, keys, ok := strings.Cut(w, "("); ok && strings.HasSuffix(keys, ")") {
			k.Name = name
			k.Log = strings.TrimSuffix(keys, ")")
			if k.Log != "" && strings.IndexByte("!@/", k.Log[0]) < 0 {
				k.Fast, k.Log = k.Log[0], k.Log[1:]
			}
		}
		t.List = append(t.List, k)
	}
	if !done && len(t.List) > first {
		t.List[len(t.List)-1].Done = true
	}
}

// property applies one "#+PROPERTY: key value" line; "key+" appends.
func (s *settings) property(d *Document, value Token) {
	end := value.Start + skipWord(value.Text, 0, len(value.Text))
	rest := trimSpan(d.text, end, value.End)
	if end == value.Start || rest.Start == end {
		return
	}
	key := d.text[value.Start:end]
	name, add := strings.CutSuffix(key, "+")
	for i := range s.properties {
		if p := &s.properties[i]; strings.EqualFold(p.key, name) {
			if !add {
				p.lines = nil
			}
			p.lines = append(p.lines, d.Token(rest))
			return
		}
	}
	s.properties = append(s.properties, fileProperty{name, []Token{d.Token(rest)}})
}

// link applies one "#+LINK: key text" line; a key with blanks is quoted.
func (s *settings) link(line string) {
	end := skipWord(line, 0, len(line))
	key := line[:end]
	if strings.HasPrefix(line, `"`) {
		if i := strings.LastIndexByte(line, '"'); i > 1 {
			key, end = line[1:i], i+1
		}
	}
	text := strings.TrimSpace(line[end:])
	if key == "" || text == "" {
		return
	}
	for _, l := range s.links {
		if l.key == key {
			return
		}
	}
	s.links = append(s.links, linkAbbrev{key, text})
}
