package app

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"slices"

	"wb/internal/diag"
	"wb/org"
	"wb/tangle/elisp"
)

// toODT is the value of --to for an OpenDocument text.
const toODT = "odt"

// packODT makes an archive of the files that Org's exporter has written: a list
// of names and contents in Base64. Equal files give equal archives.
func packODT(list elisp.Value) ([]byte, error) {
	files := make(map[string][]byte)
	items, _ := elisp.Items(list)
	for _, item := range items {
		data, err := base64.StdEncoding.DecodeString(elisp.Princ(elisp.Car(elisp.Cdr(item))))
		if err != nil {
			return nil, fmt.Errorf("a file of the OpenDocument text: %w", err)
		}
		files[elisp.Princ(elisp.Car(item))] = data
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	put := func(name string, method uint16) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write(files[name])
		}
		return err
	}
	// What tells the kind of the archive comes first, as it is.
	const kind = "mimetype"
	if err := put(kind, zip.Store); err != nil {
		return nil, err
	}
	delete(files, kind)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := put(name, zip.Deflate); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// missingInODT are the files at which Org's exporter stops: it names the first, and not
// the line that asks for it.
func missingInODT(file string, src []byte) []diag.Finding {
	return missingFiles(os.Stat, file, file, src, func(l org.Link) (diag.Finding, bool) {
		return diag.Finding{Severity: diag.Error, Message: l.Path + " does not exist, and an OpenDocument text contains its pictures",
			Hint: "run the block that makes it, or describe the link: [[file:" + l.Path + "][what it is]]"}, true
	})
}
