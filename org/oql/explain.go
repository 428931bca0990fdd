package oql

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/internal/value"
)

// Counted makes the query ask how many rows it has, after its limit and its
// groups, and nothing else.
func (q *Query) Counted() {
	if !q.grouped() && q.Limit == 0 && q.Offset == 0 {
		q.Select, q.Sort = []Column{{Func: "count"}}, nil
		return
	}
	q.Count = true
}

// Explain says, line by line, how a query was read, what the index answered
// and how long it took, that is after [Answer.Close]; types are what [Answer.Types]
// said before.
func (a *Answer) Explain(q *Query, types string) []string {
	lines := []string{"query  " + q.String()}
	if s := a.Index; s != nil {
		lines = append(lines, fmt.Sprintf("index  %s: %s, %d unchanged, %d found by hash, %d parsed (%s)", a.Dir, plural(s.Files, "file"), s.Fresh, s.Hashed, s.Built, size(s.Bytes)))
		if s.Skipped != "" {
			lines = append(lines, "       not written: "+s.Skipped)
		}
	} else {
		lines = append(lines, "index  none")
	}
	lines = append(lines,
		fmt.Sprintf("rows   %d of kind %s: the index ruled out %d and answered for %d, %d were decoded", a.Read, a.Kind, a.Read-a.Sifted, a.Sifted-a.Tested, a.Tested),
		fmt.Sprintf("answer %s", plural(len(a.Rows), "row")))
	if types != "" {
		lines = append(lines, "types  "+types)
	}
	times := fmt.Sprintf("time   opening %s, answering %s", ms(a.Opening), ms(a.Running))
	if s := a.Index; s != nil {
		times += fmt.Sprintf(" (looking at files %s, reading %s, writing the index %s)", ms(s.Stat), ms(s.Read), ms(s.Commit))
	}
	return append(lines, times)
}

// Types says of what kind the values of each column of the answer are.
func (a *Answer) Types() string {
	const rows = 1000 // looked at
	var all []string
	for i, name := range a.Columns {
		var seen []string
		for _, row := range a.Rows[:min(rows, len(a.Rows))] {
			if kind := kindOf(row[i]); kind != "" && !slices.Contains(seen, kind) {
				seen = append(seen, kind)
			}
		}
		if len(seen) > 0 {
			all = append(all, name+" "+strings.Join(seen, "/"))
		}
	}
	return strings.Join(all, ", ")
}

// kindOf is how comparisons take a value; null says nothing.
func kindOf(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return ""
	case value.Int:
		return "integer"
	case value.Float:
		return "number"
	case value.Bool:
		return "boolean"
	case value.String:
		text := strings.Trim(plainText(v), "<>[]")
		if text == "" {
			return ""
		}
		if _, ok := parseDay(text); ok && text[0] >= '0' && text[0] <= '9' {
			return "date"
		}
		return "text"
	case value.List:
		return "list"
	}
	return "object"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d kB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
