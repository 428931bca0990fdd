package tangle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Records remember what was tangled last, one record for each tangled file, so
// that an edit can be told from a change of the document. They lie in
// .wb/tangle-map beside the document when there is a .wb directory, else in the
// user's state directory: tangling alone leaves nothing behind but the files it
// was asked for. Records may be deleted; then whatever differs from the
// document counts as an edit.
type Records struct {
	// State is the user's state directory; "" keeps records only beside
	// documents that have a .wb directory.
	State string
}

// Record describes one tangled file.
type Record struct {
	Source  string // absolute path of the document
	Content []byte // as tangled
}

// recordHead is the first line of a record's file; the content follows.
type recordHead struct {
	Target string `json:"target"`
	Source string `json:"source"`
}

const recordsDir = "tangle-map"

// Remember stores what a tangled file of a document holds.
func (r Records) Remember(source, path string, content []byte) error {
	dir, target, source := r.place(source, path)
	if dir == "" {
		return nil
	}
	head, err := json.Marshal(recordHead{target, source})
	if err != nil {
		return err
	}
	name := recordName(dir, target)
	text := append(append(head, '\n'), content...)
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("remember %s: %w", path, err)
	}
	if err := replace(name, text, 0o600, false); err != nil {
		return fmt.Errorf("remember %s: %w", path, err)
	}
	return nil
}

// place decides where the record of a target lies and how paths are written
// there: relative to the directory that holds .wb, so that it may be moved, or
// absolute.
func (r Records) place(source, target string) (dir, targetName, sourceName string) {
	root := filepath.Dir(filepath.FromSlash(source))
	if info, err := os.Stat(filepath.Join(root, ".wb")); err == nil && info.IsDir() {
		return filepath.Join(root, ".wb", recordsDir), relative(root, target), relative(root, source)
	}
	if r.State == "" {
		return "", "", ""
	}
	return filepath.Join(r.State, recordsDir), target, source
}

func recordName(dir, target string) string {
	sum := sha256.Sum256([]byte(target))
	return filepath.Join(dir, hex.EncodeToString(sum[:12]))
}

// Recall finds the record of a tangled file by its absolute path.
func (r Records) Recall(target string) (Record, bool) {
	for dir := filepath.Dir(filepath.FromSlash(target)); ; dir = filepath.Dir(dir) {
		name := relative(dir, target)
		if record, ok := readRecord(recordName(filepath.Join(dir, ".wb", recordsDir), name), name); ok {
			if !filepath.IsAbs(filepath.FromSlash(record.Source)) {
				record.Source = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(record.Source)))
			}
			return record, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if r.State == "" {
		return Record{}, false
	}
	return readRecord(recordName(filepath.Join(r.State, recordsDir), target), target)
}

func readRecord(name, target string) (Record, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Record{}, false
	}
	line, content, ok := bytes.Cut(text, []byte("\n"))
	var head recordHead
	if !ok || json.Unmarshal(line, &head) != nil || head.Target != target {
		return Record{}, false
	}
	return Record{Source: head.Source, Content: content}, true
}

// Keep saves the text of a file that is about to be overwritten although it was
// edited since it was tangled, and returns where; "" when it was not edited.
func (r Records) Keep(change Change, source string) (string, error) {
	if change.Action != Changed {
		return "", nil
	}
	record, known := r.Recall(change.File.Path)
	if !known || bytes.Equal(record.Content, change.Old) {
		return "", nil
	}
	dir, target, _ := r.place(source, change.File.Path)
	if dir == "" {
		return "", nil
	}
	dir = filepath.Join(dir, "kept")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(target), change.Old...))
	name := filepath.Join(dir, hex.EncodeToString(sum[:6])+"-"+filepath.Base(filepath.FromSlash(target)))
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return name, replace(name, change.Old, 0o600, false)
	}
	return name, nil
}
