package cite

import (
	"path"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/nearest"
)

// Entry is one work.
type Entry struct {
	Type, Key string
	Offset    int               // in its file
	fields    map[string]string // by lower-case name, as written, @string expanded
	lib       *Library
	item      map[string]any // as CSL-JSON has it, nil for BibTeX
}

// Problem is a mistake in a bibliography.
type Problem struct {
	File    string
	Offset  int // byte offset in the file
	Message string
}

// Library is the entries of several files.
type Library struct {
	entries map[string]*Entry
	order   []string
}

// NewLibrary returns an empty library.
func NewLibrary() *Library { return &Library{entries: map[string]*Entry{}} }

// Add reads a file: CSL-JSON when its name ends in .json, else BibTeX. Of two
// entries with one key the first counts.
func (l *Library) Add(file string, src []byte) []Problem {
	var all []*Entry
	var problems []Problem
	if strings.EqualFold(path.Ext(file), ".json") {
		all, problems = parseJSON(src)
	} else {
		all, problems = parseBib(string(src))
	}
	for _, e := range all {
		if first, twice := l.entries[e.Key]; twice {
			if first.lib == l && e.Offset >= 0 {
				problems = append(problems, Problem{Offset: e.Offset, Message: "the key " + e.Key + " is used twice"})
			}
			continue
		}
		e.lib = l
		l.entries[e.Key] = e
		l.order = append(l.order, e.Key)
	}
	for i := range problems {
		problems[i].File = file
	}
	return problems
}

// Entry finds a work by its key. The nil Entry that comes with false has no
// fields.
func (l *Library) Entry(key string) (*Entry, bool) {
	e, ok := l.entries[key]
	return e, ok
}

// Keys are the keys of all works, in the order of the files.
func (l *Library) Keys() []string { return slices.Clone(l.order) }

// Len is the number of works.
func (l *Library) Len() int { return len(l.order) }

// Nearest is the key that looks most like another, "" when none does.
func (l *Library) Nearest(key string) string {
	best, bound := "", max(2, len(key)/3)
	for _, k := range l.order {
		if strings.EqualFold(k, key) {
			return k
		}
		if d := nearest.Distance(strings.ToLower(key), strings.ToLower(k)); d <= bound {
			best, bound = k, d-1
		}
	}
	return best
}

// Field is a field as the file has it; a work takes what it lacks from the one
// that its crossref names. "author" falls back to the editor.
func (e *Entry) Field(name string) string {
	if e == nil {
		return ""
	}
	if v, ok := e.fields[name]; ok {
		return v
	}
	if name == "author" {
		if v, ok := e.fields["editor"]; ok {
			return v
		}
	}
	if parent := e.fields["crossref"]; parent != "" && parent != e.Key && e.lib != nil {
		if p, ok := e.lib.entries[parent]; ok {
			if name == "booktitle" {
				return p.fields["title"]
			}
			if name != "title" {
				return p.fields[name]
			}
		}
	}
	return ""
}

// HTML is a field with its LaTeX written as HTML.
func (e *Entry) HTML(name string) string { return markup(e.Field(name)) }

// Year is the field year, or the year that date starts with.
func (e *Entry) Year() string {
	if y := strings.TrimSpace(plainText(e.Field("year"))); y != "" {
		return y
	}
	return yearForm.FindString(e.Field("date"))
}

var yearForm = lazyregexp.New(`^\d{4}`)

var doiForm = lazyregexp.New(`^10\.[0-9.]+/\S+$`)

// URL is where the work can be read: its DOI, else its url, when that is one
// of the web.
func (e *Entry) URL() string {
	doi := strings.TrimSpace(e.Field("doi"))
	for _, prefix := range []string{"https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:"} {
		doi = strings.TrimPrefix(doi, prefix)
	}
	if doiForm.MatchString(doi) {
		return "https://doi.org/" + doi
	}
	url := strings.TrimSpace(plainText(e.Field("url")))
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return url
	}
	return ""
}

// Name is a person's, as HTML.
type Name struct{ Family, Given string }

// String is "Family, Given".
func (n Name) String() string { return join(", ", n.Family, n.Given) }

// Authors are the people (or bodies) who wrote or else edited the work.
func (e *Entry) Authors() []Name {
	var names []Name
	for _, one := range splitNames(e.Field("author")) {
		if one == "others" {
			names = append(names, Name{Family: "et al."})
			continue
		}
		names = append(names, parseName(one))
	}
	return names
}

// splitNames cuts at "and" outside braces.
func splitNames(list string) []string {
	words := strings.Fields(list)
	var names []string
	var current []string
	depth := 0
	for _, w := range words {
		if depth == 0 && w == "and" {
			names = append(names, strings.Join(current, " "))
			current = nil
			continue
		}
		depth = max(0, depth+strings.Count(w, "{")-strings.Count(w, "}"))
		current = append(current, w)
	}
	names = append(names, strings.Join(current, " "))
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

// parseName reads "von Last, First", "von Last, Jr, First" or "First von Last".
func parseName(name string) Name {
	parts := splitOutside(name, ',')
	if len(parts) > 1 {
		given := parts[len(parts)-1]
		family := parts[0]
		if len(parts) > 2 {
			given += ", " + parts[1]
		}
		return Name{markup(family), markup(given)}
	}
	words := splitOutside(name, ' ')
	if len(words) == 1 {
		return Name{Family: markup(name)}
	}
	at := len(words) - 1
	for i := 1; i < len(words)-1; i++ { // a particle in lower case starts the family name
		if c := words[i][0]; 'a' <= c && c <= 'z' {
			at = i
			break
		}
	}
	return Name{markup(strings.Join(words[at:], " ")), markup(strings.Join(words[:at], " "))}
}

// splitOutside cuts at a character outside braces.
func splitOutside(text string, by byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == by && depth <= 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	parts = append(parts, strings.TrimSpace(text[start:]))
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
