package lanes

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

// largeRows is a number of rows that no lane could take as a literal within
// the default limits: the bound that large variables are held to.
const largeRows = 100_000

// largeTable has a number, text with what each language quotes, a double and
// more text in each row.
func largeTable(rows int) value.Value {
	list := make([]value.Value, rows)
	for i := range list {
		list[i] = value.OfList(value.OfInt(int64(i)), value.OfString(fmt.Sprintf(`it's "%d" #{x}`, i)), value.OfFloat(float64(i)+0.5), value.OfString("some text"))
	}
	return value.OfList(list...)
}

// TestLargeVariables gives a table of 100,000 rows to blocks of each language
// under the limits of a block that asks for nothing, and reads its end.
func TestLargeVariables(t *testing.T) {
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	rows := largeRows
	if testing.Short() {
		rows = 20_000
	}
	table := largeTable(rows)
	last := fmt.Sprintf(`%d %d it's "%d" #{x} some text`, rows, rows-1, rows-1)
	texts := make([]value.Value, rows)
	for i := range texts {
		texts[i] = value.OfString(fmt.Sprintf(`it's "%d"`, i))
	}
	for _, c := range []struct{ lang, body, want string }{
		{"js", "const r = t[t.length - 1]; console.log(t.length, r[0], r[1], r[3], r[2] - r[0])", last + " 0.5"},
		{"typescript", "const r = t[t.length - 1]; console.log(t.length, r[0], r[1], r[3], r[2] - r[0])", last + " 0.5"},
		{"go", "r := t[len(t)-1]\nfmt.Println(len(t), r[0], r[1], r[3], r[2])", fmt.Sprintf("%s %d.5", last, rows-1)},
		{"ruby", "r = t[-1]\nputs [t.size, r[0], r[1], r[3], r[2] - r[0]].join(' ')", last + " 0.5"},
		{"emacs-lisp", "(let ((r (elt rows (1- (length rows))))) (princ (format \"%s %s %s %s %s\\n\" (length rows) (nth 0 r) (nth 1 r) (nth 3 r) (- (nth 2 r) (nth 0 r)))))", last + " 0.5"},
		{"C++", "#include <iostream>\nint main() { auto r = t[t_rows - 1]; std::cout << t_rows << ' ' << r[0] << ' ' << r[1] << ' ' << r[3] << ' ' << t_cols << '\\n'; }", last + " 4"},
		{"python", "r = t[-1]\nprint(len(t), r[0], r[1], r[3], r[2] - r[0])", last + " 0.5"},
		{"lua", "local r = t[#t]\nprint(#t .. ' ' .. r[1] .. ' ' .. r[2] .. ' ' .. r[4] .. ' ' .. (r[3] - r[1]))", last + " 0.5"},
		{"C", "#include <stdio.h>\nint main() { const char **r = t[t_rows - 1]; printf(\"%d %s %s %s %d\\n\", t_rows, r[0], r[1], r[3], t_cols); return 0; }", last + " 4"},
		{"bash", "v=${t[" + fmt.Sprint(rows-1) + "]}\nset -f; IFS=$'\\n'; set -- $v\necho \"${#t[@]} " + fmt.Sprint(rows-1) + " $1 $3 $(($# + 1))\"", last + " 4"},
		{"bash list", "echo ${#t[@]} ${t[" + fmt.Sprint(rows-1) + "]}", fmt.Sprintf(`%d it's "%d"`, rows, rows-1)},
		{"sh", "printf '%s' \"$t\" | tail -n 1 | { IFS=\"$(printf '\\t')\" read -r a b c d; echo \"" + fmt.Sprint(rows) + " $a $b $d $c\"; }", fmt.Sprintf("%s %d.5", last, rows-1)},
		{"awk", `BEGIN { n = split(t, r, "\n"); split(r[n], c, "\t"); print n, c[1], c[2], c[4], c[3] - c[1] }`, last + " 0.5"},
		{"sqlite", "select count(*), max(c1), max(c2), max(c4), max(c3) - max(c1) from t", fmt.Sprintf(`%d,%d,"it's ""%d"" #{x}","some text",0.5`, rows, rows-1, rows-1)},
	} {
		t.Run(c.lang, func(t *testing.T) {
			lang, isList := strings.CutSuffix(c.lang, " list")
			lane, _ := all.Lookup(lang)
			lanetest.Need(t, env, lane.Info().Toolchains...)
			src := lanetest.Block(lang, compile.ShapeBabel, c.body)
			src.Results = []string{"output"}
			src.Vars = []compile.Var{{Name: "t", Value: table}}
			switch {
			case isList:
				src.Vars[0].Value = value.OfList(texts...)
			case lang == "emacs-lisp": // where t is a constant
				src.Vars[0].Name = "rows"
			}
			art, err := lane.Build(t.Context(), src)
			if err != nil {
				t.Fatal(clip(err.Error()))
			}
			out, err := lane.Run(t.Context(), art, &compile.Job{Source: src, Limits: sandbox.Limits{Timeout: -1}})
			if err != nil {
				t.Fatal(clip(err.Error()), string(out.Stderr))
			}
			if got := cmp.Or(string(out.Stdout), out.Value.Text()); got != c.want+"\n" {
				t.Errorf("got %q %s\nwant %q", clip(got), clip(string(out.Stderr)), c.want)
			}
		})
	}
}

func clip(text string) string { return text[:min(len(text), 500)] }
