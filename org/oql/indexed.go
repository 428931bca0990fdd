package oql

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"wb/org/index"
)

// OpenIndex is the index of rows for queries over a path.
func OpenIndex(path string) (*index.Cache, error) {
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
func ReadIndexed(ctx context.Context, store *index.Cache, paths []string, q *Query, presets Presets) (*Corpus, error) {
	names, err := Files(paths)
	if err != nil {
		return nil, err
	}
	keys, err := absolute(names)
	if err != nil {
		return nil, err
	}
	for i, name := range names { // other settings make other rows
		if p := presets.Of(name); !p.IsZero() {
			keys[i] = index.Variant(keys[i], fmt.Sprintf("%#v", p))
		}
	}
	logs := make([]bool, len(names))
	columns := q.readsLogs()
	view, err := store.View(ctx, keys, presets.packFile, func(i int, info fs.FileInfo) bool {
		logs[i] = columns && info.Size() >= minLog && isLogFile(names[i])
		return logs[i]
	})
	if err != nil {
		return nil, err
	}
	c := &Corpus{Files: make([]*File, len(names)), view: view}
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names); i += workers {
				if !logs[i] {
					c.Files[i] = Unpack(names[i], view.Block(i))
				}
			}
		})
	}
	wg.Wait()
	if !slices.Contains(logs, true) {
		return c, nil
	}
	files := c.Files
	c.Files = nil
	for i, f := range files {
		if f != nil {
			c.Files = append(c.Files, f)
		} else if err := c.addLog(ctx, names[i], presets); err != nil {
			return nil, errors.Join(err, view.Close())
		}
	}
	return c, nil
}

// absolute makes paths absolute, asking for the working directory once.
func absolute(names []string) ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(names))
	for i, name := range names {
		if out[i] = name; !filepath.IsAbs(name) {
			out[i] = filepath.Join(dir, name)
		}
	}
	return out, nil
}

// packFile parses and packs a file, for an index.
func (p Presets) packFile(path string, src []byte) ([]byte, error) {
	return PackText(path, bytesString(src), p.Of(path)), nil
}

// minLog is the size from which a file is looked at as a log.
const minLog = 256 << 10

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
func (c *Corpus) addLog(ctx context.Context, name string, presets Presets) error {
	key, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	parts, err := c.view.Log(ctx, key, logFormat)
	if errors.Is(err, errNoLog) {
		f, err := readFile(name, presets)
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
