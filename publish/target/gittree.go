package target

import (
	"io"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"wb/proof/manifest"
)

// writeTree stores files as git's objects and gives the tree's hash.
func writeTree(s storer.EncodedObjectStorer, files manifest.Files) (plumbing.Hash, error) {
	tree, below := &object.Tree{}, map[string]manifest.Files{}
	for path, data := range files {
		if dir, rest, ok := strings.Cut(path, "/"); ok {
			if below[dir] == nil {
				below[dir] = manifest.Files{}
			}
			below[dir][rest] = data
			continue
		}
		hash, err := writeBlob(s, data)
		if err != nil {
			return hash, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: path, Mode: filemode.Regular, Hash: hash})
	}
	for dir, files := range below {
		hash, err := writeTree(s, files)
		if err != nil {
			return hash, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: dir, Mode: filemode.Dir, Hash: hash})
	}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	stored := s.NewEncodedObject()
	if err := tree.Encode(stored); err != nil {
		return plumbing.ZeroHash, err
	}
	return writeOnce(s, stored)
}

func writeBlob(s storer.EncodedObjectStorer, data []byte) (plumbing.Hash, error) {
	stored := s.NewEncodedObject()
	stored.SetType(plumbing.BlobObject)
	stored.SetSize(int64(len(data)))
	w, err := stored.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := w.Write(data); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := w.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	return writeOnce(s, stored)
}

// writeOnce stores an object that is not there yet.
func writeOnce(s storer.EncodedObjectStorer, stored plumbing.EncodedObject) (plumbing.Hash, error) {
	if hash := stored.Hash(); s.HasEncodedObject(hash) == nil {
		return hash, nil
	}
	return s.SetEncodedObject(stored)
}

// readTree reads a site from a tree, without what only GitHub reads.
func readTree(tree *object.Tree) (manifest.Files, error) {
	files := manifest.Files{}
	err := tree.Files().ForEach(func(f *object.File) error {
		r, err := f.Reader()
		if err != nil {
			return err
		}
		defer r.Close()
		files[f.Name], err = io.ReadAll(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	if s, err := manifest.ReadSite(files[manifest.SitePath]); err == nil {
		for _, f := range s.Files {
			listed[f.Path] = true
		}
	}
	for _, name := range []string{noJekyll, domainFile} {
		if !listed[name] {
			delete(files, name)
		}
	}
	return files, nil
}
