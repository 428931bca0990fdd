package oql

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/org/index"
)

// Request is a question with all that belongs to it.
type Request struct {
	// Paths are files and directories; rows come from them unless the query
	// names other sources.
	Paths []string
	Query *Query
	// Below is the directory that sources named in the query must lie in; "" is
	// the working directory.
	Below string
	// NoIndex parses every file instead of using the index.
	NoIndex bool
	// Presets are the settings of files that the files do not make.
	Presets Presets
	// Progress hears how many of the files that changed are read; nil need not.
	Progress func(read, of int)
	// Options may bring a corpus, full text or a time; Open and Corpus are made
	// from Paths and Below when nil.
	Options Options
}

// Answer is the result with what it took. Its values are in use until Close.
type Answer struct {
	*Result
	Index   *index.Stats // nil when no index was asked
	Dir     string       // of the index
	Opening time.Duration
	Running time.Duration

	corpora []*Corpus
}

// Ask answers a request. Close the answer when its rows have been used: that
// is also when the index is written.
func Ask(ctx context.Context, r Request) (*Answer, error) {
	a := &Answer{}
	start := time.Now()
	opts := r.Options
	below := r.Below
	if below == "" {
		below = "."
	}
	read := func(ctx context.Context, paths []string) (*Corpus, error) {
		c, err := a.read(ctx, paths, r)
		a.Opening = time.Since(start)
		return c, err
	}
	if opts.Open == nil {
		opts.Open = openBelow(below, read)
	}
	if opts.Corpus == nil && (len(r.Paths) > 0 || r.Query.ReadsArguments()) {
		paths := r.Paths
		if len(paths) == 0 {
			paths = []string{"."}
		}
		var err error
		if opts.Corpus, err = read(ctx, paths); err != nil {
			return nil, err
		}
	}
	res, err := Run(ctx, r.Query, opts)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.Result, a.Running = res, time.Since(start)-a.Opening
	return a, nil
}

func (a *Answer) read(ctx context.Context, paths []string, r Request) (*Corpus, error) {
	if r.NoIndex {
		return ReadPaths(ctx, paths, r.Presets)
	}
	store, err := OpenIndex(commonDir(paths))
	if err != nil { // no home, no cache: do without
		return ReadPaths(ctx, paths, r.Presets)
	}
	store.Progress = r.Progress
	c, err := ReadIndexed(ctx, store, paths, r.Query, r.Presets)
	if err != nil {
		return nil, err
	}
	a.Dir, a.Index = store.Dir(), c.IndexStats()
	a.corpora = append(a.corpora, c)
	return c, nil
}

// Close writes the index, if something has changed, and releases the rows.
func (a *Answer) Close() error {
	var errs []error
	for _, c := range a.corpora {
		errs = append(errs, c.Close())
	}
	a.corpora = nil
	return errors.Join(errs...)
}

// commonDir is the deepest directory that all paths lie in.
func commonDir(paths []string) string {
	var common []string
	for i, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			return p
		}
		parts := strings.Split(filepath.ToSlash(abs), "/")
		if i == 0 {
			common = parts
			continue
		}
		n := 0
		for n < min(len(common), len(parts)) && common[n] == parts[n] {
			n++
		}
		common = slices.Clip(common[:n])
	}
	if len(common) <= 1 {
		return string(filepath.Separator)
	}
	return filepath.FromSlash(strings.Join(common, "/"))
}
