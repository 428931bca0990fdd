package federate

import (
	"math"
	"strconv"
	"strings"

	"wb/org/oql"
)

// Filter is the part of a query's condition that a source may use: comparisons of one
// column with a constant, all of which a row has to meet. Everything else of
// the condition is tested later.
type Filter []Comparison

// Comparison relates a column to a constant: Op is one of = != < <= > >=.
type Comparison struct {
	Column string
	Op     string
	Text   string
	Number float64
	// Numeric says that the constant is a number.
	Numeric bool
}

// exact is up to where every whole number is a float64. Beyond it a query,
// which compares floats, and a source, which may not, can disagree.
const exact = 1 << 53

// filterOf takes the comparisons out of a condition that every row must meet.
func filterOf(e oql.Expr) (f Filter) {
	switch e := e.(type) {
	case *oql.And:
		for _, arg := range e.Args {
			f = append(f, filterOf(arg)...)
		}
	case *oql.Compare:
		switch e.Op {
		case "=", "!=", "<", "<=", ">", ">=":
			c := Comparison{Column: e.Field, Op: e.Op, Text: e.Value.Text}
			if n, err := strconv.ParseFloat(strings.TrimSpace(c.Text), 64); err == nil && math.Abs(n) < exact && !strings.ContainsAny(c.Text, "xXpPiInN_") {
				c.Number, c.Numeric = n, true
			}
			f = append(f, c)
		}
	}
	return f
}

// excludes reports whether a comparison of numbers fails for every value
// between two bounds. A constant that is not a number excludes nothing.
func (c Comparison) excludes(low, high float64) bool {
	if !c.Numeric {
		return false
	}
	switch c.Op {
	case "=":
		return c.Number < low || c.Number > high
	case "<":
		return low >= c.Number
	case "<=":
		return low > c.Number
	case ">":
		return high <= c.Number
	case ">=":
		return high < c.Number
	}
	return false
}
