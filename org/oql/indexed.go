package oql

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

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
// so that only files that changed are parsed the next time. The corpus is for
// the query q alone, since logs are read as q needs them. Rows and values are
// in use until [Corpus.Close].
func ReadIndexed(ctx context.Context, store *index.Store, paths []string, q *Query) (*Corpus, error) {
	names, err := orgFiles(paths)
	if err != nil {
		return nil, err
	}
	var files, keys, logs []string
	for _, name := range names {
		if q.readsLogs() && isLog(name) {
			logs = append(logs, name)
			continue
		}
		key, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		files, keys = append(files, name), append(keys, key)
	}
	view, err := store.View(ctx, keys, packFile)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Files: make([]*File, len(files)), view: view}
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(files); i += workers {
				c.Files[i] = Unpack(files[i], view.Block(i))
			}
		})
	}
	wg.Wait()
	for _, name := range logs {
		if err := c.addLog(ctx, name); err != nil {
			return nil, errors.Join(err, view.Close())
		}
	}
	if len(logs) > 0 {
		slices.SortStableFunc(c.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	}
	return c, nil
}

// packFile parses and packs a file; it is what an index calls.
func packFile(path string, src []byte) ([]byte, error) {
	doc := org.Parse(src)
	return Pack(Flatten(path, doc), doc.Source()), nil
}

// minLog is the size from which a file is looked at as a log.
const minLog = 256 << 10

// isLog guesses, by size and first line, whether a file is a log.
func isLog(name string) bool {
	if info, err := os.Stat(name); err != nil || info.Size() < minLog || !info.Mode().IsRegular() {
		return false
	}
	return isLogFile(name)
}

// logFormat says how logs are packed.
var logFormat = index.LogFormat{
	PartSize: 8 << 20,
	Cut: func(src []byte) int {
		const size = 8 << 20
		if len(src) <= size {
			return len(src)
		}
		return nextRecord(src, size-1)
	},
	Build: packLog,
}

// addLog adds the rows of a log; a file that is none after all is parsed.
func (c *Corpus) addLog(ctx context.Context, name string) error {
	key, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	parts, err := c.view.Log(ctx, key, logFormat)
	if errors.Is(err, errNoLog) {
		f, err := readFile(name)
		if err == nil {
			c.Files = append(c.Files, f)
		}
		return err
	}
	if err != nil {
		return err
	}
	chunks := make([]*chunk, len(parts))
	for i, p := range parts {
		chunks[i] = openChunk(p.Block, func() (string, error) { return readPart(key, p) })
		c.Files = append(c.Files, &File{Path: name, Todo: []string{"TODO"}, DoneKey: []string{"DONE"}, log: chunks[i]})
	}
	chain(chunks)
	return nil
}

func readPart(path string, p index.Part) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := make([]byte, p.End-p.Start)
	if _, err := f.ReadAt(text, p.Start); err != nil {
		return "", err
	}
	return bytesString(text), nil
}

// readsLogs reports whether a query can be answered from the columns of logs:
// it does not ask for relatives of rows, nor for rows that logs do not have.
func (q *Query) readsLogs() bool {
	for _, s := range q.From {
		if s.Name == "blocks" || s.Name == "links" || s.Name == "tables" {
			return false
		}
	}
	return !q.HasText && len(q.Joins) == 0 && !asksRelatives(q.Where)
}

func asksRelatives(e Expr) bool {
	switch e := e.(type) {
	case *And:
		return slices.ContainsFunc(e.Args, asksRelatives)
	case *Or:
		return slices.ContainsFunc(e.Args, asksRelatives)
	case *Not:
		return asksRelatives(e.Arg)
	case *Call:
		inherit, _ := e.Keyword("inherit")
		return e.Query != nil || slices.Contains([]string{"parent", "ancestors", "children", "descendants"}, e.Name) || inherit.Text != "" && inherit.Text != "nil"
	}
	return false
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
