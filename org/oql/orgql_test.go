//go:build long

package oql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// How many queries org-ql is asked, as s-expressions and in words.
const (
	orgQLSexps = 225
	orgQLWords = 100
)

// TestOrgQL puts queries to org-ql itself and to wb, over org files that people wrote,
// and compares the headings that are found. WB_ORG_QL is a checkout of org-ql,
// WB_ORG_QL_LOAD the directories of the packages that it needs, WB_ORG_CORPUS those
// of the files; `just org-ql-world` sets them.
//
// Where the two differ, two others are asked as well: org-ql without the regexps by
// which it skips headings, and Org's own functions (testdata/oracle.el), which know no
// stamps with seconds. wb is wrong where neither of them is with it.
func TestOrgQL(t *testing.T) {
	dir, corpus := os.Getenv("WB_ORG_QL"), filepath.SplitList(os.Getenv("WB_ORG_CORPUS"))
	if dir == "" || len(corpus) == 0 {
		t.Skip("set WB_ORG_QL and WB_ORG_CORPUS, or run just org-ql-world DIR")
	}
	files := orgQLFiles(t, corpus)
	c, err := ReadPaths(context.Background(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2018, 6, 15, 12, 0, 0, 0, time.UTC)
	g := newQueries(c, 20261122)
	g.year = now.Year() - 1
	queries := append(g.all(orgQLSexps, 4*leafCount), g.inWords(orgQLWords)...)

	env := []string{"TZ=UTC", "WB_ORACLE_NOW=" + now.Format(time.DateTime)}
	orgQL := emacsOracle{file: "testdata/orgql.el", call: "wb-orgql", env: env,
		load: append([]string{dir}, filepath.SplitList(os.Getenv("WB_ORG_QL_LOAD"))...)}
	answers := orgQL.ask(t, files, queries)
	ask := func(text string) (places []string, err error) {
		q, err := Parse(text)
		if err != nil {
			return nil, err
		}
		res, err := Run(context.Background(), q, Options{Corpus: c, Now: now})
		if err != nil {
			return nil, err
		}
		return placesOf(res), nil
	}
	var differ []*orgQLDifference
	agree, found, matches := 0, 0, 0
	for i, text := range queries {
		d := &orgQLDifference{query: text, sexp: text, orgQL: answers[i]}
		if answers[i].means != "" {
			d.sexp = answers[i].means
		}
		if d.wb, d.err = ask(text); d.err == nil && answers[i].failed == "" && slices.Equal(d.wb, answers[i].places) {
			agree++
			matches += len(d.wb)
			if len(d.wb) > 0 {
				found++
			}
			continue
		}
		differ = append(differ, d)
	}
	t.Logf("%d files, %d headings: %d of %d queries agree, %d of which find something, %d headings in all",
		len(files), headings(c), agree, len(queries), found, matches)

	sexps, meanings := make([]string, len(differ)), make([]string, len(differ))
	for i, d := range differ {
		sexps[i], meanings[i] = d.sexp, meant(d.query, d.sexp)
	}
	orgQL.env = append(orgQL.env, "WB_ORGQL_PREAMBLE=no")
	slow := orgQL.ask(t, files, sexps)
	org := emacsOracle{file: "testdata/oracle.el", call: "wb-oracle", env: env}.ask(t, files, meanings)
	forgetSeconds(c)
	for i, d := range differ {
		if d.err != nil {
			t.Errorf("%s\n  %v", d.query, d.err)
			continue
		}
		coarse, err := ask(d.query)
		if err != nil {
			t.Fatal(err)
		}
		right := ""
		switch {
		case slow[i].failed == "" && slices.Equal(slow[i].places, d.wb):
			right = "org-ql without its regexps"
		case org[i].failed == "" && slices.Equal(org[i].places, d.wb):
			right = "Org"
		case org[i].failed == "" && slices.Equal(org[i].places, coarse):
			right = "Org, but for stamps with seconds"
		default:
			t.Errorf("%s\n%s", d.query, differing(d.orgQL.places, d.wb))
			continue
		}
		t.Logf("%s: wb, says %s; org-ql %s\n%s", d.query, right, d.orgQL.failed, differing(d.orgQL.places, d.wb))
	}
}

// comparedWords are comparisons as org-ql's manual spells them without parentheses.
var comparedWords = regexp.MustCompile(`(level|priority):([<>]=?),(\w)`)

// daysInWords are numbers of days, which org-ql leaves as texts.
var daysInWords = regexp.MustCompile(`(:from|:to|:on) "(-?\d+)"`)

// meant is what words say where org-ql reads something else: it takes comparators for
// texts or keywords, and auto for a text, and knows neither.
func meant(words, sexp string) string {
	if words == sexp {
		return sexp
	}
	for _, m := range comparedWords.FindAllStringSubmatch(words, -1) {
		value := m[3]
		if m[1] == "priority" {
			value = `"` + value + `"`
		}
		misread := regexp.MustCompile(`\(` + m[1] + ` (:[<>]|"[<>]=?") "` + m[3] + `"\)`)
		sexp = misread.ReplaceAllString(sexp, "("+m[1]+" "+m[2]+" "+value+")")
	}
	sexp = daysInWords.ReplaceAllString(sexp, "$1 $2")
	return strings.ReplaceAll(sexp, `(deadline "auto")`, "(deadline auto)")
}

// forgetSeconds leaves the stamps that Org reads, too.
func forgetSeconds(c *Corpus) {
	for _, f := range c.Files {
		for i := range f.Entries {
			e := &f.Entries[i]
			e.Stamps = nil
			eachStamp(e.Text, func(written string, s Stamp) bool {
				if !secondsPattern.MatchString(written) {
					e.Stamps = append(e.Stamps, s)
				}
				return true
			})
		}
	}
}

// orgQLDifference is a query that wb and org-ql answer otherwise.
type orgQLDifference struct {
	query, sexp string
	orgQL       emacsAnswer
	wb          []string
	err         error
}

func placesOf(res *Result) (places []string) {
	for _, p := range res.Places {
		places = append(places, fmt.Sprintf("%s:%d", p.Path, p.Line))
	}
	slices.Sort(places)
	return places
}

// orgQLFiles are the org files below directories; large ones take Emacs too long.
func orgQLFiles(t *testing.T, roots []string) (files []string) {
	t.Helper()
	all, err := Files(roots)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if info, err := os.Stat(f); err == nil && info.Size() < 180_000 && strings.HasSuffix(f, ".org") {
			files = append(files, f)
		}
	}
	return files
}
