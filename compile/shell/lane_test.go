package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
	"wb/tangle/elisp"
)

func lane(t testing.TB) *Lane {
	t.Helper()
	runner(t)
	return New(lanetest.Env(t)).with(theRunner)
}

// with makes the lane share what another runner has loaded.
func (l *Lane) with(r *ScriptRunner) *Lane { return &Lane{ScriptRunner: r, env: l.env} }

func block(lang, body string, results ...string) *compile.Source {
	return &compile.Source{Pos: diag.Position{File: "a.org", Line: 10, Col: 1}, Lang: lang, Body: body, Shape: compile.ShapeBabel,
		Results: results, Args: map[string][]string{}}
}

func execute(t *testing.T, src *compile.Source, job *compile.Job) *compile.Outcome {
	t.Helper()
	l := lane(t)
	art, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Run(context.Background(), art, job)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func row(cells ...string) value.Value {
	items := make([]value.Value, len(cells))
	for i, c := range cells {
		items[i] = compile.ReadCell(c)
	}
	return value.OfList(items...)
}

// TestAssignments compares the statements that define variables with what
// ob-shell 9.8 writes for them.
func TestAssignments(t *testing.T) {
	table := value.OfList(row("a", "1"), row("b", "2"))
	wide := value.OfList(row("k", "x", "y"))
	column := value.OfList(row("a"), row("b"))
	list := value.OfList(value.OfString("p q"), value.OfInt(3))
	for _, c := range []struct {
		lang string
		v    value.Value
		want string
	}{
		{"sh", value.OfString("it's"), `v='it'"'"'s'`},
		{"sh", value.OfInt(5), "v='5'"},
		{"sh", value.OfFloat(2), "v='2.0'"},
		{"sh", value.Nil(), "v=''"},
		{"sh", table, "v='a\t1\nb\t2'"},
		{"sh", list, "v='p q\n3'"},
		{"bash", list, "unset v\ndeclare -a v=( 'p q' '3' )"},
		{"bash", table, "unset v\ndeclare -A v\nv['a']='1'\nv['b']='2'"},
		{"bash", wide, "unset v\ndeclare -A v\nv['k']='x\ny'"},
		{"bash", column, "unset v\ndeclare -a v=( 'a' 'b' )"},
		{"bash", value.OfList(), "v=''"},
	} {
		if got := assignment(t, block(c.lang, ""), c.v); got != c.want {
			t.Errorf("%s %v:\n got %q\nwant %q", c.lang, c.v, got, c.want)
		}
	}
	src := block("sh", "")
	src.Args["separator"], src.Args["hlines"] = []string{`","`}, []string{"yes"}
	ruled := value.OfList(row("h"), value.Rule(), row("1", "2"))
	if got, want := assignment(t, src, ruled), "v='h\nhline\n1,2'"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// assignment is what gives a block its variable v.
func assignment(t *testing.T, src *compile.Source, v value.Value) string {
	t.Helper()
	src.Vars = []compile.Var{{Name: "v", Value: v}}
	before, _, err := src.Surround(src.Lang)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(before, "\n")
}

// TestAgainstEmacs runs blocks through Emacs and through the lane.
func TestAgainstEmacs(t *testing.T) {
	if _, err := exec.LookPath("emacs"); err != nil {
		t.Skip("emacs is missing: apt-get install emacs-nox")
	}
	blocks := []orgBlock{
		{"sh :results output", "echo hello; echo 2"},
		{"sh", "echo 1 2; echo 3 4"},
		{"sh", "printf 'a,b\\n1,2\\n'"},
		{"sh :results value", "echo out; false"},
		{"sh :results verbatim", "echo one two"},
		{"bash :var x='(1 2 3)", "echo ${x[2]} ${#x[@]}"},
		{"bash :var x='((a 1) (b 2))", "echo ${x[b]}"},
		{"sh :var x='((a 1) (b 2))", "echo \"$x\" | wc -l | tr -d ' '"},
		{"sh :var x=\"two words\" :results output", "echo $x"},
		{"sh :prologue \"p=1\" :epilogue \"echo end\" :results output", "echo $p"},
		{"sh :cmdline \"a b\" :results output", "echo $# $2"},
		{"bash :results output", "for i in {1..3}; do echo -n $i; done"},
	}
	wants := emacs(t, blocks)
	for i, c := range blocks {
		want := wants[i]
		src := block(strings.Fields(c.header)[0], c.body)
		job := &compile.Job{}
		for _, arg := range strings.Split(" "+c.header, " :")[1:] {
			name, text, _ := strings.Cut(arg, " ")
			switch name {
			case "results":
				src.Results = strings.Fields(text)
			case "var":
				n, v, _ := strings.Cut(text, "=")
				src.Vars = append(src.Vars, compile.Var{Name: n, Value: lispValue(v)})
			default:
				src.Args[name] = []string{text}
			}
		}
		out := execute(t, src, job)
		if got := elisp.Print(elisp.FromValue(out.Value)); got != want {
			t.Errorf("%s\n%s\n got %s\nwant %s", c.header, c.body, got, want)
		}
	}
}

// lispValue reads the few values the cases above use.
func lispValue(s string) value.Value {
	switch s {
	case "'(1 2 3)":
		return row("1", "2", "3")
	case "'((a 1) (b 2))":
		return value.OfList(row("a", "1"), row("b", "2"))
	}
	return value.OfString(strings.Trim(s, `"`))
}

type orgBlock struct{ header, body string }

// emacs runs blocks in one Emacs and gives the values org-babel returns.
func emacs(t *testing.T, blocks []orgBlock) []string {
	t.Helper()
	var org strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&org, "#+begin_src %s\n%s\n#+end_src\n\n", b.header, b.body)
	}
	file := filepath.Join(t.TempDir(), "t.org")
	if err := os.WriteFile(file, []byte(org.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("emacs", "-Q", "--batch", "--eval", `(progn (require 'org) (require 'ob-shell) (setq org-confirm-babel-evaluate nil)
 (find-file "`+file+`") (goto-char (point-min))
 (let ((values nil))
  (while (re-search-forward "^#\\+begin_src" nil t)
   (push (prin1-to-string (save-excursion (beginning-of-line) (org-babel-execute-src-block))) values)
   (re-search-forward "^#\\+end_src"))
  (princ (concat "\n<<" (mapconcat #'identity (nreverse values) "\x1f") ">>"))))`)
	c.Env = append(os.Environ(), "LC_ALL=C")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(out), "\n<<")
	result, _, _ := strings.Cut(rest, ">>")
	list := strings.Split(result, "\x1f")
	if len(list) != len(blocks) {
		t.Fatalf("emacs gave %d values for %d blocks: %s", len(list), len(blocks), out)
	}
	return list
}

func TestSyntaxErrorIsPlaced(t *testing.T) {
	src := block("bash", "echo fine\nif true; then\n  )\nfi\n")
	src.Vars = []compile.Var{{Name: "x", Value: value.OfString("two\nlines")}}
	_, err := lane(t).Build(context.Background(), src)
	var build *diag.FindingsError
	if !errors.As(err, &build) {
		t.Fatalf("got %v", err)
	}
	if got := build.Findings[0].Pos.String(); got != "a.org:12:3" {
		t.Errorf("at %s: %v", got, err)
	}
}

func TestMessagesCountTheAuthorsLines(t *testing.T) {
	src := block("bash", "echo fine\nnosuch\n")
	src.Vars = []compile.Var{{Name: "x", Value: value.OfString("two\nlines")}}
	out := execute(t, src, &compile.Job{})
	if want := "bash: line 2: nosuch: command not found\n"; !strings.HasPrefix(string(out.Stderr), want) || out.Exit != 127 {
		t.Errorf("exit %d, stderr %q", out.Exit, out.Stderr)
	}
	if !strings.Contains(string(out.Stderr), "hint: ") {
		t.Errorf("no hint in %q", out.Stderr)
	}
}

func TestCommandShape(t *testing.T) {
	src := block("sh", "read x; echo \"got $x and $1\"; exit 3")
	src.Shape = compile.ShapeCommand
	out := execute(t, src, &compile.Job{Args: []string{"arg"}, Inputs: []value.Field{{Name: "in", Value: value.OfString("text\n")}}})
	if string(out.Stdout) != "got text and arg\n" || out.Exit != 3 {
		t.Errorf("exit %d stdout %q stderr %q", out.Exit, out.Stdout, out.Stderr)
	}
	src.Body = "jq -c .b"
	out = execute(t, src, &compile.Job{Inputs: []value.Field{{Name: "a", Value: value.OfInt(1)}, {Name: "b", Value: row("1", "2")}}})
	if string(out.Stdout) != "[1,2]\n" {
		t.Errorf("stdout %q stderr %q", out.Stdout, out.Stderr)
	}
}

func TestFilesAreShared(t *testing.T) {
	tree := sandbox.NewMemFS()
	if err := tree.WriteFile("in/data.txt", []byte("b\na\n")); err != nil {
		t.Fatal(err)
	}
	r, err := runner(t).Run(context.Background(), Script{Text: "sort data.txt > ../out.txt; echo x > /tmp/private; ls /tmp; cat ../../../../etc/passwd", Files: tree, Dir: "/in"})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := tree.ReadFile("out.txt"); string(text) != "a\nb\n" {
		t.Errorf("out.txt %q, stderr %s", text, r.Stderr)
	}
	if _, err := tree.Stat("tmp"); err == nil {
		t.Error("the private /tmp shows in the tree")
	}
	if string(r.Stdout) != "private\n" || r.Exit == 0 || !strings.Contains(string(r.Stderr), "No such file") {
		t.Errorf("stdout %q stderr %q exit %d", r.Stdout, r.Stderr, r.Exit)
	}
}

// TestLimits: whatever a script does, it ends with one line that says which
// limit it met, and what it printed before is kept.
func TestLimits(t *testing.T) {
	small := sandbox.Limits{Fuel: 60e6, Memory: 48 << 20, Timeout: 10 * time.Minute, Output: 1 << 20, Files: 4 << 20}
	for _, c := range []struct{ name, script, want string }{
		{"loop in the shell", "echo before; while :; do :; done", "fuel limit"},
		{"loop in a tool", "echo before; awk 'BEGIN { while (1) x++ }'", "fuel limit"},
		{"endless pipeline", "echo before; yes | cat > /dev/null", "fuel limit"},
		{"many processes", "echo before; while :; do true | cat; done", "fuel limit"},
		{"doubling string", "echo before; x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "memory limit"},
		{"long range", "echo before; echo {1..99999999} > /dev/null", "memory limit"},
		{"endless output", "echo before; yes", "output limit"},
		{"substitution of endless output", "echo before; x=$(yes)", "memory limit"},
		{"sleeping", "echo before; sleep 100000", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := small
			switch {
			case c.name == "many processes":
				limits.Fuel = 5e6
			case c.want == "memory limit":
				limits.Fuel = 1e9 // so that memory runs out first
			}
			r, err := runner(t).Run(context.Background(), Script{Text: c.script, Limits: limits})
			if !strings.HasPrefix(string(r.Stdout), "before\n") {
				t.Errorf("stdout %.80q", r.Stdout)
			}
			if c.want == "" {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			var limit *sandbox.LimitError
			if !errors.As(err, &limit) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, stderr %.200s", err, r.Stderr)
			}
		})
	}
	for _, c := range []struct{ name, script, want string }{
		{"fork bomb", ":(){ :|:& };:", "nesting level exceeded"},
		{"braces", "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "brace expansion would exceed"},
		{"recursion", "f() { f; }; f", "nesting level exceeded"},
		{"shells in shells", "echo 'sh x' > x; sh x", "too deeply"},
		{"disk", "head -c 20000000 /dev/zero > f 2>/dev/null; yes 0123456789 > big", "No space left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := runner(t).Run(context.Background(), Script{Text: c.script, Limits: small})
			if err == nil && r.Exit == 0 {
				t.Errorf("nothing stopped it: stderr %.200s", r.Stderr)
			}
			var limit *sandbox.LimitError
			if !strings.Contains(strings.ToLower(string(r.Stderr)), strings.ToLower(c.want)) && !errors.As(err, &limit) {
				t.Errorf("error %v, exit %d, stderr %.300s", err, r.Exit, r.Stderr)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := runner(t).Run(ctx, Script{Text: "while :; do :; done | cat", Limits: sandbox.Limits{Fuel: -1, Timeout: -1}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestSameEveryTime: output, errors and fuel of a script with early exits and
// errors in several stages do not depend on timing.
func TestSameEveryTime(t *testing.T) {
	const script = `seq 100000 | sort -r | head -3; yes | head -2; ls no1 | ls no2 | cat; echo $RANDOM; shuf -e a b c d; mktemp; date; awk 'BEGIN{print rand()}'
for i in 1 2 3; do echo $i; done | while read x; do echo "<$x>"; done | tail -1`
	var first Result
	for i := range 6 {
		r, err := runner(t).Run(context.Background(), Script{Text: script, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r
		} else if string(r.Stdout) != string(first.Stdout) || string(r.Stderr) != string(first.Stderr) || r.Usage.Fuel != first.Usage.Fuel {
			t.Fatalf("run %d differs: fuel %d and %d\n%s%s\n%s%s", i, r.Usage.Fuel, first.Usage.Fuel, r.Stdout, r.Stderr, first.Stdout, first.Stderr)
		}
	}
}

func benchmark(b *testing.B, script string) {
	r := runner(b)
	ctx := context.Background()
	run := func() {
		res, err := r.Run(ctx, Script{Text: script})
		if err != nil || res.Exit != 0 {
			b.Fatalf("%v exit %d %s", err, res.Exit, res.Stderr)
		}
	}
	run()
	b.ResetTimer()
	for b.Loop() {
		run()
	}
}

// BenchmarkShell is a shell that runs a builtin; the pipelines add stages.
func BenchmarkShell(b *testing.B)    { benchmark(b, "echo a") }
func BenchmarkOneTool(b *testing.B)  { benchmark(b, "cat /dev/null") }
func BenchmarkPipeline(b *testing.B) { benchmark(b, "echo a | cat | cat | cat | cat") }
func BenchmarkJQ(b *testing.B)       { benchmark(b, `echo '{"a":1}' | jq .a`) }
func BenchmarkSort(b *testing.B)     { benchmark(b, "seq 100000 | sort -rn | tail -1") }
func BenchmarkShellLoop(b *testing.B) {
	benchmark(b, "i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done")
}
func BenchmarkGrep(b *testing.B)   { benchmark(b, "seq 200000 | grep -cE '(1|3)+7$'") }
func BenchmarkAwkSum(b *testing.B) { benchmark(b, "seq 100000 | awk '{s+=$1} END {print s}'") }
