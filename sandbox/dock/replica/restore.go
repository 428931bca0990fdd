package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"wb/internal/diag"
	"wb/internal/sha"
	"wb/sandbox/dock/store"
)

// Choice says which copy of a project is restored.
type Choice struct {
	Tenant, Dir string
	Line        string // "" for the only one that no other goes on with
	Generation  int    // 0 for the last
}

// Find gives the generation that is chosen.
func Find(ctx context.Context, from Target, c Choice) (*Generation, error) {
	list, failed := Lines(ctx, from, c.Tenant, c.Dir)
	if c.Line != "" {
		list = slices.DeleteFunc(list, func(g *Generation) bool { return !strings.HasPrefix(Short(g.Line), c.Line) })
	} else {
		goesOn := map[string]time.Time{} // when a line was last written that goes on with this one
		for _, g := range list {
			goesOn[g.From] = g.At
		}
		list = slices.DeleteFunc(list, func(g *Generation) bool { return goesOn[g.Line].After(g.At) || goesOn[g.Line].Equal(g.At) })
	}
	switch {
	case len(list) == 0 && failed != nil:
		return nil, failed
	case len(list) == 0:
		return nil, diag.NotFoundf("wb volume list names what is there; --of DIR restores what was copied of another directory", "%s has no copy of %s", from, c.Dir)
	case len(list) > 1:
		var names []string
		for _, g := range list {
			names = append(names, fmt.Sprintf("%s of %s, %s", Short(g.Line), g.Host, g.At.Format("2006-01-02 15:04")))
		}
		return nil, diag.Usagef("name one with --line: "+strings.Join(names, "; "), "%s has several copies of %s", from, c.Dir)
	}
	g := list[0]
	if c.Generation == 0 || c.Generation == g.Number {
		return g, nil
	}
	for line := g; line != nil; { // numbers go on from line to line
		all, err := entries(ctx, from, line.Line)
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			if e.number == c.Generation {
				return read(ctx, from, line.Line, e)
			}
		}
		if line, err = newest(ctx, from, line.From); err != nil {
			return nil, err
		}
	}
	return nil, diag.NotFoundf("wb volume list --all names those that are", "there is no generation %d of %s", c.Generation, g.Dir)
}

// Short is the name of a line for people.
func Short(line string) string { return strings.TrimPrefix(line, root+"/") }

// Restore makes a store what a generation says. All of it is checked before the first
// part of the store changes. The next copy goes on with the store's own line where it
// has one, else begins one that goes on with this.
func Restore(ctx context.Context, from Target, g *Generation, into *store.Store) error {
	if err := os.MkdirAll(into.Dir(), 0o700); err != nil {
		return err
	}
	release, err := lock(ctx, into)
	if err != nil {
		return err
	}
	defer release()
	dir, err := os.MkdirTemp(into.Dir(), ".restoring.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	paths := map[store.Part]string{}
	for _, part := range store.Parts {
		f, has := g.Files[part]
		if !has {
			continue
		}
		path := dir + string(os.PathSeparator) + string(part)
		if err := f.fetch(ctx, from, g, path); err != nil {
			return err
		}
		if err := store.Check(ctx, path); err != nil {
			return &DamageError{fmt.Sprintf("generation %d of %s: %s: %v", g.Number, g.Dir, part, err)}
		}
		paths[part] = path
	}
	for _, part := range store.Parts {
		if path, has := paths[part]; has {
			if err := into.Replace(ctx, part, path); err != nil {
				return err
			}
		}
	}
	m := recall(into, from)
	if m.Stamps = nil; m.Last.Line == "" {
		m.Last = Generation{From: g.Line, Number: g.Number}
	}
	return m.keep()
}

// fetch brings a database here.
func (f File) fetch(ctx context.Context, from Target, g *Generation, path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(chunkSize))
	if err != nil {
		return errors.Join(err, out.Close())
	}
	defer unpack.Close()
	damaged := func(what string) error {
		return &DamageError{fmt.Sprintf("generation %d of %s: %s", g.Number, g.Dir, what)}
	}
	write := func() error {
		total, size := sha256.New(), int64(0)
		for _, sum := range f.Chunks {
			packed, err := from.Get(ctx, chunkName(g.Line, sum))
			if errors.Is(err, fs.ErrNotExist) {
				return damaged("the chunk " + sum[:min(12, len(sum))] + " is not there")
			}
			if err != nil {
				return err
			}
			chunk, err := unpack.DecodeAll(packed, nil)
			if err != nil || sha.Hex(chunk) != sum {
				return damaged("the chunk " + sum[:min(12, len(sum))] + " is not what was written")
			}
			total.Write(chunk)
			size += int64(len(chunk))
			if _, err := out.Write(chunk); err != nil {
				return err
			}
		}
		if size != f.Bytes || hex.EncodeToString(total.Sum(nil)) != f.SHA256 {
			return damaged("its chunks do not make the database that was copied")
		}
		return nil
	}
	return errors.Join(write(), out.Close())
}
