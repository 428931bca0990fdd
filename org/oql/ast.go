package oql

import "slices"

// Pos is a place in the query text; both count from 1, Col in bytes.
type Pos struct{ Line, Col int }

// Query is a parsed query. The zero value of every part means "not asked for":
// no From is the files given on the command line, no Where is every row.
type Query struct {
	From    []Source
	Where   Expr
	Joins   []Join
	Group   []Column
	Select  []Column
	Before  []Order // of the rows, before they are grouped
	Having  Expr    // the condition on groups, which compares their columns
	Sort    []Order
	Limit   int // rows at most; 0 is no limit
	Offset  int
	HasText bool // some part ranks by full text
	Count   bool // the answer is how many rows it would have had
}

// Source names where rows come from: a row kind ("headlines", "blocks",
// "links", "tables", "events", "runs"), a file or directory, or an entity of a
// foreign table. Which it is, the reader decides.
type Source struct {
	Name string
	Pos  Pos
}

// Join pairs each row with the rows of another source whose Right column
// equals the row's Left column; rows without a partner are dropped.
type Join struct {
	From        []Source
	Left, Right string
	Pos         Pos
}

// Column is one output column: a field, or an aggregate over one.
type Column struct {
	// Func is "" for a plain field, else one of the aggregates.
	Func  string
	Field string // "" for (count)
	As    string // name in the output
	Pos   Pos
}

// Name is the column's heading in the output.
func (c Column) Name() string {
	switch {
	case c.As != "":
		return c.As
	case c.Func == "":
		return c.Field
	}
	return c.Func
}

// Order is one sort key.
type Order struct {
	Column string
	Desc   bool
	Pos    Pos
}

// Expr is a condition on a row.
type Expr interface{ Position() Pos }

// And holds when every argument does; an empty And always holds.
type And struct {
	Args []Expr
	Pos  Pos
}

// Or holds when some argument does.
type Or struct {
	Args []Expr
	Pos  Pos
}

// Not holds when its argument does not.
type Not struct {
	Arg Expr
	Pos Pos
}

// Call is a predicate with arguments: (todo "NEXT"), (ts :from -7).
type Call struct {
	Name  string // canonical, never an alias
	Args  []Arg
	Named []NamedArg
	Query Expr // the nested query of ancestors, children, descendants, parent
	Pos   Pos
}

// Compare relates a field to a constant: (> DUR_MS 1000), dur_ms:>1000.
type Compare struct {
	Op    string // = != < <= > >= ~ !~
	Field string
	Value Arg
	Pos   Pos
}

func (e *And) Position() Pos     { return e.Pos }
func (e *Or) Position() Pos      { return e.Pos }
func (e *Not) Position() Pos     { return e.Pos }
func (e *Call) Position() Pos    { return e.Pos }
func (e *Compare) Position() Pos { return e.Pos }

// ArgKind says how an argument was written, which matters where org-ql tells
// strings from symbols (today, auto, nil) and numbers.
type ArgKind uint8

// The kinds of argument.
const (
	ArgString ArgKind = iota
	ArgSymbol
	ArgNumber
	ArgList
)

// Arg is one argument of a predicate.
type Arg struct {
	Kind ArgKind
	Text string // as written, without quotes
	Num  float64
	List []Arg
	Pos  Pos
}

// NamedArg is a keyword argument such as :from or :inherit, without the colon.
type NamedArg struct {
	Name  string
	Value Arg
	Pos   Pos
}

// Keyword returns the named argument and whether it was given.
func (c *Call) Keyword(name string) (Arg, bool) {
	for _, n := range c.Named {
		if n.Name == name {
			return n.Value, true
		}
	}
	return Arg{}, false
}

// ReadsArguments reports whether rows come from the files on the command line:
// the query names no file or entity of its own.
func (q *Query) ReadsArguments() bool {
	for _, s := range q.From {
		if !slices.Contains(RowKinds, s.Name) {
			return false
		}
	}
	return true
}

// OnlyConditions reports whether the query asks nothing but which headlines
// match: it has no stages, and rows are not made of something else.
func (q *Query) OnlyConditions() bool {
	for _, s := range q.From {
		if slices.Contains(RowKinds, s.Name) && s.Name != "headlines" {
			return false
		}
	}
	return len(q.Joins)+len(q.Group)+len(q.Select)+len(q.Sort)+q.Limit+q.Offset == 0 && q.Having == nil && !q.Count && q.ReadsArguments()
}

// ReadsHeadlines reports whether rows are headlines.
func (q *Query) ReadsHeadlines() bool {
	for _, s := range q.From {
		if slices.Contains(RowKinds, s.Name) && s.Name != "headlines" {
			return false
		}
	}
	return true
}
