package agenda

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wb/org"
)

var changed = func(string) time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

func calendarOf(t *testing.T, files []*File) string {
	t.Helper()
	var all []*Entry
	for _, f := range files {
		for _, e := range f.Entries {
			if e.Dated() {
				all = append(all, e)
			}
		}
	}
	var b strings.Builder
	if err := Calendar(&b, all, changed, Defaults()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCalendar(t *testing.T) {
	got := strings.ReplaceAll(calendarOf(t, read(t)), "\r\n", "\n")
	for _, part := range []string{
		"BEGIN:VTODO\nUID:TODO-r1\nDTSTAMP:20261122T090000Z\nDTSTART:20261121T093000\nDUE:20261201T235900\nRRULE:FREQ=WEEKLY;INTERVAL=1\n",
		`LOCATION:Room 7\, floor 2\; left` + "\n",
		"CATEGORIES:notes,work,urgent\nPRIORITY:1\nSTATUS:NEEDS-ACTION\n",
		"DTSTART:20261123T100000\nDTEND:20261123T113000\nSUMMARY:Meeting\n",
		"DTSTART;VALUE=DATE:20261120\nDTEND;VALUE=DATE:20261126\nSUMMARY:Away\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in\n%s", part, got)
		}
	}
	if strings.Contains(got, "Hidden") || strings.Contains(got, "Old") {
		t.Errorf("commented and archived entries are there\n%s", got)
	}
}

// Every calendar keeps the rules of RFC 5545: folding, escaping, identifiers, and
// which dates may stand beside each other.
func TestCalendarRules(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(5545, 0))}
	var files []*File
	for i := range 8 {
		text := g.document(60) + "* TODO " + strings.Repeat("Lange Überschrift, mit; Zeichen \\ 会議 ", 8) + "\nSCHEDULED: <2026-05-05 Tue 10:00 +36h>\nA\x07b\n\nc\n"
		files = append(files, Read(string(rune('a'+i))+".org", org.ParseString(text)))
	}
	text := calendarOf(t, files)
	ids := map[string]bool{}
	for _, c := range components(t, text) {
		if c.kind == "VCALENDAR" {
			c.one(t, "VERSION")
			c.one(t, "PRODID")
			continue
		}
		id := c.one(t, "UID")
		if ids[id] {
			t.Errorf("%s stands twice", id)
		}
		ids[id] = true
		if stamp := c.one(t, "DTSTAMP"); !utcTime.MatchString(stamp) {
			t.Errorf("DTSTAMP %s", stamp)
		}
		start, startForm := c.when(t, "DTSTART")
		for _, name := range []string{"DTEND", "DUE"} {
			if end, form := c.when(t, name); end != "" && start != "" && (form != startForm || end <= start) {
				t.Errorf("%s: %s %s (%s) does not follow DTSTART %s (%s)", id, name, end, form, start, startForm)
			}
		}
		if rule := c.values["RRULE"]; len(rule) > 0 && (start == "" || !ruleForm.MatchString(rule[0])) {
			t.Errorf("%s: RRULE %s with DTSTART %s", id, rule[0], start)
		}
		if c.kind == "VEVENT" && start == "" {
			t.Errorf("%s has no DTSTART", id)
		}
	}
	if len(ids) < 300 {
		t.Errorf("only %d components", len(ids))
	}
	if again := calendarOf(t, files); again != text {
		t.Error("the same entries make another calendar")
	}
}

var (
	utcTime   = regexp.MustCompile(`^\d{8}T\d{6}Z$`)
	dateForm  = regexp.MustCompile(`^\d{8}$`)
	clockForm = regexp.MustCompile(`^\d{8}T\d{6}$`)
	ruleForm  = regexp.MustCompile(`^FREQ=(HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY);INTERVAL=[1-9]\d*$`)
	lineForm  = regexp.MustCompile(`^([A-Z-]+)((?:;[A-Z-]+=[A-Z]+)*):(.*)$`)
	escapes   = regexp.MustCompile(`\\[\\;,nN]`)
)

// component is one BEGIN … END with its own properties.
type component struct {
	kind   string
	params map[string]string
	values map[string][]string
}

func (c component) one(t *testing.T, name string) string {
	t.Helper()
	if len(c.values[name]) != 1 {
		t.Fatalf("%s has %d %s", c.kind, len(c.values[name]), name)
	}
	return c.values[name][0]
}

// when is a date, and whether it is one or a date with a time.
func (c component) when(t *testing.T, name string) (value, form string) {
	t.Helper()
	if len(c.values[name]) == 0 {
		return "", ""
	}
	value = c.one(t, name)
	switch {
	case c.params[name] == ";VALUE=DATE" && dateForm.MatchString(value):
		return value, "date"
	case c.params[name] == "" && clockForm.MatchString(value):
		return value, "time"
	}
	t.Errorf("%s%s:%s", name, c.params[name], value)
	return value, ""
}

func components(t *testing.T, text string) (all []component) {
	t.Helper()
	if !strings.HasSuffix(text, "\r\n") {
		t.Fatal("the last line does not end")
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
			t.Errorf("bad line of %d bytes: %q", len(line), line)
		}
	}
	var open []component
	for _, line := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		m := lineForm.FindStringSubmatch(line)
		if m == nil || strings.ContainsAny(line, "\x00\x07\n") {
			t.Fatalf("no content line: %q", line)
		}
		name, params, value := m[1], m[2], m[3]
		switch name {
		case "BEGIN":
			open = append(open, component{value, map[string]string{}, map[string][]string{}})
			continue
		case "END":
			last := open[len(open)-1]
			if last.kind != value {
				t.Fatalf("END:%s closes %s", value, last.kind)
			}
			all, open = append(all, last), open[:len(open)-1]
			continue
		case "SUMMARY", "DESCRIPTION", "LOCATION":
			if rest := escapes.ReplaceAllString(value, ""); strings.ContainsAny(rest, `\;,`) {
				t.Errorf("%s is not escaped: %q", name, value)
			}
		}
		c := open[len(open)-1]
		c.values[name] = append(c.values[name], value)
		c.params[name] = params
	}
	return all
}
