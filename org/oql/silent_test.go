package oql

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"wb/org"
)

// ask answers a query over one file: the titles found, or the error.
func ask(t *testing.T, src, text string) string {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		return err.Error()
	}
	f := Flatten("a.org", org.Parse([]byte(src)))
	packed := Unpack("a.org", pack(f, src))
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) // a Sunday
	answers := make([]string, 2)
	for i, file := range []*File{f, packed} {
		res, err := Run(context.Background(), q, Options{Corpus: &Corpus{Files: []*File{file}}, Now: now})
		if err != nil {
			return err.Error()
		}
		var titles []string
		for _, row := range res.Rows {
			titles = append(titles, plainText(row[1]))
		}
		answers[i] = strings.Join(titles, " ")
	}
	if answers[0] != answers[1] {
		t.Errorf("%s: parsed %q, packed %q", text, answers[0], answers[1])
	}
	return answers[0]
}

// TestNotSilent: what these queries ask for was once answered by something else,
// without a word.
func TestNotSilent(t *testing.T) {
	const notes = `* été vient
* catégorie
* cat
:PROPERTIES:
:EXIT: 0
:agenda-group: plans
:END:
* dog
:PROPERTIES:
:EXIT: 1
:DUE: 2026-12-01
:END:
* log
TS: [2026-11-22 Sun 01:52:32]
* task :x:
SCHEDULED: <2026-11-28 Sat> DEADLINE: <2026-12-05 Sat 10:00 +1w>
* closed
CLOSED: [2026-11-10 Tue 09:00]
Written <2026-11-21 Sat>.
`
	for query, want := range map[string]string{
		// Words are those of every script.
		`(regexp "\\bété\\b")`: "été vient",
		`(regexp "\\bcat\\b")`: "cat",
		`title:~\bété`:         "été vient",
		`title:~^\w+$`:         "catégorie cat dog log task closed",
		`title:~\Bgor\B`:       "catégorie",
		// NULL is neither equal nor unequal.
		"exit:!=0":     "dog",
		"exit:!~^0":    "dog",
		"exit:0":       "cat",
		"!exit:0":      "été vient catégorie dog log task closed",
		"!prop:exit":   "été vient catégorie log task closed",
		"state:!=DONE": "",
		// Timestamps with seconds.
		"ts:on=today":                              "log",
		`(ts :from "2026-11-22 01:52:33" :to 0)`:   "",
		`(ts :from "2026-11-22 01:52:32" :to 0)`:   "log",
		`(ts :type active :to today)`:              "closed",
		`(ts :type inactive :on today)`:            "log",
		`(ts :type both :from -30)`:                "log task closed",
		`(ts :type activ)`:                         `query:1:11: "activ" is not a type of timestamp`,
		`ts:today`:                                 "log",
		`ts-a:yesterday..`:                         "task closed",
		`(tags*)`:                                  "task",
		`(not (tags*))`:                            "été vient catégorie cat dog log closed",
		`(property "agenda-group" nil)`:            "cat",
		`(property "agenda-group" nil :inherit t)`: "cat",
		`prop:agenda-group,nil`:                    "",
		// Timestamps as properties.
		`(property "DEADLINE")`:                              "task",
		`(property "SCHEDULED" "<2026-11-28 Sat>")`:          "task",
		`(property "CLOSED")`:                                "closed",
		`(property "DEADLINE" "<2026-12-05 Sat 10:00 +1w>")`: "task",
		`(property "TIMESTAMP_IA")`:                          "log",
		`(property "TIMESTAMP" "<2026-11-21 Sat>")`:          "closed",
		// Strings are searched for by rifle, also above.
		`(or "plans" "vient")`: "été vient cat",
		`("a.c")`:              `query:1:1: a condition starts with a name`,
		`(and "c.t")`:          "",
		// Dates.
		"deadline:<=nonsense":             `query:1:1: "nonsense" is not a date`,
		"deadline:nonsense":               `query:1:10: "nonsense" is not a date`,
		"scheduled:to=+1w":                "task",
		"scheduled:sat":                   "task",
		"scheduled:to=thu":                "",
		"deadline:<=+2w":                  "task",
		"deadline:<+1w":                   "",
		"deadline:today+1w..":             "task",
		"deadline:..today+1w":             "",
		"deadline:2026-12-01..2026-12-05": "task",
		"closed:2w":                       "closed",
		"closed:1w":                       "",
		"closed:-2w..":                    "closed",
		"closed:2w..1w":                   "closed",
		"due:<=+2w":                       "dog",
		"due:<=+1w":                       "",
		"due:today..+2w":                  "dog",
		"due:1w..2w":                      "dog",
		"due:<=sat":                       "",
		"deadline:>2025":                  "task",
		"deadline:>=2026-12":              "task",
		"deadline:<=sat+1w":               "task",
		"deadline:<sat+1w":                "",
		"ts:on=sat..sat+1w":               "task",
		"ts:from=-1h":                     "task",
	} {
		got := ask(t, notes, query)
		if strings.HasPrefix(want, "query:") {
			want = want[strings.Index(want, " "):]
			if i := strings.Index(got, " "); i >= 0 && strings.HasPrefix(got, "query:") {
				got = got[i:]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestWordsOfAllScripts: on texts of ASCII, where Go's own \b is right, both ways
// to run a pattern find the same.
func TestWordsOfAllScripts(t *testing.T) {
	pieces := []string{"a", "b", "[^a]", "(a|b)", ".", "^", "$", `\b`, `\B`, "b+", "a?", " ", `(\b|-)`, `(?:\bb)*`, `\z`, `(?s:.)`}
	texts := []string{"", "a", "ab", "a b", "ab ba", " a-b ", "a\nb", "\n\na ", "-", "b a\n ab"}
	checked := 0
	var try func(pattern string, left int)
	try = func(pattern string, left int) {
		if left > 0 {
			for _, p := range pieces {
				try(pattern+p, left-1)
			}
			return
		}
		re, err := CompileRegexp(pattern)
		if err != nil || re.prog == nil {
			return
		}
		checked++
		for _, text := range texts {
			if got, want := re.runProgram(text), re.Regexp.MatchString(text); got != want {
				t.Errorf("%q in %q: %v, want %v ", pattern, text, got, want)
			}
		}
	}
	for n := 1; n <= 3; n++ {
		try("", n)
	}
	if checked < 500 {
		t.Errorf("only %d patterns checked", checked)
	}
}

// TestLogByColumns: a log that is read by its columns gives the answers of the
// same log parsed.
func TestLogByColumns(t *testing.T) {
	var b strings.Builder
	b.WriteString("* Run 1 a.org :run:session:\n  :PROPERTIES:\n  :ID: 1\n  :STARTED: [2026-11-21 Sat 10:00:00]\n  :END:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "** step %d :%s:\n   :PROPERTIES:\n   :RUN: 1\n   :TOOL: t%d\n", i, []string{"tool_call", "log"}[i%2], i%3)
		if i%4 == 0 {
			fmt.Fprintf(&b, "   :EXIT: %d\n", i%8)
		}
		fmt.Fprintf(&b, "   :N: %d\n   :NAME: name-%d\n   :TS: [2026-11-%02d %s 01:52:%02d]\n   :END:\n", i%7, i, 1+i%28, "Sun", i%60)
		if i%5 == 0 {
			fmt.Fprintf(&b, "   Solar power %d\n", i)
		}
	}
	b.WriteString("** torn :log:\n   :PROPERTIES:\n   :RUN: 1\n")
	src := b.String()
	data, err := packLog([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	parsed := Flatten("events.org", org.Parse([]byte(src)))
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"ts:on=today", "ts:on=today | group kind | count | sort kind", "ts:from=-3,to=+1", "ts-i:>=2026", "ts:-1w..", "ts:type=active", "ts-a:",
		"body:~solar", "body:~Solar.*5", "body:!~solar", "!body:~solar", `body:~\bsolar\b | count`, "title:~^step.1", "body:=x",
		"from:events exit:!=0", "from:events !exit:0", "exit:!~0", "exit:>2", "exit:=0 | group tool | count", "ts:>=2026-11-20 ts:<today",
		"| count-distinct tool", "| group kind | count-distinct n, count-distinct name, count, count-distinct exit | sort kind", "exit:>99 | count-distinct tool",
		"| count-distinct ts, count-distinct missing",
	} {
		q, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		answer := func(f *File) string {
			res, err := Run(context.Background(), q, Options{Corpus: &Corpus{Files: []*File{f}}, Now: now})
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(res.Columns, res.Rows)
		}
		chunk := openChunk(data, func() (string, error) { return src, nil })
		chain := &File{Path: "events.org", Todo: parsed.Todo, DoneKey: parsed.DoneKey, log: chunk}
		if got, want := answer(chain), answer(parsed); got != want {
			t.Errorf("%s:\n by columns %.300s\n parsed     %.300s", text, got, want)
		}
	}
}

// TestKeywordNobodyDeclares: a keyword that no file declares finds nothing, and
// says so.
func TestKeywordNobodyDeclares(t *testing.T) {
	f := Flatten("a.org", org.Parse([]byte("* NEXT a\n* TODO b\n")))
	for query, want := range map[string]string{
		"todo:NEXT":   "[no file declares the keyword NEXT: write #+TODO: TODO NEXT | DONE into those that use it, or set it for all with org.todo or org.init in wb/wb.toml of your configuration directory]",
		"state:TODOO": "[no file declares the keyword TODOO (did you mean TODO?)]",
		"todo:DONE":   "[]",
		"todo:TODO":   "[]",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(context.Background(), q, Options{Corpus: &Corpus{Files: []*File{f}}})
		if err != nil || fmt.Sprint(res.Notes) != want {
			t.Errorf("%s: %v %v, want %s", query, res.Notes, err, want)
		}
	}
}

// TestWholeNumbers: whole numbers are compared as such, also where floats are
// too coarse.
func TestWholeNumbers(t *testing.T) {
	const notes = "* a\n:PROPERTIES:\n:N: 9007199254740993\n:END:\n* b\n:PROPERTIES:\n:N: 9007199254740992\n:END:\n"
	for query, want := range map[string]string{"n:9007199254740992": "b", "n:>9007199254740992": "a", "n:>=9007199254740992.0": "a b", "n:<1e17": "a b"} {
		if got := ask(t, notes, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestEmacsWords: an underscore parts words in Emacs's patterns, and not in Go's.
func TestEmacsWords(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`\<opt`, "stream_options", true}, {`\<opt`, "adopt", false}, {`\bopt`, "stream_options", false}, {`\_<opt`, "stream_options", false},
		{`\(stream\)\>`, "stream_options", true}, {`\<été\>`, "un été_x", true},
	} {
		re, err := CompileRegexp(c.pattern)
		if err != nil || re.MatchString(c.text) != c.want {
			t.Errorf("%s in %q: want %v, %v", c.pattern, c.text, c.want, err)
		}
	}
}
