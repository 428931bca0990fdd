package format

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wb/internal/test/emacs"
)

// TestFormulasAgainstEmacs recomputes generated tables here and in Emacs. What
// we refuse does not count, as long as it is little; what we compute must agree.
func TestFormulasAgainstEmacs(t *testing.T) {
	e := emacs.Need(t)
	root := t.TempDir()
	first, _ := strconv.Atoi(os.Getenv("WB_SEED"))
	var list strings.Builder
	documents := map[string]string{}
	for seed := first; seed < first+generatedTables; seed++ {
		file := filepath.Join(root, fmt.Sprintf("t%05d.org", seed))
		documents[file] = randomTable(int64(seed))
		if err := os.WriteFile(file, []byte(documents[file]), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, file)
	}
	if err := os.WriteFile(filepath.Join(root, "list"), []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/recalc.el", filepath.Join(root, "list"))
	refused, differ := 0, 0
	for file, src := range documents {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, notes := Format([]byte(src), Options{})
		_, emacsFails := os.Stat(strings.TrimSuffix(file, ".org") + ".error")
		if len(notes) > 0 || emacsFails == nil {
			refused++
			continue
		}
		if string(got) != string(want) {
			differ++
			t.Errorf("from\n%s\nwb\n%s\nEmacs\n%s", src, got, want)
		}
	}
	t.Logf("%d of %d tables agree, %d are refused", len(documents)-refused-differ, len(documents), refused)
	if refused > len(documents)/2 {
		t.Errorf("%d of %d tables are refused", refused, len(documents))
	}
}

// randomTable is a table with formulas, and another they may refer to.
func randomTable(seed int64) string {
	r := rand.New(rand.NewSource(seed))
	pick := func(choices ...string) string { return choices[r.Intn(len(choices))] }
	var b strings.Builder
	b.WriteString("#+NAME: other\n| 3 | 4 |\n| 5 | 6 |\n\n")
	cols, rows := 2+r.Intn(3), 2+r.Intn(4)
	durations := r.Intn(5) == 0
	cell := func() string {
		if durations {
			return pick("1:30", "0:45:10", "2:05", "10:00", "")
		}
		return pick("1", "2", "-3", "4.5", "10", "0.25", "", "100", "7", "1.50", "12")
	}
	if r.Intn(2) == 0 {
		b.WriteString("|" + strings.Repeat(" h |", cols) + "\n|" + strings.Repeat("---+", cols-1) + "---|\n")
		rows++
	}
	for i := range rows {
		b.WriteString("|")
		for range cols {
			b.WriteString(" " + cell() + " |")
		}
		b.WriteString("\n")
		if i == rows-2 && r.Intn(3) == 0 {
			b.WriteString("|" + strings.Repeat("---+", cols-1) + "---|\n")
		}
	}
	c := func() string { return "$" + strconv.Itoa(1+r.Intn(cols-1)) }
	span := func() string {
		return pick("$1..$"+strconv.Itoa(cols-1), "@2"+c()+"..@3"+c(), "@<$1..@>>$1", "@2..@>>", "@I..@>>", "$<..$>>")
	}
	number := func() string { return pick("2", "3", "0.5", "10", "1.25", "100") }
	var expr func(depth int) string
	expr = func(depth int) string {
		if depth == 0 {
			return pick(c(), c(), number(), "@2"+c(), "@<"+c(), "@#", "$#")
		}
		switch r.Intn(10) {
		case 0, 1:
			return expr(depth-1) + pick("+", " + ", "-", " * ", "*", "/", " / ") + expr(depth-1)
		case 2:
			return "(" + expr(depth-1) + ")" + pick("*", "+", "-") + expr(depth-1)
		case 3, 4:
			return pick("vsum", "vmean", "vmin", "vmax", "vcount", "vprod", "vmedian") + "(" + span() + ")"
		case 5:
			return "if(" + expr(0) + pick(" > ", "<", " == ", " >= ") + expr(0) + ", " + expr(depth-1) + ", " + expr(0) + ")"
		case 6:
			return pick("abs", "floor", "ceil", "round", "trunc") + "(" + expr(depth-1) + ")"
		case 7:
			return pick("min", "max") + "(" + expr(0) + "," + expr(0) + ")"
		case 8:
			return pick("remote(other,@1$1)", "remote(other,@2$2)", "vsum(remote(other,@1$1..@2$2))")
		}
		return expr(0) + pick("^2", " % 7", "-1")
	}
	last := "$" + strconv.Itoa(cols)
	target := pick(last, last, last, "@>"+last, "@2"+last, "$>", "@3"+last+"..@>"+last, "@>$1")
	format := pick("", "", ";%.2f", ";N", ";%.1f", ";%d", ";f2", ";EN", ";N%.3f", ";%.0f")
	if durations {
		format = pick(";T", ";U", ";t")
	}
	b.WriteString("#+TBLFM: " + target + "=" + expr(1+r.Intn(2)) + format)
	if r.Intn(3) == 0 {
		b.WriteString("::@>$" + strconv.Itoa(cols-1) + "=" + pick("vsum(@2..@>>)", "vmean(@2..@>>);%.2f", "vcount(@2..@>>)"))
	}
	b.WriteString("\n")
	return b.String()
}
