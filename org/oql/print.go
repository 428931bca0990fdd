package oql

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints the query in its canonical s-expression form; parsing that
// gives an equal query. --explain shows it and tests compare it.
func (q *Query) String() string {
	var parts []string
	if len(q.From) > 0 {
		parts = append(parts, printFrom(q.From))
	}
	for _, j := range q.Joins {
		parts = append(parts, fmt.Sprintf("(join %s :on %s %s)", printFrom(j.From), printName(j.Left), printName(j.Right)))
	}
	if q.Where != nil {
		parts = append(parts, "(where "+printExpr(q.Where)+")")
	}
	if len(q.Before) > 0 {
		parts = append(parts, "(order-rows-by "+printOrders(q.Before)+")")
	}
	if len(q.Group) > 0 {
		parts = append(parts, "(group-by "+printColumns(q.Group)+")")
	}
	if q.Having != nil {
		parts = append(parts, "(having "+printExpr(q.Having)+")")
	}
	if len(q.Select) > 0 {
		parts = append(parts, "(select "+printColumns(q.Select)+")")
	}
	if len(q.Sort) > 0 {
		parts = append(parts, "(order-by "+printOrders(q.Sort)+")")
	}
	if q.Limit > 0 {
		parts = append(parts, "(limit "+strconv.Itoa(q.Limit)+")")
	}
	if q.Offset > 0 {
		parts = append(parts, "(offset "+strconv.Itoa(q.Offset)+")")
	}
	return strings.TrimSuffix("(query "+strings.Join(parts, " "), " ") + ")"
}

func printOrders(orders []Order) string {
	keys := make([]string, len(orders))
	for i, o := range orders {
		keys[i] = "(asc " + printName(o.Column) + ")"
		if o.Desc {
			keys[i] = "(desc " + printName(o.Column) + ")"
		}
	}
	return strings.Join(keys, " ")
}

func printFrom(from []Source) string {
	names := make([]string, len(from))
	for i, s := range from {
		names[i] = quote(s.Name)
	}
	return "(from " + strings.Join(names, " ") + ")"
}

func printColumns(cols []Column) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		text := printName(c.Field)
		switch {
		case c.Func != "" && c.Field == "":
			text = "(" + c.Func + ")"
		case c.Func != "":
			text = "(" + c.Func + " " + text + ")"
		}
		if c.As != "" {
			text = "(as " + text + " " + printName(c.As) + ")"
		}
		out[i] = text
	}
	return strings.Join(out, " ")
}

func printExpr(e Expr) string {
	switch e := e.(type) {
	case *And:
		return printList("and", e.Args)
	case *Or:
		return printList("or", e.Args)
	case *Not:
		return "(not " + printExpr(e.Arg) + ")"
	case *Compare:
		return "(" + e.Op + " " + printName(e.Field) + " " + printArg(e.Value) + ")"
	case *Call:
		var b strings.Builder
		b.WriteString("(" + e.Name)
		for _, a := range e.Args {
			b.WriteString(" " + printArg(a))
		}
		for _, n := range e.Named {
			b.WriteString(" :" + n.Name + " " + printArg(n.Value))
		}
		if e.Query != nil {
			b.WriteString(" " + printExpr(e.Query))
		}
		return b.String() + ")"
	}
	return "nil"
}

func printList(head string, args []Expr) string {
	parts := []string{head}
	for _, a := range args {
		parts = append(parts, printExpr(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func printArg(a Arg) string {
	switch a.Kind {
	case ArgString:
		return quote(a.Text)
	case ArgList:
		parts := make([]string, len(a.List))
		for i, kid := range a.List {
			parts[i] = printArg(kid)
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return printName(a.Text)
}

// printName writes a word bare where it reads back as itself, else quoted.
func printName(s string) string {
	for i, r := range s {
		safe := isLetter(r) || r >= '0' && r <= '9' || r > 127 || strings.ContainsRune("_-.*&+<>=!~/%@", r) || r == ':' && i > 0
		if !safe {
			return quote(s)
		}
	}
	if s == "" {
		return quote(s)
	}
	return s
}

// quote writes a string the way readString reads it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
