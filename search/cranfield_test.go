//go:build long

package search

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCranfield answers the 225 queries of the Cranfield collection over its 1,400
// abstracts. WB_CRANFIELD is a folder with cran.all.1400, cran.qry and cranqrel, as the
// collection is handed around. Notes and judgements are kept in WB_CRANFIELD_OUT, for
// `wb search --eval OUT/qrels.org` of this version or another; `just cranfield` does both.
func TestCranfield(t *testing.T) {
	dir := os.Getenv("WB_CRANFIELD")
	if dir == "" {
		t.Skip("set WB_CRANFIELD to a folder of the Cranfield collection, or run just cranfield DIR")
	}
	out := cmp.Or(os.Getenv("WB_CRANFIELD_OUT"), t.TempDir())
	convertCranfield(t, dir, out)
	report, err := Evaluate(t.Context(), filepath.Join(out, "qrels.org"), Config{Dir: "-"}, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Queries != 225 || report.Headings < 1400 || len(report.Missing) > 0 {
		t.Errorf("%d queries, %d headings, missing %v", report.Queries, report.Headings, report.Missing)
	}
	for _, r := range report.Rankings {
		t.Logf("%-12s nDCG@10 %.3f  MRR %.3f  recall@10 %.3f", r.Name, r.NDCG, r.MRR, r.Recall)
	}
	if mine, plain := report.Rankings[0].NDCG, report.Rankings[1].NDCG; mine < plain {
		t.Errorf("nDCG %.3f is below plain BM25's %.3f", mine, plain)
	}
}

// convertCranfield writes each abstract as a file of one heading, and the queries as
// judged ones.
func convertCranfield(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(to, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // of the heading of each document
	for _, d := range cranfieldRecords(t, filepath.Join(from, "cran.all.1400")) {
		title := cmp.Or(d["T"], "untitled")
		text := strings.TrimSpace(strings.TrimPrefix(d["W"], d["T"])) // it begins with the title
		file := fmt.Sprintf("%04d.org", number(t, d["I"]))
		names[d["I"]] = "notes/" + file + "::" + title
		write(t, filepath.Join(to, "notes", file), fmt.Sprintf("* %s\n  %s\n", title, text))
	}
	judged := map[int][]string{}
	grades := map[string]int{"1": 3, "2": 3, "3": 2, "4": 1} // -1 is no interest
	for line := range strings.Lines(contents(t, filepath.Join(from, "cranqrel"))) {
		if f := strings.Fields(line); len(f) == 3 {
			query := number(t, f[0])
			judged[query] = append(judged[query], fmt.Sprintf("| %d | %s |\n", grades[f[2]], names[f[1]]))
		}
	}
	var b strings.Builder
	b.WriteString("#+TITLE: The queries of Cranfield\n#+ROOT: .\n#+IN: notes\n\n")
	for i, q := range cranfieldRecords(t, filepath.Join(from, "cran.qry")) { // judgements count them, whatever they are called
		fmt.Fprintf(&b, "* %s\n%s", strings.NewReplacer(":", " ", "-", " ", `"`, "", "+", " ").Replace(q["W"]), strings.Join(judged[i+1], ""))
	}
	write(t, filepath.Join(to, "qrels.org"), b.String())
}

// cranfieldRecords reads lines such as ".I 1" and ".T", which name what follows. The
// text of a part is one line.
func cranfieldRecords(t *testing.T, path string) (records []map[string]string) {
	t.Helper()
	part := ""
	for line := range strings.Lines(contents(t, path)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ".I "):
			records = append(records, map[string]string{"I": strings.TrimSpace(line[3:])})
		case len(line) == 2 && line[0] == '.' && strings.Contains("TABW", line[1:]):
			part = line[1:]
		case len(records) > 0:
			last := records[len(records)-1]
			last[part] = strings.TrimSpace(last[part] + " " + line)
		}
	}
	return records
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
