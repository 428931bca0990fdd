package sql

import (
	"flag"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/tangle/elisp"
)

var update = flag.Bool("update", false, "ask Emacs and sqlite3 on this machine what testdata says anew")

// TestBabelLikeEmacs compares values with what ob-sqlite of Org 9.8 and sqlite3
// 3.40 made of the same bodies. -update asks the Emacs on this machine.
func TestBabelLikeEmacs(t *testing.T) {
	sqlite, _ := testLanes(t)
	lanetest.LikeEmacs(t, *update, func(line string, want value.Value) {
		params, body, _ := strings.Cut(line, "\t")
		src := block(compile.ShapeBabel, body)
		readParams(t, src, params)
		out, err := lanetest.Execute(t, sqlite, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", line, complaint)
		} else if got := ruled(out.Value); !value.Equal(got, want) {
			t.Errorf("%s:\ngot   %s\nEmacs %s", line, got, want)
		}
	})
}

// ruled has the word for a rule where there is one, as the oracle writes it.
func ruled(v value.Value) value.Value {
	if v.Kind() == value.List {
		items := append([]value.Value(nil), v.Items()...)
		for i, item := range items {
			if item.Kind() == value.HLine {
				items[i] = value.OfString("hline")
			}
		}
		return value.OfList(items...)
	}
	return v
}

// readParams gives a block the header arguments that Emacs Lisp says.
func readParams(t *testing.T, src *compile.Source, text string) {
	t.Helper()
	list, err := elisp.Read(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pairs, _ := elisp.Items(list)
	for _, pair := range pairs {
		name := strings.TrimPrefix(elisp.Princ(elisp.Car(pair)), ":")
		switch arg := elisp.Cdr(pair); name {
		case "var":
			src.Vars = append(src.Vars, lanetest.LispVar(t, arg))
		case "results":
			src.Results = strings.Fields(elisp.Princ(arg))
		default:
			text := ""
			if items, ok := elisp.Items(arg); !ok || len(items) > 0 {
				text = elisp.Princ(arg)
			}
			src.Args[name] = []string{text}
		}
	}
}
