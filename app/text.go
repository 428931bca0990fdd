package app

import (
	"bytes"
	"io"
	"os"

	"wb/internal/diag"
	"wb/search/federate"
)

// textHead is how much of a file is looked at to tell what it is.
const textHead = 8 << 10

// checkTexts refuses files that are no text in any encoding, of which every question
// would otherwise find nothing.
func checkTexts(paths []string) error {
	for _, path := range paths {
		if federate.IsTable(path) {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue // who reads it says why not
		}
		head, _ := io.ReadAll(io.LimitReader(f, textHead)) // nothing of a directory
		f.Close()
		if err := checkText(path, head); err != nil {
			return err
		}
	}
	return nil
}

// checkText tells text by what no encoding of it has: control characters, but those
// that terminals know. Org files in Latin-1 are text.
func checkText(name string, src []byte) error {
	head := src[:min(len(src), textHead)]
	wild := 0
	for _, c := range head {
		if c < ' ' && bytes.IndexByte([]byte("\a\b\t\n\v\f\r\x1b"), c) < 0 {
			wild++
		}
	}
	if wild*50 <= len(head) && bytes.IndexByte(head, 0) < 0 {
		return nil
	}
	return diag.Failedf("is this an org file? if it is, save it as UTF-8", "%s: not text", name)
}
