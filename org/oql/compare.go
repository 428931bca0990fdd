package oql

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

// holds reports whether an ordering satisfies a comparator.
func holds(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// compare relates a field of the row to a constant. A row without the field
// satisfies no comparison, as NULL does in SQL: exit:!=0 finds failures, not
// rows that have no exit code. Those are found by !prop:exit.
func (c *compiler) compare(e *Compare) (test, error) {
	if strings.EqualFold(e.Field, "priority") && !strings.HasSuffix(e.Op, "~") { // A is above B
		return priorityTest(&Call{Args: []Arg{{Kind: ArgSymbol, Text: e.Op}, e.Value}, Pos: e.Pos})
	}
	holds, err := comparison(e)
	return func(f *File, i int) bool {
		text, ok := fieldText(f, i, e.Field)
		return ok && holds(text)
	}, err
}

// comparison is the test that a comparison makes on a value.
func comparison(e *Compare) (holdsText func(string) bool, err error) {
	if strings.HasSuffix(e.Op, "~") {
		re, err := CompileRegexp(e.Value.Text)
		if err != nil {
			return nil, errorf(e.Value.Pos, escapeTip, "regexp %q: %v", e.Value.Text, err)
		}
		m, wanted := newMatcher(re), e.Op == "~"
		return func(text string) bool { return m.in(text, strings.ContainsAny(text, oddFolds)) == wanted }, nil
	}
	want := constant(e.Value.Text)
	return func(text string) bool { return holds(e.Op, want.order(text)) }, nil
}

// yardstick is a constant read once, in every way a property may be read.
type yardstick struct {
	text                      string
	number                    float64
	minutes                   float64
	stamp                     string // sortable date
	isNumber, isTime, isStamp bool
	whole                     int64 // the number, where it is one without a fraction
	isWhole                   bool
}

func constant(text string) yardstick {
	y := yardstick{text: text}
	y.number, y.isNumber = parseNumber(text)
	y.whole, y.isWhole = parseWhole(text)
	y.minutes, y.isTime = Duration(text)
	y.stamp, y.isStamp = sortableDate(text)
	return y
}

// order compares a property with the constant as numbers, durations,
// timestamps or text, in that order of what both parse as.
func (y yardstick) order(text string) int {
	if y.isWhole { // beyond 2^53 floats are too coarse
		if n, ok := parseWhole(text); ok {
			return cmp.Compare(n, y.whole)
		}
	}
	if n, ok := parseNumber(text); ok && y.isNumber {
		return cmp.Compare(n, y.number)
	}
	if m, ok := Duration(text); ok && y.isTime {
		return cmp.Compare(m, y.minutes)
	}
	if s, ok := sortableDate(text); ok && y.isStamp {
		if n := min(len(s), len(y.stamp)); n == len("2006-01-02") {
			return cmp.Compare(s[:n], y.stamp[:n]) // a date without time is the whole day
		}
		return cmp.Compare(s, y.stamp)
	}
	return cmp.Compare(text, y.text)
}

func parseWhole(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}

func parseNumber(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && strings.IndexFunc(s, func(r rune) bool { return isLetter(r) && r != 'e' && r != 'E' }) < 0
}

// datePattern finds the date, and the time if there is one, in a timestamp.
var datePattern = lazyregexp.New(`^\s*[<\[]?(\d{4}-\d\d-\d\d)(?:[ T][^\d\]>+.-]*(\d{1,2}:\d\d(?::\d\d)?))?`)

// sortableDate turns "<2026-11-21 Sat 9:30>" into "2026-11-21 09:30".
func sortableDate(s string) (string, bool) {
	m := datePattern.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	if m[2] == "" {
		return m[1], true
	}
	clock := m[2]
	if strings.IndexByte(clock, ':') == 1 {
		clock = "0" + clock
	}
	return m[1] + " " + clock, true
}

// durationUnits are org-duration's, in minutes.
var durationUnits = map[string]float64{"min": 1, "h": 60, "d": 1440, "w": 10080, "m": 43200, "y": 525960}

var durationPattern = lazyregexp.New(`^\s*(\d+(?:\.\d*)?)\s*(min|[hdwmy])`)

// Duration reads an org duration ("1:30", "1:30:20", "2h 30min", "90") in
// minutes, as org-duration-to-minutes does.
func Duration(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if parts := strings.Split(s, ":"); len(parts) == 2 || len(parts) == 3 {
		minutes, scale := 0.0, 60.0
		for _, p := range parts {
			n, err := strconv.ParseFloat(p, 64)
			if err != nil || n < 0 {
				return 0, false
			}
			minutes += n * scale
			scale /= 60
		}
		return minutes, true
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n, true
	}
	total, any := 0.0, false
	for s != "" {
		m := durationPattern.FindStringSubmatch(s)
		if m == nil {
			if minutes, ok := hoursAndMinutes(s); ok && any {
				return total + minutes, true
			}
			return 0, false
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		total, any = total+n*durationUnits[m[2]], true
		s = strings.TrimSpace(s[len(m[0]):])
	}
	return total, any
}

// hoursAndMinutes reads the H:MM that may end a duration such as "1d 3:30".
func hoursAndMinutes(s string) (float64, bool) {
	h, m, ok := strings.Cut(s, ":")
	hours, err1 := strconv.Atoi(h)
	minutes, err2 := strconv.Atoi(m)
	return float64(hours*60 + minutes), ok && err1 == nil && err2 == nil
}

// comparable says what level, effort and priority may be compared with.
const comparable = "use a number, a duration such as 1:30, or a priority such as B"

// between splits [CMP] A [B] into a comparison on an int or float scale.
func between(args []Arg, read func(Arg) (float64, bool)) (func(float64) bool, error) {
	if len(args) > 0 && isComparator(args[0]) {
		if len(args) != 2 {
			return nil, errorf(args[0].Pos, "write the value behind it, such as (level > 2)", "%s needs a value", args[0].Text)
		}
		want, ok := read(args[1])
		if !ok {
			return nil, errorf(args[1].Pos, comparable, "%q cannot be compared", args[1].Text)
		}
		return func(x float64) bool { return holds(args[0].Text, cmp.Compare(x, want)) }, nil
	}
	bounds := make([]float64, len(args))
	for i, a := range args {
		v, ok := read(a)
		if !ok {
			return nil, errorf(a.Pos, comparable, "%q cannot be compared", a.Text)
		}
		bounds[i] = v
	}
	switch len(bounds) {
	case 0:
		return func(float64) bool { return true }, nil
	case 1:
		return func(x float64) bool { return x == bounds[0] }, nil
	}
	return func(x float64) bool { return bounds[0] <= x && x <= bounds[1] }, nil
}

func (c *compiler) level(e *Call) (test, error) {
	ok, err := between(e.Args, func(a Arg) (float64, bool) { return parseNumber(a.Text) })
	return onEntry(func(h *Entry) bool { return ok(float64(h.Level)) }), err
}

func effortTest(e *Call) (test, error) {
	ok, err := between(e.Args, func(a Arg) (float64, bool) { return Duration(a.Text) })
	return onEntry(func(h *Entry) bool {
		v, has := h.Prop("EFFORT")
		minutes, valid := Duration(v)
		return has && valid && ok(minutes)
	}), err
}

// priorityTest compares priorities by importance: A is above B, so >= B is A
// or B. An entry without a cookie never matches.
func priorityTest(e *Call) (test, error) {
	rank := func(a Arg) (float64, bool) {
		if len(a.Text) != 1 {
			n, ok := parseNumber(a.Text)
			return -n, ok
		}
		return -float64(strings.ToUpper(a.Text)[0]), true
	}
	if len(e.Args) > 0 && isComparator(e.Args[0]) {
		ok, err := between(e.Args, rank)
		return onEntry(func(h *Entry) bool { return h.Priority != 0 && ok(-float64(h.Priority)) }), err
	}
	words := texts(e.Args)
	return onEntry(func(h *Entry) bool {
		if h.Priority == 0 {
			return false
		}
		for _, w := range words {
			if strings.EqualFold(w, string(rune(h.Priority))) {
				return true
			}
		}
		return len(words) == 0
	}), nil
}

// linkTest matches links by description, by target or by either.
func linkTest(e *Call) (test, error) {
	asRegexp := false
	if a, ok := e.Keyword("regexp-p"); ok {
		asRegexp = a.Text != "nil"
	}
	pattern := func(a Arg) (*Regexp, error) {
		if asRegexp {
			return CompileRegexp(a.Text)
		}
		return CompileRegexp(regexp.QuoteMeta(a.Text))
	}
	var either, desc, target *Regexp
	var err error
	take := func(a Arg, into **Regexp) {
		if err == nil {
			*into, err = pattern(a)
		}
	}
	if len(e.Args) > 0 {
		take(e.Args[0], &either)
	}
	if a, ok := e.Keyword("description"); ok {
		take(a, &desc)
	}
	if a, ok := e.Keyword("target"); ok {
		take(a, &target)
	}
	match := func(re *Regexp, s string) bool { return re == nil || s != "" && re.MatchString(s) }
	return onEntry(func(h *Entry) bool {
		for _, l := range h.Links {
			if l.Form == BracketLink && match(desc, l.Desc) && match(target, l.Target) && (either == nil || match(either, l.Desc) || match(either, l.Target)) {
				return true
			}
		}
		return false
	}), err
}

// srcTest finds a block of the language whose body matches every regexp.
func srcTest(e *Call) (test, error) {
	patterns := e.Args
	lang := ""
	if a, ok := e.Keyword("lang"); ok {
		lang = a.Text
	}
	if a, ok := e.Keyword("regexps"); ok {
		if a.Kind == ArgList {
			patterns = append(patterns, a.List...)
		} else {
			patterns = append(patterns, a)
		}
	}
	var usable []Arg
	for _, a := range patterns {
		if a.Text != "quote" && a.Text != "list" { // '(…) and (list …) from Lisp
			usable = append(usable, a)
		}
	}
	res, err := regexps(usable)
	return onEntry(func(h *Entry) bool {
		for _, b := range h.Blocks {
			if b.Lang == "" || lang != "" && !strings.EqualFold(b.Lang, lang) {
				continue
			}
			all := true
			for _, re := range res {
				all = all && re.MatchString(b.Body)
			}
			if all {
				return true
			}
		}
		return false
	}), err
}
