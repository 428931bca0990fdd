package oql

import (
	"context"
	"errors"
	"path/filepath"

	"wb/org"
	"wb/org/index"
)

// OpenIndex is the index of rows for queries over a path.
func OpenIndex(path string) (*index.Store, error) {
	dir, err := index.Locate(path, "rows")
	if err != nil {
		return nil, err
	}
	return index.Open(dir, PackVersion), nil
}

// ReadIndexed does what [ReadPaths] does and keeps what it parsed in an index,
// so that only files that changed are parsed the next time. Rows and values
// are in use until [Corpus.Close].
func ReadIndexed(ctx context.Context, store *index.Store, paths []string) (*Corpus, error) {
	names, err := orgFiles(paths)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(names))
	for i, name := range names {
		if keys[i], err = filepath.Abs(name); err != nil {
			return nil, err
		}
	}
	view, err := store.View(ctx, keys, packFile)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Files: make([]*File, len(names)), view: view}
	for i, name := range names {
		c.Files[i] = Unpack(name, view.Block(i))
	}
	return c, nil
}

// packFile parses and packs a file; it is what an index calls.
func packFile(path string, src []byte) ([]byte, error) {
	doc := org.Parse(src)
	return Pack(Flatten(path, doc), doc.Source()), nil
}

// Close keeps what was parsed in the index, if there is one, and releases the
// rows. A failure to write the index is reported; answers are not affected.
func (c *Corpus) Close() error {
	if c.view == nil {
		return nil
	}
	err := c.view.Commit()
	return errors.Join(err, c.view.Close())
}

// IndexStats says what the index answered; nil without one.
func (c *Corpus) IndexStats() *index.Stats {
	if c.view == nil {
		return nil
	}
	return &c.view.Stats
}
