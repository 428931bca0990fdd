package search

import (
	"path/filepath"
	"strings"
)

// Document is one heading and the text up to the next one. What stands before
// the first heading is a document of level 0 named after the file.
type Document struct {
	Line       int // of the heading, from 1
	Level      int // 0 is the top of the file
	Start, End int // bytes of the file, from the heading to the next one
	Title      string
	State      string   // its keyword
	Outline    []string // titles of the headings above, outermost first
	Tags       []string // its own and inherited ones
	Body       string   // prose, tables, lists, values of properties
	Code       string   // source blocks, their names and languages
	Result     string   // what follows #+RESULTS:
	Langs      []string // of its source blocks
}

// File is a file cut into documents.
type File struct {
	Title     string
	Documents []Document
	// Synonyms are groups of phrases that mean the same, from a glossary.
	Synonyms [][]string
}

// extensions are the files a search reads.
var extensions = map[string]func(name string, src []byte) File{
	".org": splitOrg,
	".md":  splitMarkdown,
}

// Split cuts a file into documents; the name says which markup it is in.
func Split(name string, src []byte) File {
	split, ok := extensions[strings.ToLower(filepath.Ext(name))]
	if !ok {
		split = splitOrg
	}
	return split(name, src)
}

// stem is a file's name without directory and extension.
func stem(name string) string {
	base := filepath.Base(name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// isGlossary reports whether a whole file is a glossary by its name.
func isGlossary(name string) bool { return strings.EqualFold(stem(name), "glossary") }

// isOrg reports whether a file is read as org.
func isOrg(name string) bool { return !strings.EqualFold(filepath.Ext(name), ".md") }
