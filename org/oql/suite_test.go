//go:build long

package oql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/org"
)

// TestSuite puts the queries of org-ql's own tests to wb and compares the headings
// with those that they expect. WB_ORG_QL is a checkout of the project; `just
// org-ql-suite` fetches the one that was measured. Forms are read from its
// tests/test-org-ql.el as the test runs: each query with its result, the time that
// (org-ql-then (:now …)) sets, and the file that a buffer visits.
func TestSuite(t *testing.T) {
	dir := os.Getenv("WB_ORG_QL")
	if dir == "" {
		t.Skip("set WB_ORG_QL to a checkout of org-ql, or run just org-ql-suite")
	}
	src, err := os.ReadFile(filepath.Join(dir, "tests", "test-org-ql.el"))
	if err != nil {
		t.Fatal(err)
	}
	forms, err := readSexps(string(src))
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{t: t, dir: filepath.Join(dir, "tests"), files: map[string]*Corpus{}}
	for _, f := range forms {
		s.walk(f, suiteScope{file: "data.org", now: time.Date(2017, 7, 5, 12, 0, 0, 0, time.UTC)})
	}
	if s.asked < 300 || s.strings < 25 {
		t.Errorf("only %d results and %d strings were found in the suite", s.asked, s.strings)
	}
	for text := range suiteDiffers {
		if !s.differed[text] {
			t.Errorf("%s is said to differ, and does not", text)
		}
	}
	t.Logf("%d of %d results agree, %d differ for the reasons below; %d of %d queries in words mean their s-expression", s.agreed, s.asked, len(s.differed), s.same, s.strings)
	for text, why := range suiteDiffers {
		t.Logf("%s: %s", text, why)
	}
}

// suiteDiffers are the queries whose result is another one in wb, with the reason.
var suiteDiffers = map[string]string{}

// suiteScope is what holds for the forms within one.
type suiteScope struct {
	file string
	now  time.Time
}

type suite struct {
	t             *testing.T
	dir           string
	files         map[string]*Corpus
	asked, agreed int
	strings, same int
	differed      map[string]bool
}

// walk asks what a form and those within it expect.
func (s *suite) walk(f sexp, in suiteScope) {
	switch f.head() {
	case "org-ql-then":
		if now := f.kids[1].after(":now"); now != nil {
			in.now = suiteTime(s.t, now.text)
		}
	case "org-ql-expect":
		s.expect(f, in)
		return
	case "expect":
		s.words(f, in)
		return
	case "defun", "defmacro", "cl-defmacro":
		return
	}
	for _, k := range f.kids { // before-each holds for what stands beside it
		if k.head() == "before-each" {
			if file := k.find("org-ql-test-data-buffer"); file != nil {
				in.file = file.kids[1].text
			}
		}
	}
	for _, k := range f.kids {
		s.walk(k, in)
	}
}

func suiteTime(t *testing.T, text string) time.Time {
	t.Helper()
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	t.Fatalf("the suite's time %q is not known", text)
	return time.Time{}
}

// expect asks (org-ql-expect (QUERY …) RESULT).
func (s *suite) expect(f sexp, in suiteScope) {
	if len(f.kids) < 3 || !f.kids[1].list || len(f.kids[1].kids) == 0 {
		return
	}
	asked, results := f.kids[1].kids[0], f.kids[2]
	text := asked.text
	if call := asked.find("org-ql--query-string-to-sexp"); call != nil {
		text = call.kids[1].text
	} else if asked.quoted {
		text = asked.source
	}
	if buffer := f.after(":buffer"); buffer != nil {
		file := buffer.find("org-ql-test-data-buffer")
		if file == nil {
			return // a buffer that the test makes
		}
		in.file = file.kids[1].text
	}
	var want []string
	for _, k := range results.kids {
		want = append(want, k.text)
	}
	s.asked++
	got, err := s.ask(text, in)
	if f.kids[1].after(":sort") != nil { // wb sorts otherwise
		slices.Sort(want)
		slices.Sort(got)
	}
	if err == nil && slices.Equal(got, want) {
		s.agreed++
		return
	}
	if s.differed == nil {
		s.differed = map[string]bool{}
	}
	s.differed[text] = true
	if _, known := suiteDiffers[text]; !known {
		s.t.Errorf("%s (%s, %s)\n  got  %q %v\n  want %q", text, in.file, in.now, got, err, want)
	}
}

// words compares (expect (org-ql--query-string-to-sexp WORDS) :to-equal 'SEXP).
func (s *suite) words(f sexp, in suiteScope) {
	call, want := f.find("org-ql--query-string-to-sexp"), f.after(":to-equal")
	if call == nil || want == nil || !want.quoted || !want.list {
		return
	}
	s.strings++
	words, err1 := s.ask(call.kids[1].text, in)
	sexps, err2 := s.ask(want.source, in)
	if err1 != nil || err2 != nil || !slices.Equal(words, sexps) {
		s.t.Errorf("%s\n  %q %v\n%s\n  %q %v", call.kids[1].text, words, err1, want.source, sexps, err2)
		return
	}
	s.same++
}

func (s *suite) ask(text string, in suiteScope) (titles []string, err error) {
	c := s.files[in.file]
	if c == nil {
		src, err := os.ReadFile(filepath.Join(s.dir, in.file))
		if err != nil {
			return nil, err
		}
		c = &Corpus{Files: []*File{Flatten(in.file, org.Parse(src))}}
		s.files[in.file] = c
	}
	q, err := Parse(text)
	if err != nil {
		return nil, err
	}
	res, err := Run(context.Background(), q, Options{Corpus: c, Now: in.now})
	if err != nil {
		return nil, err
	}
	at := slices.Index(res.Columns, "title")
	for _, row := range res.Rows {
		titles = append(titles, plainText(row[at]))
	}
	return titles, nil
}

// sexp is a form of Emacs Lisp with the text it is made of.
type sexp struct {
	list, quoted bool
	kids         []sexp
	text         string // of a string or a symbol
	source       string // without the quote
}

func (f sexp) head() string {
	if f.list && len(f.kids) > 0 && !f.kids[0].list {
		return f.kids[0].text
	}
	return ""
}

// after is the form behind a keyword.
func (f sexp) after(keyword string) *sexp {
	for i := range f.kids[:max(0, len(f.kids)-1)] {
		if k := f.kids[i]; !k.list && k.text == keyword {
			return &f.kids[i+1]
		}
	}
	return nil
}

// find is the first form with a head, this one included.
func (f sexp) find(head string) *sexp {
	if f.head() == head && len(f.kids) > 1 {
		return &f
	}
	for _, k := range f.kids {
		if found := k.find(head); found != nil {
			return found
		}
	}
	return nil
}

// readSexps reads the forms of a file.
func readSexps(src string) (forms []sexp, err error) {
	r := &sexpReader{src: src}
	for r.blank(); r.at < len(src); r.blank() {
		f, err := r.form()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(src[:min(r.at, len(src))], "\n"), err)
		}
		forms = append(forms, f)
	}
	return forms, nil
}

type sexpReader struct {
	src string
	at  int
}

func (r *sexpReader) blank() {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == ';':
			for r.at < len(r.src) && r.src[r.at] != '\n' {
				r.at++
			}
		case c > ' ':
			return
		default:
			r.at++
		}
	}
}

func (r *sexpReader) form() (f sexp, err error) {
	r.blank()
	if r.at >= len(r.src) {
		return f, fmt.Errorf("a form does not end")
	}
	start := r.at
	switch c := r.src[r.at]; c {
	case '\'', '`', ',', '#':
		r.at++
		if r.at < len(r.src) && strings.IndexByte("@'", r.src[r.at]) >= 0 {
			r.at++
		}
		f, err = r.form()
		f.quoted = c == '\'' || c == '`'
		return f, err
	case '(', '[':
		f.list = true
		for r.at++; ; {
			r.blank()
			if r.at < len(r.src) && (r.src[r.at] == ')' || r.src[r.at] == ']') {
				r.at++
				f.source = r.src[start:r.at]
				return f, nil
			}
			kid, err := r.form()
			if err != nil {
				return f, err
			}
			f.kids = append(f.kids, kid)
		}
	case '"':
		for r.at++; r.at < len(r.src) && r.src[r.at] != '"'; r.at++ {
			if r.src[r.at] == '\\' {
				r.at++
			}
		}
		r.at = min(r.at+1, len(r.src))
		f.source = r.src[start:r.at]
		if f.text, err = strconv.Unquote(strings.ReplaceAll(f.source, "\n", `\n`)); err != nil {
			f.text = strings.ReplaceAll(strings.Trim(f.source, `"`), `\\`, `\`) // an escape that Go does not have
		}
		return f, nil
	case '?':
		r.at += 2
		if r.src[r.at-1] == '\\' {
			r.at++
		}
	default:
		for r.at < len(r.src) && r.src[r.at] > ' ' && strings.IndexByte("()[]\"'`,;", r.src[r.at]) < 0 {
			r.at++
		}
		if r.at == start {
			return f, fmt.Errorf("unexpected %q", c)
		}
	}
	f.source = r.src[start:r.at]
	f.text = f.source
	return f, nil
}
