// Package docs reads wb's own documentation for tests that hold the program to
// what it says.
package docs

import (
	"os"

	"wb/org"
)

// Block is one source block of a document.
type Block struct {
	Name string // of #+NAME:
	Lang string
	Body string // without the commas that org puts before what looks like org
}

// Blocks are the source blocks of a document, in order.
func Blocks(path string) ([]Block, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Block
	doc := org.Parse(text)
	for b := range doc.Blocks(org.KindSrcBlock) {
		out = append(out, Block{Name: b.Name().Text, Lang: b.Lang.Text, Body: org.Unescape(doc.Text(b.Body))})
	}
	return out, nil
}
