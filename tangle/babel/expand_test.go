package babel

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/tangle/elisp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// A trial is one expansion: the body, and :var and other arguments in Lisp.
type trial struct{ name, body, vars, args string }

var trials = []trial{
	{"none", "body $x", "()", "()"},
	{"scalars", "use $x y $Z", `((x . 5) (y . "two words") (z . 1.5))`, "()"},
	{"quotes", "use", `((q . "it's \"quoted\" \\ back") (r . "a$b"))`, "()"},
	{"lines", "use", `((m . "a\nb\n"))`, "()"},
	{"lists", "use", `((n . (1 2 3)) (s . ("a" "b c")))`, "()"},
	{"tables", "use", `((t1 . ((1 2) (3 4))) (t2 . (("a" 1) ("b" 2.5) ("" "it's"))))`, "()"},
	{"rules", "use", `((t1 . ((1 2) hline (3 4))))`, `((:hlines . "yes"))`},
	{"column", "use", `((t1 . (("a") ("b"))))`, "()"},
	{"symbols", "use", `((s . sym) (e . nil) (c . x))`, "()"},
	{"symbol", "use", `((s . sym))`, "()"},
	{"around", "body", `((x . 1))`, `((:prologue . "PRO") (:epilogue . "EPI"))`},
	{"around-plain", "body", "()", `((:prologue . "PRO") (:epilogue . "EPI"))`},
	{"colnames", "use", `((t1 . ((1 2) (3 4))))`, `((:colname-names . ((t1 . ("one" "two")))) (:colnames . "yes"))`},
	{"rownames", "use", `((t1 . ((1 2) (3 4))))`, `((:rowname-names . ((t1 . ("r1" "r2")))) (:rownames . "yes"))`},
	{"ragged", "use", `((t1 . ((1 2) (3))))`, "()"},
	{"mixed", "use", `((l . (1 "two" 3.5)))`, "()"},
	{"floats", "use", `((l . (1 2.5)) (m . ((1 2.5) (3 4))))`, "()"},
	{"unicode", "use $ü", `((ü . "日本") (x . "é"))`, "()"},
	{"pair", "use", `((p . ("k" "v")))`, "()"},
	{"single", "use", `((p . ("k")))`, "()"},
	{"nested", "use", `((p . ((("a" 1) "b") (2 3))))`, "()"},
	{"bars", "use", `((p . (("a|b" " c ") ("d" "e"))))`, "()"},
	{"pp", "body", `((x . 1))`, `((:result-params . ("pp")))`},
	{"output", "body", `((x . 1))`, `((:result-params . ("output")))`},
}

// special are trials for one language only.
var special = map[string][]trial{
	"C": {
		{"main", "#include <a.h>\nint main(void) {\n}", `((x . 1))`, "()"},
		{"includes", "f();", "()", `((:includes . "<stdio.h> my.h") (:defines . "A 1 B 2 C"))`},
		{"include-list", "f();", "()", `((:includes . (<stdio.h> "my.h")) (:main . "no"))`},
		{"char", "f();", `((c . a))`, "()"},
		{"vector", "f();", `((v . [1 2 3]))`, "()"},
	},
	"C++": {{"namespaces", "f();", "()", `((:namespaces . "std boost"))`}},
	"D":   {{"imports", "f();", `((t1 . ((1 2 3) (4 5 6))))`, `((:imports . "std.math"))`}},
	"java": {
		{"main", "  public static void main(String[] args) {\n}", `((x . 1))`, "()"},
		{"class", "class Foo {\n  void f() {}\n}", `((x . 1))`, "()"},
		{"method", "int f(int x) {\n  return x;\n}", "()", "()"},
		{"package", "package a.b;\nimport java.util.List;\n\nf();\n  g(\"x\\\"\n   y\");\n\n\th();", "()", "()"},
		{"classname", "f();", "()", `((:classname . "a.b.Main2") (:imports . "java.util.List java.io.File"))`},
		{"prologue", "f();", `((x . "s") (y . (1 2)))`, `((:prologue . "// pro") (:epilogue . "// epi"))`},
	},
	"csharp": {{"usings", "f();", `((x . 1))`, `((:usings . ("System" "System.IO")) (:class . "Foo"))`},
		{"bare", "f();", "()", `((:main . "no") (:class . "no"))`}},
	"fortran": {{"program", "  Program foo\nend program", "()", "()"},
		{"includes", "x", `((x . 1))`, `((:includes . "\"a.h\"") (:defines . ("A 1" "B")))`},
		{"bare", "x", "()", `((:main . "no") (:prologue . "P") (:epilogue . "E"))`}},
	"gnuplot": {{"plot", "plot $x", `((x . "data"))`, `((:file . "a.eps") (:title . "T") (:set . ("key" "grid")) (:missing . "-") (:xlabels . ((1 . "a") (2 . "b"))))`},
		{"time", "plot x", "()", `((:timefmt . "%Y") (:file . "b.png") (:term . "dumb"))`}},
	"clojure": {{"ns", "; note\n(f)", `((x . 1))`, `((:ns . "a.b"))`}},
	"bash":    {{"separator", "echo", `((t1 . ((1) (2 3) hline)))`, `((:separator . ";") (:hlines . "yes") (:hline-string . "---"))`}},
}

var trialLanguages = []string{
	"sh", "bash", "shell", "fish", "python", "ruby", "js", "perl", "lua", "haskell", "ocaml", "octave", "matlab",
	"eshell", "plantuml", "processing", "R", "julia", "emacs-lisp", "elisp", "lisp", "scheme", "clojure",
	"C", "C++", "cpp", "D", "java", "csharp", "fortran", "awk", "calc", "dot", "lilypond", "org", "latex", "sql",
	"sqlite", "gnuplot", "text", "css", "sed", "maxima", "groovy", "go",
}

// each trial in every language, then those of one language.
func allTrials(visit func(language string, t trial)) {
	for _, language := range trialLanguages {
		for _, t := range trials {
			visit(language, t)
		}
		for _, t := range special[language] {
			visit(language, t)
		}
	}
}

// params reads a trial's Lisp.
func (tr trial) params(t *testing.T) *Params {
	t.Helper()
	p := &Params{Args: map[string]elisp.Value{}, Dir: "/d/"}
	vars, err := elisp.Read(tr.vars)
	if err != nil {
		t.Fatal(err)
	}
	args, err := elisp.Read(tr.args)
	if err != nil {
		t.Fatal(err)
	}
	pairs, _ := elisp.Items(vars)
	for _, pair := range pairs {
		p.Vars = append(p.Vars, Var{Name: elisp.Princ(elisp.Car(pair)), Value: elisp.Cdr(pair)})
	}
	pairs, _ = elisp.Items(args)
	for _, pair := range pairs {
		name, value := elisp.Princ(elisp.Car(pair)), elisp.Cdr(pair)
		switch name {
		case ":colname-names":
			p.Vars[0].ColNames = elisp.Cdr(elisp.Car(value))
		case ":rowname-names":
			p.Vars[0].RowNames, _ = elisp.Items(elisp.Cdr(elisp.Car(value)))
		case ":result-params":
			words, _ := elisp.Items(value)
			for _, w := range words {
				p.Results = append(p.Results, elisp.Princ(w))
			}
		default:
			p.Args[name] = value
		}
	}
	return p
}

func expansions(t *testing.T) (names, texts, forms []string) {
	allTrials(func(language string, tr trial) {
		text, err := Expand(language, tr.body, tr.params(t))
		if err != nil {
			text = "ERROR"
		}
		names = append(names, language+" "+tr.name)
		texts = append(texts, text)
		vars := strings.ReplaceAll(tr.vars, "\n", `\n`)
		forms = append(forms, fmt.Sprintf(`(%q %s ,(append (mapcar (lambda (v) (cons :var v)) '%s) '%s))`,
			language, lispString(tr.body), vars, tr.args))
	})
	return names, texts, forms
}

func lispString(s string) string {
	return strings.ReplaceAll(elisp.Print(elisp.String(s)), "\n", `\n`)
}

func TestExpand(t *testing.T) {
	names, texts, _ := expansions(t)
	var got strings.Builder
	for i := range names {
		fmt.Fprintf(&got, "== %s\n%s\n", names[i], texts[i])
	}
	golden := filepath.Join("testdata", "expand.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("expansions differ from %s; see the difference with -update and git diff", golden)
	}
}

// unportable are trials where Emacs's answer cannot be ours, and why.
func unportable(name string) bool {
	language, what, _ := strings.Cut(name, " ")
	switch language {
	case "sql", "sqlite", "gnuplot": // tables become temporary files, named at random
		return strings.Contains("lists tables rules column colnames rownames ragged mixed floats pair single nested bars symbols", what)
	}
	return false
}

func TestExpandConfirm(t *testing.T) {
	e := emacs.Need(t)
	names, texts, forms := expansions(t)
	file := filepath.Join(t.TempDir(), "forms")
	for i, form := range forms {
		forms[i] = strings.Replace(form, ",(append", "(append", 1)
		// The driver reads data; evaluate the parameter list first.
		forms[i] = evaluated(t, forms[i], i)
	}
	if err := os.WriteFile(file, []byte(strings.Join(forms, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(e.Run(t, "testdata/expand.el", file), "\x00")
	if len(answers) != len(names)+1 {
		t.Fatalf("%d answers for %d trials", len(answers)-1, len(names))
	}
	for i, name := range names {
		if answers[i] != texts[i] && !unportable(name) {
			t.Errorf("%s:\n--- Emacs\n%s\n--- ours\n%s", name, answers[i], texts[i])
		}
	}
}

// evaluated turns (LANG BODY (append (mapcar … 'VARS) 'ARGS)) into plain data.
func evaluated(t *testing.T, form string, i int) string {
	t.Helper()
	v, err := elisp.Eval("(list "+strings.TrimSuffix(strings.TrimPrefix(form, "("), ")")+")", nil)
	if err != nil {
		t.Fatalf("form %d: %s: %v", i, form, err)
	}
	return strings.ReplaceAll(elisp.Print(v), "\n", `\n`)
}
