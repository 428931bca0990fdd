package org

import "strings"

// Planning is the line below a headline that says when it is scheduled, due
// or was closed. The zero Timestamp means that the keyword is absent.
type Planning struct {
	*Node
	Scheduled, Deadline, Closed Timestamp
	Bare                        []Token // keywords that no timestamp follows
}

// Planning reads a node of [KindPlanning].
func (n *Node) Planning() (Planning, bool) {
	if n.kind != KindPlanning {
		return Planning{}, false
	}
	p := Planning{Node: n}
	s := n.doc.text
	l := lineAt(s, n.start)
	// Behind the last closing bracket no timestamp can start.
	last := l.text + strings.LastIndexAny(s[l.text:l.end], ">]") + 1
	for pos := l.text; pos < l.end; pos++ {
		to, after := p.keyword(s, pos, l.end)
		if to == nil {
			continue
		}
		if ts, ok := readTimestamp(n.doc, skipBlanks(s, after, l.end), max(after, last)); ok {
			*to = ts
			after = ts.End
		} else {
			p.Bare = append(p.Bare, n.token(Span{pos, after}))
		}
		pos = after - 1
	}
	return p, true
}

// keyword says which timestamp the planning keyword at pos introduces.
func (p *Planning) keyword(s string, pos, end int) (to *Timestamp, after int) {
	switch rest := s[pos:end]; {
	case strings.HasPrefix(rest, "SCHEDULED:"):
		return &p.Scheduled, pos + len("SCHEDULED:")
	case strings.HasPrefix(rest, "DEADLINE:"):
		return &p.Deadline, pos + len("DEADLINE:")
	case strings.HasPrefix(rest, "CLOSED:"):
		return &p.Closed, pos + len("CLOSED:")
	}
	return nil, pos
}

// planning parses a planning line if one stands exactly at pos.
func (p *parser) planning(h *Node, pos, limit int) int {
	if pos >= limit {
		return pos
	}
	l := p.line(pos)
	if l.blank() || !p.starts(l, "scheduled:") && !p.starts(l, "deadline:") && !p.starts(l, "closed:") {
		return pos
	}
	p.add(h, KindPlanning, pos, l.next)
	return l.next
}

// Clock is a CLOCK: line. A clock that still runs has no duration.
type Clock struct {
	*Node
	Time     Timestamp // zero when only a duration is given
	Duration Token     // "1:30" after "=>"
}

// Minutes returns the duration in minutes, 0 when there is none.
func (c Clock) Minutes() int {
	h, m, ok := strings.Cut(c.Duration.Text, ":")
	if !ok {
		return 0
	}
	return 60*atoi(h) + atoi(m)
}

// Running reports whether the clock has not been stopped.
func (c Clock) Running() bool { return !c.Duration.Present() }

// Clock reads a node of [KindClock].
func (n *Node) Clock() (Clock, bool) {
	if n.kind != KindClock {
		return Clock{}, false
	}
	s := n.doc.text
	l := lineAt(s, n.start)
	c := Clock{Node: n}
	pos := skipBlanks(s, l.text+len("CLOCK:"), l.end)
	if ts, ok := readTimestamp(n.doc, pos, l.end); ok {
		c.Time = ts
		pos = ts.End
	}
	if i := strings.Index(s[pos:l.end], "=>"); i >= 0 {
		c.Duration = n.token(trimSpan(s, pos+i+len("=>"), l.end))
	}
	return c, true
}

// isClock reports whether the line is a clock: "CLOCK:" and an inactive
// timestamp, a range of two with its duration, or a duration alone.
func (p *parser) isClock(l line) bool {
	if !p.starts(l, "clock:") {
		return false
	}
	s := p.src
	at := l.text + len("clock:")
	pos := skipBlanks(s, at, l.end)
	if pos > at {
		if end, ok := inactiveStamp(s, pos, l.end); ok {
			if end == l.end {
				return true
			}
			if !strings.HasPrefix(s[end:l.end], "--") {
				return false
			}
			if end, ok = inactiveStamp(s, end+2, l.end); !ok {
				return false
			}
			return isClockDuration(s, end, l.end)
		}
	}
	return isClockDuration(s, at, l.end)
}

// inactiveStamp matches "[YYYY-MM-DD …]" at pos.
func inactiveStamp(s string, pos, end int) (after int, ok bool) {
	if pos >= end || s[pos] != '[' || !isDate(s, pos+1, end) {
		return 0, false
	}
	i := strings.IndexByte(s[pos:end], ']')
	if i < 0 || i > len("[YYYY-MM-DD") && s[pos+len("[YYYY-MM-DD")] != ' ' {
		return 0, false
	}
	return pos + i + 1, true
}

// isClockDuration matches " => H:MM" up to end.
func isClockDuration(s string, pos, end int) bool {
	i := skipBlanks(s, pos, end)
	if i == pos || !strings.HasPrefix(s[i:end], "=>") {
		return false
	}
	at := i + len("=>")
	i = skipBlanks(s, at, end)
	digits := i
	for i < end && isDigit(s[i]) {
		i++
	}
	return digits > at && i > digits && end-i == 3 && s[i] == ':' && isDigit(s[i+1]) && isDigit(s[i+2])
}
