package sql

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanetest"
	"wb/tangle/elisp"
	"wb/value"
)

var update = flag.Bool("update", false, "ask Emacs and sqlite3 on this machine what testdata says anew")

// TestBabelLikeEmacs compares values with what ob-sqlite of Org 9.8 and sqlite3
// 3.40 made of the same bodies. -update asks the Emacs on this machine; the
// environment's ORG_LISP may name the directory of another Org.
func TestBabelLikeEmacs(t *testing.T) {
	sqlite, _ := testLanes(t)
	golden := filepath.Join("testdata", "babel", "values.jsonl")
	if *update {
		args := []string{"-Q", "--batch"}
		if dir := os.Getenv("ORG_LISP"); dir != "" {
			args = append(args, "-L", dir)
		}
		out, err := exec.Command("emacs", append(args, "-l", "testdata/babel/oracle.el", "testdata/babel/bodies.txt")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := os.ReadFile(filepath.Join("testdata", "babel", "bodies.txt"))
	if err != nil {
		t.Fatal(err)
	}
	answers := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	lines := strings.Split(strings.TrimSuffix(string(bodies), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d bodies; go test -update", len(answers), len(lines))
	}
	for i, line := range lines {
		params, body, _ := strings.Cut(line, "\t")
		src := block(compile.ShapeBabel, body)
		readParams(t, src, params)
		want, err := value.ParseJSON(answers[i])
		if err != nil {
			t.Fatalf("%s: %v", answers[i], err)
		}
		out, err := lanetest.Execute(t, sqlite, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", line, complaint)
		} else if got := ruled(out.Value); !value.Equal(got, want) {
			t.Errorf("%s:\ngot   %s\nEmacs %s", line, got, want)
		}
	}
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
			v, err := elisp.ToValue(elisp.Cdr(arg))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			src.Vars = append(src.Vars, compile.Var{Name: elisp.Princ(elisp.Car(arg)), Value: v})
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
