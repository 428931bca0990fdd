package org

import (
	"strings"
	"time"
)

// Timestamp is a date with an optional time, or a range. The zero Timestamp
// means that there is none. The name of the day is ignored, so any language
// will do; the date counts.
type Timestamp struct {
	Span
	Active bool   // <…> rather than […]
	Diary  string // the sexp of <%%(…)>, which says the date; From and To then hold a time at most
	From   Moment
	To     Moment // the end of a range; equal to From otherwise
	Range  bool   // two stamps joined by "--", or two times joined by "-"
	Repeat Shift  // +1w, ++1w, .+1w, with "/2d" deadlines in Repeat.Max
	Warn   Shift  // -3d, --3d

	Mismatch bool // opened by one kind of bracket and closed by the other, which Org lets pass
}

// Moment is a date and, when HasTime is set, a time of day. Values are as
// written: an impossible date such as 2026-02-31 is kept and [Moment.Valid]
// says so.
type Moment struct {
	Year, Month, Day, Hour, Minute int
	HasTime                        bool
}

// Shift is a repeater or a warning period.
type Shift struct {
	Mark  string // "+", "++", ".+", "-", "--"; "" when absent
	Count int
	Unit  byte // h d w m y
	Max   Max  // of a habit: ".+1d/2d"
}

// Max is the upper bound of a habit's repeater.
type Max struct {
	Count int
	Unit  byte
}

// Present reports whether the timestamp stands in the source.
func (t Timestamp) Present() bool { return t.Span != Span{} }

// Valid reports whether the moment is a real date and time of day; 24:00 is
// the end of one.
func (m Moment) Valid() bool {
	t := time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC)
	return t.Year() == m.Year && int(t.Month()) == m.Month && t.Day() == m.Day &&
		m.Minute < 60 && (m.Hour < 24 || m.Hour == 24 && m.Minute == 0)
}

// Time returns the moment in the given location; midnight without a time.
func (m Moment) Time(loc *time.Location) time.Time {
	return time.Date(m.Year, time.Month(m.Month), m.Day, m.Hour, m.Minute, 0, 0, loc)
}

// Timestamp reads a node of [KindTimestamp].
func (n *Node) Timestamp() (Timestamp, bool) {
	if n.kind != KindTimestamp {
		return Timestamp{}, false
	}
	return readTimestamp(n.doc, n.start, n.end)
}

// ParseTimestamp reads s as one timestamp and nothing else.
func ParseTimestamp(s string) (Timestamp, bool) {
	t, ok := readTimestamp(&Document{text: s}, 0, len(s))
	return t, ok && t.End == len(s)
}

// readTimestamp reads the timestamp or range at pos.
func readTimestamp(d *Document, pos, end int) (Timestamp, bool) {
	s := d.text
	if pos < end && strings.HasPrefix(s[pos:end], "<%%(") {
		return readDiary(s, pos, end)
	}
	t, ok := readStamp(s, pos, end)
	if !ok {
		return Timestamp{}, false
	}
	if strings.HasPrefix(s[t.End:end], "--") {
		if u, ok := readStamp(s, t.End+2, end); ok {
			t.End, t.To, t.Range = u.End, u.To, true
			t.Mismatch = t.Mismatch || u.Mismatch || t.Active != u.Active
			if t.Repeat.Mark == "" {
				t.Repeat = u.Repeat
			}
			if t.Warn.Mark == "" {
				t.Warn = u.Warn
			}
		}
	}
	return t, true
}

// readDiary reads "<%%(sexp) 10:00-11:00>".
func readDiary(s string, pos, end int) (Timestamp, bool) {
	stop := strings.IndexAny(s[pos:end], ">\n")
	if stop < 0 || s[pos+stop] == '\n' {
		return Timestamp{}, false
	}
	paren := strings.LastIndexByte(s[pos:pos+stop], ')')
	if paren <= len("<%%(") {
		return Timestamp{}, false
	}
	t := Timestamp{Span: Span{pos, pos + stop + 1}, Active: true, Diary: s[pos+len("<%%") : pos+paren+1]}
	for _, word := range strings.Fields(s[pos+paren+1 : pos+stop]) {
		t.word(word)
	}
	return t, true
}

// readStamp reads one "<…>" or "[…]".
func readStamp(s string, pos, end int) (Timestamp, bool) {
	if pos >= end || s[pos] != '<' && s[pos] != '[' || !isDate(s, pos+1, end) {
		return Timestamp{}, false
	}
	stop := strings.IndexAny(s[pos:end], "]>\n")
	if stop < 0 || s[pos+stop] == '\n' {
		return Timestamp{}, false
	}
	stop += pos
	dateEnd := pos + 1 + len("YYYY-MM-DD")
	if dateEnd < stop && s[dateEnd] != ' ' {
		return Timestamp{}, false
	}
	t := Timestamp{Span: Span{pos, stop + 1}, Active: s[pos] == '<'}
	t.Mismatch = t.Active != (s[stop] == '>')
	t.From.Year, t.From.Month, t.From.Day = atoi(s[pos+1:pos+5]), atoi(s[pos+6:pos+8]), atoi(s[pos+9:pos+11])
	t.To = t.From
	for _, word := range strings.Fields(s[dateEnd:stop]) {
		t.word(word)
	}
	return t, true
}

// word reads one word after the date: a time, a repeater, a warning, or the
// name of a day, which is ignored.
func (t *Timestamp) word(w string) {
	if from, rest, ok := clockTime(w); ok && !t.From.HasTime {
		t.From.Hour, t.From.Minute, t.From.HasTime = from/60, from%60, true
		t.To.Hour, t.To.Minute, t.To.HasTime = t.From.Hour, t.From.Minute, true
		if to, _, ok := clockTime(strings.TrimPrefix(rest, "-")); ok && strings.HasPrefix(rest, "-") {
			t.To.Hour, t.To.Minute, t.Range = to/60, to%60, true
		}
		return
	}
	for w != "" { // "+1w-3d" may be written without a space
		shift, rest, ok := readShift(w)
		if !ok {
			return
		}
		if shift.Mark[0] == '-' {
			t.Warn = shift
		} else {
			t.Repeat = shift
		}
		w = rest
	}
}

// clockTime reads "H:MM" at the start of w, as minutes since midnight.
func clockTime(w string) (minutes int, rest string, ok bool) {
	i := 0
	for i < len(w) && i < 2 && isDigit(w[i]) {
		i++
	}
	if i == 0 || len(w) < i+3 || w[i] != ':' || !isDigit(w[i+1]) || !isDigit(w[i+2]) {
		return 0, "", false
	}
	return 60*atoi(w[:i]) + atoi(w[i+1:i+3]), w[i+3:], true
}

func readShift(w string) (shift Shift, rest string, ok bool) {
	for _, mark := range []string{"++", ".+", "+", "--", "-"} {
		if !strings.HasPrefix(w, mark) {
			continue
		}
		count, unit, rest, ok := countUnit(w[len(mark):])
		if !ok {
			return Shift{}, "", false
		}
		shift = Shift{Mark: mark, Count: count, Unit: unit}
		if mark[len(mark)-1] == '+' && strings.HasPrefix(rest, "/") {
			if n, u, after, ok := countUnit(rest[1:]); ok {
				shift.Max = Max{n, u}
				rest = after
			}
		}
		return shift, rest, true
	}
	return Shift{}, "", false
}

func countUnit(w string) (count int, unit byte, rest string, ok bool) {
	i := 0
	for i < len(w) && isDigit(w[i]) {
		i++
	}
	if i == 0 || i == len(w) || strings.IndexByte("hdwmy", w[i]) < 0 {
		return 0, 0, "", false
	}
	return atoi(w[:i]), w[i], w[i+1:], true
}

// isDate matches YYYY-MM-DD at pos.
func isDate(s string, pos, end int) bool {
	const form = "dddd-dd-dd"
	if end-pos < len(form) {
		return false
	}
	for i := 0; i < len(form); i++ {
		if c := s[pos+i]; form[i] == '-' && c != '-' || form[i] == 'd' && !isDigit(c) {
			return false
		}
	}
	return true
}

// atoi converts digits; anything longer than nine digits saturates.
func atoi(s string) int {
	n := 0
	for i := 0; i < len(s) && isDigit(s[i]); i++ {
		if n > 99999999 {
			return 999999999
		}
		n = 10*n + int(s[i]-'0')
	}
	return n
}

// timestamp reads a timestamp or a range of two.
func (p *objectParser) timestamp(j *objectJob, pos int) (object, bool) {
	if !isDate(p.src, pos+1, j.end) {
		return object{}, false
	}
	// Ask before looking: the closing bracket may be far away, or nowhere.
	square, ok := p.find.next("]", pos, j.end)
	angle, found := p.find.next(">", pos, j.end)
	if !ok && !found {
		return object{}, false
	}
	if !ok || found && angle < square {
		square = angle
	}
	if _, ok := p.find.next("\n", pos, square); ok {
		return object{}, false
	}
	t, ok := readTimestamp(p.doc, pos, j.end)
	return object{kind: KindTimestamp, start: pos, end: t.End}, ok
}

// diary reads <%%(sexp) 10:00>.
func (p *objectParser) diary(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindTimestamp) {
		return object{}, false
	}
	end, ok := p.find.next(">", pos, j.end)
	if !ok {
		return object{}, false
	}
	if _, ok := p.find.next("\n", pos, end); ok {
		return object{}, false
	}
	if paren, ok := p.find.prev(")", pos+len("<%%("), end); !ok || paren == pos+len("<%%(") {
		return object{}, false
	}
	return object{kind: KindTimestamp, start: pos, end: end + 1}, true
}

// Later is a time n units on: h, d, w, m or y, as repeaters and warnings write them. Any
// other unit counts days.
func Later(t time.Time, n int, unit byte) time.Time {
	switch unit {
	case 'h':
		return t.Add(time.Duration(n) * time.Hour)
	case 'w':
		return t.AddDate(0, 0, 7*n)
	case 'm':
		return t.AddDate(0, n, 0)
	case 'y':
		return t.AddDate(n, 0, 0)
	}
	return t.AddDate(0, 0, n)
}
