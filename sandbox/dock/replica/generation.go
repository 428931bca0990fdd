package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/sha"
	"wb/sandbox/dock/store"
)

// chunkSize is how many bytes of a database go into a chunk.
const chunkSize = 64 << 10

// format is the version of generations.
const format = 1

// Generation is a store as it stood at one moment.
type Generation struct {
	Format int    `json:"format"`
	Line   string `json:"line"`
	Number int    `json:"number"`
	// From is the line that this one goes on with, "" for none: that which was
	// restored before.
	From   string              `json:"from,omitempty"`
	At     time.Time           `json:"at"`
	Host   string              `json:"host"`
	Tenant string              `json:"tenant"`
	Dir    string              `json:"dir"` // the project's
	Files  map[store.Part]File `json:"files"`
}

// File is a database in a generation.
type File struct {
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256"`
	Chunks []string `json:"chunks"`
}

// Bytes are those of all its databases.
func (g *Generation) Bytes() (n int64) {
	for _, f := range g.Files {
		n += f.Bytes
	}
	return n
}

// entry is a generation in a listing: what its name says.
type entry struct {
	name   string
	number int
	at     time.Time
	sum    string
}

func nameOf(number int, at time.Time, text []byte) string {
	return fmt.Sprintf("%012d-%d-%s", number, at.Unix(), sha.Hex(text)[:16])
}

func chunkName(line, sum string) string { return line + "/chunks/" + sum }

func generationName(line, name string) string { return line + "/generations/" + name }

// entries are the generations of a line, the oldest first.
func entries(ctx context.Context, from Target, line string) ([]entry, error) {
	names, err := from.List(ctx, line+"/generations")
	var list []entry
	for _, name := range names {
		words := strings.Split(name, "-")
		if len(words) != 3 {
			continue
		}
		number, err1 := strconv.Atoi(words[0])
		at, err2 := strconv.ParseInt(words[1], 10, 64)
		if err1 == nil && err2 == nil {
			list = append(list, entry{name, number, time.Unix(at, 0), words[2]})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return a.number - b.number })
	return list, err
}

// read gets a generation and holds it against its name.
func read(ctx context.Context, from Target, line string, e entry) (*Generation, error) {
	text, err := from.Get(ctx, generationName(line, e.name))
	if err != nil {
		return nil, err
	}
	damaged := func(why string) error {
		return &DamageError{fmt.Sprintf("generation %d of %s: %s", e.number, line, why)}
	}
	if sha.Hex(text)[:16] != e.sum {
		return nil, damaged("it is not what was written")
	}
	var g Generation
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, damaged(err.Error())
	}
	if g.Format != format {
		return nil, diag.Failedf("restore it with the wb that made it", "generation %d of %s has format %d, this wb reads %d", e.number, line, g.Format, format)
	}
	g.Line = line
	return &g, nil
}

// put writes a generation, whose chunks are there.
func (g *Generation) put(ctx context.Context, to Target) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return to.Put(ctx, generationName(g.Line, nameOf(g.Number, g.At, text)), text)
}

// DamageError says that a copy is not what was written.
type DamageError struct{ What string }

func (e *DamageError) Error() string { return e.What }

// Hint is what to do about it.
func (e *DamageError) Hint() string {
	return "wb volume list names the generations there are; --generation NUMBER restores another"
}

// ExitCode is that of what does not hold.
func (e *DamageError) ExitCode() int { return diag.ExitVerify }

// Lines are the newest generations of the lines of a tenant; dir narrows them to one
// project, "" takes all. What cannot be read of others is in the error, beside the
// list.
func Lines(ctx context.Context, from Target, tenant, dir string) ([]*Generation, error) {
	names, err := from.List(ctx, root)
	if err != nil {
		return nil, err
	}
	var list []*Generation
	var failed error
	for _, name := range names {
		g, err := newest(ctx, from, root+"/"+name)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case g != nil && g.Tenant == tenant && (dir == "" || g.Dir == dir):
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *Generation) int { return a.At.Compare(b.At) })
	return list, failed
}

// root is the directory of a target below which lines lie.
const root = "wb-volumes"

// newest is the last generation of a line, nil for a line without one.
func newest(ctx context.Context, from Target, line string) (*Generation, error) {
	if line == "" {
		return nil, nil
	}
	list, err := entries(ctx, from, line)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return read(ctx, from, line, list[len(list)-1])
}

// History are the numbers and times of the generations of a line, the oldest first.
func History(ctx context.Context, from Target, line string) (numbers []int, times []time.Time, err error) {
	list, err := entries(ctx, from, line)
	for _, e := range list {
		numbers, times = append(numbers, e.number), append(times, e.at)
	}
	return numbers, times, err
}
