package format

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/org"
)

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"table":          {"|a|bb|\n|-\n|1|2\n", "| a | bb |\n|---+----|\n| 1 |  2 |\n"},
		"indented table": {"- x\n  |a|b|\n  |long|\n", "- x\n  | a    | b |\n  | long |   |\n"},
		"wide text":      {"|日本|b|\n|x|y|\n", "| 日本 | b |\n| x    | y |\n"},
		"cookie":         {"|<r>|<c>|\n|a|b|\n|long|longer|\n", "|  <r> |  <c>   |\n|    a |   b    |\n| long | longer |\n"},
		"crlf":           {"|a|b|\r\n|ccc|d|\r\n", "| a   | b |\r\n| ccc | d |\r\n"},
		"tags":           {"* Head :work:\n", "* Head" + strings.Repeat(" ", 65) + ":work:\n"},
		"long head":      {"* " + strings.Repeat("x", 80) + "   :a:\n", "* " + strings.Repeat("x", 80) + " :a:\n"},
		"properties":     {"* A\n:PROPERTIES:\n:ID: x1  \n:header-args+:   :var x=1\n:E:\n:END:\n", "* A\n:PROPERTIES:\n:ID:       x1\n:header-args+: :var x=1\n:E:\n:END:\n"},
		"blank lines":    {"a\n  \n\t\n\nb\n", "a\n\n\n\nb\n"},
		"blocks":         {"#+begin_src org\n|a|b\n  \n#+end_src\n#+begin_quote\n|a|b\n \n#+end_quote\n", "#+begin_src org\n|a|b\n  \n#+end_src\n#+begin_quote\n|a|b\n \n#+end_quote\n"},
		"results":        {"#+begin_src sh\n#+end_src\n\n#+RESULTS:\n|a|b\n|ccc|d\n", "#+begin_src sh\n#+end_src\n\n#+RESULTS:\n|a|b\n|ccc|d\n"},
		"formula":        {"|a|b|c|\n|-\n|1|2||\n|3|4||\n#+TBLFM: $3=$1*$2\n", "| a | b |  c |\n|---+---+----|\n| 1 | 2 |  2 |\n| 3 | 4 | 12 |\n#+TBLFM: $3=$1*$2\n"},
		"formula format": {"|1|3||\n#+TBLFM: $3=$1/$2;%.2f\n", "| 1 | 3 | 0.33 |\n#+TBLFM: $3=$1/$2;%.2f\n"},
		"sum field":      {"|n|\n|-|\n|1|\n|2|\n|-|\n||\n#+TBLFM: @>$1=vsum(@I..@II)\n", "| n |\n|---|\n| 1 |\n| 2 |\n|---|\n| 3 |\n#+TBLFM: @>$1=vsum(@I..@II)\n"},
		"lisp kept":      {"|1|x|\n#+TBLFM: $2='(+ 1 2)\n", "| 1 | x |\n#+TBLFM: $2='(+ 1 2)\n"},
		"runaway kept":   {"|1|\n#+TBLFM: $1=$1+1\n", "| 1 |\n#+TBLFM: $1=$1+1\n"},
		"rule with text": {"|a|\n|-keep|\n", "|a|\n|-keep|\n"},
		"rules only":     {"|--|\n", "|--|\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Format([]byte(c.in), Options{})
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			check(t, []byte(c.in))
		})
	}
}

func TestNotes(t *testing.T) {
	for in, want := range map[string]string{
		"|1|x|\n#+TBLFM: $2='(+ 1 2)\n":     `2:10: formula not recomputed: $2: "'(+ 1 2)" is not understood`,
		"|1|\n#+TBLFM: $1=$1+1\n":           "2:10: formula not recomputed: recomputing never reaches stable values",
		"|1|\n#+TBLFM: $1=$7\n":             "2:10: formula not recomputed: $1: $7 is outside the table",
		"|a|b|\n#+TBLFM: $2=$1\n":           `2:10: formula not recomputed: $2: "a" is not a plain number`,
		"|a|\n|-keep|\n":                    "2:1: table left as it is: text in the rule would be lost",
		"|#|1|\n#+TBLFM: $2=1\n":            `2:10: formula not recomputed: row mark "#"`,
		"|1|2|\n#+TBLFM: $2=1/0\n":          "2:10: formula not recomputed: $2: division by zero",
		"|1|2|\n#+TBLFM: $2=remote(a,$1)\n": "2:10: formula not recomputed: $2: no table is called a here",
	} {
		_, notes := Format([]byte(in), Options{})
		if len(notes) != 1 || notes[0].String() != want {
			t.Errorf("%q: notes %v, want %s", in, notes, want)
		}
	}
}

// check holds one document to what the package promises of all.
func check(t *testing.T, src []byte) {
	t.Helper()
	once, _ := Format(src, Options{})
	twice, _ := Format(once, Options{})
	if !bytes.Equal(once, twice) {
		t.Fatalf("not idempotent\nonce  %q\ntwice %q", once, twice)
	}
	kept, _ := Format(src, Options{KeepFormulas: true})
	if a, b := ink(src), ink(kept); a != b {
		t.Fatalf("text changed\nfrom %q\nto   %q", a, b)
	}
	if a, b := untouchable(src), untouchable(once); a != b {
		t.Fatalf("a block or a result changed\nfrom %q\nto   %q", a, b)
	}
}

// ink is a document without blanks, bars and rules: what formatting keeps.
func ink(src []byte) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t|-+", r) {
			return -1
		}
		return r
	}, string(src))
}

// untouchable is the text of all blocks and results.
func untouchable(src []byte) string {
	doc := org.Parse(src)
	var out strings.Builder
	for b := range doc.Blocks() {
		out.WriteString(b.Text())
	}
	for r := range doc.Results() {
		out.WriteString(doc.Text(r.Line) + doc.Text(r.Body))
	}
	return out.String()
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{
		"|a|bb|\n|-\n|1|2\n#+TBLFM: $2=$1^2;%.1f::@2$1=vsum(@I..@II)\n", "* H \t :a:b:\n:PROPERTIES:\n:K+:v\n:END:\n \n",
		"- |x|\n  |y\n\t|z\n", "#+RESULTS:\n|a\n", "#+begin_quote\n|a\n#+end_quote\n", "|\r\n", "|a|\xff\n", "||\n|--", "*  :a:", "|[[a][b]]|\t[[c\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { check(t, src) })
}

// TestCorpus formats every org file that Debian's packages installed, and
// those below the directories in WB_ORG_CORPUS.
func TestCorpus(t *testing.T) {
	roots := append([]string{"/usr/share/doc", "/usr/share/emacs", "/usr/share/org-mode"}, filepath.SplitList(os.Getenv("WB_ORG_CORPUS"))...)
	seen := 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".org") {
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			seen++
			t.Run(path, func(t *testing.T) { check(t, src) })
			return nil
		})
	}
	if seen == 0 {
		t.Skip("no org files: apt-get install org-mode-doc elpa-org, or set WB_ORG_CORPUS")
	}
}

func BenchmarkFormat(b *testing.B) {
	src := []byte(strings.Repeat("* Head :tag:\n:PROPERTIES:\n:ID: 1\n:END:\n|a|b|c|\n|-\n|1|2||\n#+TBLFM: $3=$1+$2\ntext\n \n", 10_000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Format(src, Options{})
	}
}
