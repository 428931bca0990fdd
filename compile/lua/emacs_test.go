package lua

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

var update = flag.Bool("update", false, "ask Emacs and lua on this machine what testdata says anew")

// TestBabelLikeEmacs compares values with what ob-lua of Org 9.8 and PUC-Rio's
// lua made of the same bodies. -update asks the Emacs on this machine; the
// environment's ORG_LISP may name the directory of another Org.
func TestBabelLikeEmacs(t *testing.T) {
	l := testLane(t)
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
		parts := strings.Split(line, "\t")
		src := block(compile.ShapeBabel, parts[1])
		src.Results = strings.FieldsFunc(parts[0], func(r rune) bool { return r == ',' })
		if len(parts) > 2 {
			src.Vars = lispVars(t, parts[2])
		}
		want, err := value.ParseJSON(answers[i])
		if err != nil {
			t.Fatalf("%s: %v", answers[i], err)
		}
		out, err := lanetest.Execute(t, l, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", line, complaint)
		} else if !value.Equal(out.Value, want) {
			t.Errorf("%s: got %s, Emacs has %s", line, out.Value, want)
		}
	}
}

// lispVars reads variables as testdata/babel writes them: ((x . 5) (y . "a")).
func lispVars(t *testing.T, text string) []compile.Var {
	t.Helper()
	list, err := elisp.Read(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pairs, _ := elisp.Items(list)
	var vars []compile.Var
	for _, pair := range pairs {
		v, err := elisp.ToValue(elisp.Cdr(pair))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		vars = append(vars, compile.Var{Name: elisp.Princ(elisp.Car(pair)), Value: v})
	}
	return vars
}
