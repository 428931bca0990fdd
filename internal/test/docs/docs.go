// Package docs reads wb's own documentation for tests that hold the program to
// what it says.
package docs

import (
	"os"

	"wb/org"
)

// Block is one block of source or of an example in a document.
type Block struct {
	Name string // of #+NAME:
	Lang string // "" of an example
	Body string // without the commas that org puts before what looks like org
}

// Blocks are the blocks of a document, in order.
func Blocks(path string) ([]Block, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Block
	doc := org.Parse(text)
	for b := range doc.Blocks(org.KindSrcBlock, org.KindExampleBlock) {
		out = append(out, Block{Name: b.Name().Text, Lang: b.Lang.Text, Body: org.Unescape(doc.Text(b.Body))})
	}
	return out, nil
}
