package oql

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"wb/internal/value"
)

// Options say what a query reads and what it takes for now.
type Options struct {
	// Corpus holds the files given on the command line.
	Corpus *Corpus
	// Open reads sources named in (from …) that are no row kind: files,
	// directories, entities of foreign tables.
	Open func(ctx context.Context, source Source) (*Corpus, error)
	// Foreign reads sources that are not org files; nil knows none.
	Foreign Foreign
	// Text answers full-text search with a score per row; nil ranks the loaded
	// rows by BM25 without an index.
	Text func(c *Corpus, words []string) func(f *File, i int) (float64, bool)
	// After leaves out the rows up to a line of their file.
	After int
	// Now is naive local time; the zero time is the clock's.
	Now time.Time
}

// Foreign reads rows from elsewhere: tables in files of other formats, or
// behind a network. Read takes the names at the front of from that it knows (a
// file's may be followed by a table's) and returns how many it took; 0 leaves
// the first to [Options.Open]. where is the condition that rows will have to
// meet: a source that can filter may leave out those that cannot.
type Foreign interface {
	Read(ctx context.Context, from []Source, where Expr) (rows *Corpus, taken int, err error)
}

// Result is a table of answers: rows of values under named columns. Kind says
// what the rows are when no columns were selected.
type Result struct {
	Kind    string
	Columns []string
	Rows    [][]value.Value
	// Places are the file and line of each row; empty after grouping.
	Places []Place
	// Read counts the rows there were, Sifted those that the index could not
	// rule out, and Tested those that had to be decoded to decide.
	Read, Sifted, Tested int
	// Last is the line of the last row there was.
	Last int
	// Notes are remarks for people: columns that no row has.
	Notes []string

	made    []string // columns that the query itself makes
	nothing bool     // no row met the condition
}

// Place is where a row stands.
type Place struct {
	Path string
	Line int
}

// Run answers a query.
func Run(ctx context.Context, q *Query, opts Options) (*Result, error) {
	if opts.Now.IsZero() {
		opts.Now = naive(time.Now())
	}
	today := *q
	today.Where, today.Having = dated(q.Where, opts.Now), dated(q.Having, opts.Now)
	q = &today
	kind, corpus, err := resolve(ctx, q.From, q.Where, opts)
	if err != nil {
		return nil, err
	}
	if kind != foreignRows && len(q.Joins) == 0 {
		if err := checkDates(q.Where); err != nil {
			return nil, err
		}
	}
	for _, j := range q.Joins {
		rightKind, right, err := resolve(ctx, j.From, nil, opts)
		if err != nil {
			return nil, err
		}
		corpus = join(corpus, right, rightKind, j)
	}
	c := &compiler{now: opts.Now, score: map[rowID]float64{}}
	if q.HasText {
		rank := opts.Text
		if rank == nil {
			rank = bm25
		}
		c.text = func(words []string) func(*File, int) (float64, bool) { return rank(corpus, words) }
	}
	res := &Result{Kind: kind}
	found, err := res.filter(ctx, c, q, corpus)
	if err != nil {
		return nil, err
	}
	res.nothing = !slices.ContainsFunc(found, func(rows []rowID) bool { return len(rows) > 0 })
	defer func() { res.noteUnknown(q, corpus) }()
	if q.grouped() {
		if len(q.Before) > 0 {
			found = [][]rowID{sortHits(q.Before, slices.Concat(found...), 0, func(name string) field { return field{name: name} })}
		}
		res.group(q, found)
		res.made = res.Columns[len(q.Group):]
		if err := res.keep(c, q.Having); err != nil {
			return nil, err
		}
		return res.counted(q, res.arrange(q))
	}
	hits := slices.Concat(found...)
	for _, f := range corpus.Files {
		if f.Len() > 0 {
			res.Last = max(res.Last, f.line(f.Len()-1))
		}
	}
	if opts.After > 0 {
		hits = slices.DeleteFunc(hits, func(h rowID) bool { return h.file.line(h.row) <= opts.After })
	}
	if q.HasText && len(q.Sort) == 0 {
		sort.SliceStable(hits, func(a, b int) bool { return c.score[hits[a]] > c.score[hits[b]] })
	}
	fields := res.fields(q, corpus)
	if len(q.Sort) > 0 {
		most := 0
		if q.Limit > 0 {
			most = q.Offset + q.Limit
		}
		hits = sortHits(q.Sort, hits, most, res.columnOf(fields))
	}
	hits = cut(q, hits) // before columns are decoded, which is what takes time
	if q.Count {
		res.Rows = make([][]value.Value, len(hits))
		return res.counted(q, nil)
	}
	res.list(fields, hits)
	return res, nil
}

// counted replaces the rows by their number, if that is all that was asked.
func (r *Result) counted(q *Query, err error) (*Result, error) {
	if q.Count {
		r.Columns, r.Rows, r.Places = []string{"count"}, [][]value.Value{{value.OfInt(int64(len(r.Rows)))}}, nil
	}
	return r, err
}

// grouped reports whether rows of the answer stand for several rows.
func (q *Query) grouped() bool {
	return len(q.Group) > 0 || slices.ContainsFunc(q.Select, func(c Column) bool { return c.Func != "" })
}

// naive drops the zone: org timestamps have none.
func naive(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// resolve turns sources into rows. Row kinds choose what rows are made of; the
// other names say where they are read.
func resolve(ctx context.Context, from []Source, where Expr, opts Options) (string, *Corpus, error) {
	kind, corpus := "headlines", opts.Corpus
	var opened *Corpus
	add := func(c *Corpus) {
		if opened == nil {
			opened = &Corpus{}
		}
		opened.Files = append(opened.Files, c.Files...)
	}
	for len(from) > 0 {
		s := from[0]
		if slices.Contains(RowKinds, s.Name) {
			kind, from = s.Name, from[1:]
			continue
		}
		if opts.Foreign != nil {
			c, taken, err := opts.Foreign.Read(ctx, from, where)
			if err != nil {
				return "", nil, err
			}
			if taken > 0 {
				if kind == "headlines" {
					kind = foreignRows
				}
				add(c)
				from = from[taken:]
				continue
			}
		}
		if opts.Open == nil {
			return "", nil, errorf(s.Pos, "use one of headlines blocks links tables events runs", "source %q cannot be opened here", s.Name)
		}
		c, err := opts.Open(ctx, s)
		if err != nil {
			return "", nil, err
		}
		add(c)
		from = from[1:]
	}
	if opened != nil {
		corpus = opened
	}
	if corpus == nil {
		corpus = &Corpus{}
	}
	if kind == "runs" {
		corpus = gatherRuns(corpus)
	}
	out := &Corpus{Files: make([]*File, len(corpus.Files))}
	for i, f := range corpus.Files {
		out.Files[i] = derive(f, kind)
	}
	return kind, out, nil
}

// filter finds the rows that match, file by file in document order, files in
// parallel.
func (r *Result) filter(ctx context.Context, c *compiler, q *Query, corpus *Corpus) ([][]rowID, error) {
	match, err := c.compile(q.Where)
	if err != nil {
		return nil, err
	}
	screen, logScreen := c.screenOf(q.Where), c.chunkScreenOf(q.Where)
	found := make([][]rowID, len(corpus.Files))
	tested := make([][2]int, len(corpus.Files)) // sifted and tested rows
	scan := func(k int) {
		f := corpus.Files[k]
		if f.packed != nil {
			found[k] = f.sift(screen(f.packed), match, &tested[k])
			return
		}
		if f.log != nil {
			found[k] = f.sift(f.log.events(logScreen(f.log)), match, &tested[k])
			return
		}
		tested[k] = [2]int{f.Len(), f.Len()}
		for i := range f.Len() {
			if match(f, i) {
				found[k] = append(found[k], rowID{f, i})
			}
		}
	}
	workers := runtime.GOMAXPROCS(0)
	if q.HasText { // scores are gathered in one map
		workers = 1
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(corpus.Files)) {
		wg.Go(func() {
			for k := range next {
				scan(k)
			}
		})
	}
	for k := range corpus.Files {
		if ctx.Err() != nil {
			break
		}
		next <- k
	}
	close(next)
	wg.Wait()
	for k, f := range corpus.Files {
		r.Read += f.Len()
		r.Sifted += tested[k][0]
		r.Tested += tested[k][1]
	}
	return found, ctx.Err()
}

// sift tests the packed rows that pass a sieve; only those are decoded. It
// counts how many passed and how many had to be tested.
func (f *File) sift(s sieve, match test, count *[2]int) []rowID {
	var found []rowID
	for i := 0; i < f.Len() && !s.none; i++ {
		if s.row != nil && !s.row(i) {
			continue
		}
		count[0]++
		if !s.exact {
			count[1]++
			if !match(f, i) {
				continue
			}
		}
		found = append(found, rowID{f, i})
	}
	return found
}

// field is where a column of an answer comes from: scalar turns a list into
// text.
type field struct {
	name   string
	scalar bool
}

func (f field) of(h rowID) value.Value {
	v, _ := h.file.Field(h.row, f.name)
	if f.scalar {
		v = scalar(v)
	}
	return v
}

// fields are those of the answer's columns, which it names.
func (r *Result) fields(q *Query, corpus *Corpus) []field {
	var fields []field
	for _, c := range q.Select {
		fields = append(fields, field{c.Field, true})
		r.Columns = append(r.Columns, c.Name())
	}
	if len(fields) == 0 {
		r.Columns = slices.Clone(columnsOf(r.Kind, corpus))
		for _, name := range r.Columns {
			fields = append(fields, field{name, r.Kind != "headlines"})
		}
	}
	return fields
}

// columnOf finds what to sort by: a column of the answer, or else a field of the
// rows that it does not show.
func (r *Result) columnOf(fields []field) func(name string) field {
	return func(name string) field {
		if k := slices.Index(r.Columns, name); k >= 0 {
			return fields[k]
		}
		return field{name: name}
	}
}

// sortHits puts hits in order, and leaves the first most of them, or all if most is 0.
func sortHits(by []Order, hits []rowID, most int, column func(string) field) []rowID {
	columns := make([]field, len(by))
	for k, o := range by {
		columns[k] = column(o.Column)
	}
	order := newOrdering(by, len(hits), func(row, key int) value.Value { return columns[key].of(hits[row]) }).first(most)
	sorted := make([]rowID, len(order))
	for i, row := range order {
		sorted[i] = hits[row]
	}
	return sorted
}

// cut leaves the rows that offset and limit do.
func cut[T any](q *Query, rows []T) []T {
	from, to := min(q.Offset, len(rows)), len(rows)
	if q.Limit > 0 {
		to = min(to, from+q.Limit)
	}
	return rows[from:to]
}

// list makes one output row a hit.
func (r *Result) list(fields []field, hits []rowID) {
	r.Rows, r.Places = make([][]value.Value, len(hits)), make([]Place, len(hits))
	cells := make([]value.Value, len(hits)*len(fields)) // of all rows
	for i, h := range hits {
		row := cells[i*len(fields) : (i+1)*len(fields) : (i+1)*len(fields)]
		for k, f := range fields {
			row[k] = f.of(h)
		}
		r.Rows[i], r.Places[i] = row, Place{h.file.Path, h.file.line(h.row)}
	}
}

// group makes one output row a group: its keys, then the aggregates. Without
// keys all rows are one group.
func (r *Result) group(q *Query, found [][]rowID) {
	keys := make([]string, len(q.Group))
	for i, g := range q.Group {
		keys[i] = g.Field
		r.Columns = append(r.Columns, g.Name())
	}
	cols := q.Select
	if len(cols) == 0 {
		cols = []Column{{Func: "count"}}
	}
	cols = slices.DeleteFunc(slices.Clone(cols), func(c Column) bool { return c.Func == "" && slices.Contains(keys, c.Field) })
	for _, c := range cols {
		r.Columns = append(r.Columns, c.Name())
	}
	r.Columns = distinctNames(r.Columns, append(make([]Column, len(keys)), cols...))
	if len(q.Before) == 0 {
		if rows, ok := groupColumns(keys, cols, found); ok {
			r.Rows = rows
			return
		}
	}
	type bucket struct {
		key  []value.Value
		rows []rowID
	}
	index := map[string]*bucket{}
	var order []*bucket
	for _, h := range slices.Concat(found...) {
		key := make([]value.Value, len(keys))
		id := ""
		for k, name := range keys {
			v, _ := h.file.Field(h.row, name)
			key[k] = scalar(v)
			id += plainText(v) + "\x00"
		}
		b := index[id]
		if b == nil {
			b = &bucket{key: key}
			index[id] = b
			order = append(order, b)
		}
		b.rows = append(b.rows, h)
	}
	if len(keys) == 0 && len(order) == 0 {
		order = append(order, &bucket{})
	}
	for _, b := range order {
		row := b.key
		for _, c := range cols {
			row = append(row, aggregateRows(c, b.rows))
		}
		r.Rows = append(r.Rows, row)
	}
}

func aggregateRows(c Column, rows []rowID) value.Value {
	fn := c.Func
	if fn == "" { // a plain column in a group shows its first value
		fn = "first"
	}
	if c.Field == "" {
		return aggregate(fn, nil, len(rows))
	}
	values := make([]value.Value, 0, len(rows))
	for _, h := range rows {
		if v, ok := h.file.Field(h.row, c.Field); ok {
			values = append(values, v)
		}
	}
	return aggregate(fn, values, len(values))
}

// distinctNames appends the field to aggregates whose name would repeat.
func distinctNames(names []string, cols []Column) []string {
	seen := map[string]bool{}
	for i, n := range names {
		if seen[n] && cols[i].Field != "" && cols[i].As == "" {
			names[i] = n + "_" + cols[i].Field
		}
		seen[names[i]] = true
	}
	return names
}

// arrange sorts, skips and limits rows that stand for groups.
func (r *Result) arrange(q *Query) error {
	if err := r.sort(q.Sort); err != nil {
		return err
	}
	r.Rows = cut(q, r.Rows)
	return nil
}

// sort puts rows in the order of their own columns.
func (r *Result) sort(by []Order) error {
	columns := make([]int, len(by))
	for k, o := range by {
		if columns[k] = slices.Index(r.Columns, o.Column); columns[k] < 0 && len(r.Rows) > 0 {
			return errorf(o.Pos, suggest(o.Column, r.Columns), "no column %s to sort by", o.Column)
		}
	}
	order := newOrdering(by, len(r.Rows), func(row, key int) value.Value { return r.Rows[row][columns[key]] }).first(0)
	sorted := make([][]value.Value, len(order))
	for i, row := range order {
		sorted[i] = r.Rows[row]
	}
	r.Rows = sorted
	return nil
}
