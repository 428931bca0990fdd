package babel

import (
	"strconv"
	"strings"

	"wb/internal/value"
	"wb/tangle/elisp"
)

// Large is how many atoms a value has that is not written as a literal: reading
// a program of megabytes takes an interpreter seconds, and reading the same as
// JSON a tenth of that.
const Large = 2000

// isLarge reports whether a value has that many atoms.
func isLarge(x elisp.Value) bool { return atoms(x, Large) <= 0 }

// atoms is how many of left atoms remain when those of x are taken.
func atoms(x elisp.Value, left int) int {
	for pair, ok := x.(*elisp.Cons); ok && left > 0; pair, ok = pair.Cdr.(*elisp.Cons) {
		left = atoms(pair.Car, left-1)
	}
	return left
}

// jsonText is a large list as JSON, if JSON holds all of it. rule is what a rule
// between rows becomes, "" if it cannot be there; whole numbers up to exact keep
// their value.
func jsonText(p *Params, x elisp.Value, rule string, exact int64) (string, bool) {
	if !p.Exact || !isLarge(x) {
		return "", false
	}
	w := jsonWriter{rule: rule, exact: exact, sound: true}
	w.add(x)
	return w.text.String(), w.sound
}

// SingleQuoted is a text in single quotes, as JavaScript, Lua and Ruby read them.
func SingleQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

type jsonWriter struct {
	text  strings.Builder
	rule  string
	exact int64
	sound bool
}

func (w *jsonWriter) add(x elisp.Value) {
	switch x := x.(type) {
	case *elisp.Cons:
		items, proper := elisp.Items(x)
		w.sound = w.sound && proper
		w.list(items)
	case elisp.Vector:
		w.list(x)
	case elisp.Int:
		w.sound = w.sound && -w.exact <= int64(x) && int64(x) <= w.exact
		w.text.WriteString(strconv.FormatInt(int64(x), 10))
	case elisp.Float:
		text := number(x, "", "")
		w.sound = w.sound && text != "" && text != "-"
		w.text.WriteString(text)
	case elisp.Symbol:
		switch x {
		case elisp.Nil:
			w.text.WriteString("[]")
		case elisp.HLine:
			w.sound = w.sound && w.rule != ""
			w.text.WriteString(w.rule)
		default:
			w.sound = false
		}
	case elisp.String:
		w.text.Write(value.OfString(string(x)).AppendJSON(nil))
	default:
		w.sound = false
	}
}

func (w *jsonWriter) list(items []elisp.Value) {
	w.text.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.text.WriteByte(',')
		}
		w.add(item)
	}
	w.text.WriteByte(']')
}
