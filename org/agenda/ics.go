package agenda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wb/org"
)

// Calendar writes entries as iCalendar (RFC 5545): a VTODO for each entry with a
// keyword, and a VEVENT for each timestamp and range, and for the dates of entries
// without one. Times float, as those of Org do: they are in whatever zone the
// reader is in. changed says when a file was last changed, which is what DTSTAMP
// says; identifiers stay the same as long as an entry has its ID, or else its file
// and outline path.
func Calendar(w io.Writer, entries []*Entry, changed func(file string) time.Time, s Settings) error {
	c := &calendar{w: w, settings: s, seen: map[string]int{}}
	c.put("BEGIN", "VCALENDAR")
	c.put("VERSION", "2.0")
	c.put("PRODID", "-//wb//agenda//EN")
	c.put("CALSCALE", "GREGORIAN")
	for _, e := range entries {
		c.entry(e, changed(e.File))
	}
	c.put("END", "VCALENDAR")
	return c.err
}

type calendar struct {
	w        io.Writer
	settings Settings
	seen     map[string]int // identifiers
	err      error
}

func (c *calendar) entry(e *Entry, changed time.Time) {
	id := e.uid()
	c.seen[id]++
	if n := c.seen[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	stamp := changed.UTC().Format("20060102T150405Z")
	if e.State != "" {
		c.todo(e, id, stamp)
	} else {
		for _, planned := range []struct {
			at           *stampPair
			prefix, lead string
		}{{pair(e.scheduled), "SC-", "S: "}, {pair(e.deadline), "DL-", "DL: "}} {
			if planned.at != nil {
				c.event(e, planned.prefix+id, stamp, planned.lead, *planned.at)
			}
		}
	}
	for i, t := range e.stamps {
		c.event(e, fmt.Sprintf("TS%d-%s", i+1, id), stamp, "", *pair(&t))
	}
	for i, t := range e.ranges {
		c.event(e, fmt.Sprintf("TR%d-%s", i+1, id), stamp, "", *pair(&t))
	}
}

// uid identifies an entry.
func (e *Entry) uid() string {
	if e.ID != "" {
		return e.ID
	}
	path := append([]string{filepath.Base(e.File)}, append(slices.Clip(e.Outline), e.Title)...)
	sum := sha256.Sum256([]byte(strings.Join(path, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// stampPair is when something begins and ends. Both are dates, or both have times.
type stampPair struct {
	stamp
	timed    bool
	from, to time.Time // to is exclusive; equal to from without a length
}

func pair(s *stamp) *stampPair {
	if s == nil {
		return nil
	}
	p := &stampPair{stamp: *s, timed: s.at.HasTime || s.end.HasTime, from: moment(s.at), to: moment(s.end)}
	switch {
	case !p.timed:
		p.to = p.to.AddDate(0, 0, 1)
	case !s.end.HasTime: // until the end of the last day
		p.to = s.last().Time().AddDate(0, 0, 1)
	case s.base() == s.last() && p.to.Before(p.from): // past midnight
		p.to = p.to.AddDate(0, 0, 1)
	}
	if p.to.Before(p.from) {
		p.to = p.from
	}
	return p
}

func moment(m org.Moment) time.Time { return m.Time(time.UTC) }

func (c *calendar) event(e *Entry, id, stamp, lead string, p stampPair) {
	c.put("BEGIN", "VEVENT")
	c.put("UID", id)
	c.put("DTSTAMP", stamp)
	c.when("DTSTART", p.from, p.timed)
	if p.to.After(p.from) {
		c.when("DTEND", p.to, p.timed)
	}
	c.repeat(p)
	c.about(e, lead)
	c.put("END", "VEVENT")
}

func (c *calendar) todo(e *Entry, id, stamp string) {
	start, due := pair(e.scheduled), pair(e.deadline)
	if start == nil && due != nil && due.every > 0 { // what repeats needs a start
		early := *due
		early.from = due.from.AddDate(0, 0, -max(1, e.warning(c.settings)))
		start = &early
	}
	c.put("BEGIN", "VTODO")
	c.put("UID", "TODO-"+id)
	c.put("DTSTAMP", stamp)
	if start != nil && due != nil && start.timed != due.timed { // both must be of one type
		if !due.timed {
			due.from = due.from.AddDate(0, 0, 1).Add(-time.Minute)
		}
		start.timed, due.timed = true, true
	}
	if start != nil && due != nil && !due.from.After(start.from) {
		if start.every == 0 {
			start = nil
		} else {
			due = nil
		}
	}
	if start != nil {
		c.when("DTSTART", start.from, start.timed)
	}
	if due != nil {
		c.when("DUE", due.from, due.timed)
	}
	if start != nil {
		c.repeat(*start)
	}
	c.about(e, "")
	switch {
	case !e.Done:
		c.put("STATUS", "NEEDS-ACTION")
	case strings.HasPrefix(e.State, "CANCEL"):
		c.put("STATUS", "CANCELLED")
	default:
		c.put("STATUS", "COMPLETED")
		c.put("PERCENT-COMPLETE", "100")
		if e.closed != nil {
			c.put("COMPLETED", e.closed.at.Time(time.Local).UTC().Format("20060102T150405Z"))
		}
	}
	c.put("END", "VTODO")
}

// about writes what an entry says.
func (c *calendar) about(e *Entry, lead string) {
	summary := strings.TrimSpace(activeStamp.ReplaceAllString(visible(e.Title), ""))
	c.text("SUMMARY", lead+strings.Join(strings.Fields(summary), " "))
	if body := description(e.body); body != "" {
		c.text("DESCRIPTION", body)
	}
	if place := e.Property("LOCATION"); place != "" {
		c.text("LOCATION", place)
	}
	all := []string{e.Category}
	for _, tag := range e.Tags {
		if !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	for i := range all {
		all[i] = escape(all[i])
	}
	c.put("CATEGORIES", strings.Join(all, ","))
	if p := c.priority(e); p > 0 {
		c.put("PRIORITY", fmt.Sprint(p))
	}
}

// priority is that of an entry on iCalendar's scale, on which 1 is the highest
// and 9 the lowest; 0 is none.
func (c *calendar) priority(e *Entry) int {
	if e.Priority == "" {
		return 0
	}
	value := int(e.Priority[0])
	if value < 'A' {
		value = number(e.Priority)
	}
	lowest, highest := c.settings.Lowest, c.settings.Highest
	if lowest <= highest {
		return 5
	}
	return min(9, max(1, 9-8*(lowest-value)/(lowest-highest)))
}

// description is the text below a headline without drawers and clocks.
func description(body string) string {
	doc := org.ParseString(body)
	var b strings.Builder
	for n := range doc.Root().Children() {
		switch n.Kind() {
		case org.KindDrawer, org.KindPropertyDrawer, org.KindClock, org.KindPlanning, org.KindComment:
		default:
			b.WriteString(n.Text())
		}
	}
	text := strings.TrimSpace(visible(b.String()))
	const most = 2000
	if len(text) > most {
		cut := most
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// repeat writes the rule of a repeater. Times of day do not repeat where there are
// none.
func (c *calendar) repeat(p stampPair) {
	names := map[byte]string{'h': "HOURLY", 'd': "DAILY", 'w': "WEEKLY", 'm': "MONTHLY", 'y': "YEARLY"}
	every, unit := p.every, p.unit
	if unit == 'h' && !p.timed {
		if every%24 != 0 {
			return
		}
		every, unit = every/24, 'd'
	}
	if every > 0 {
		c.put("RRULE", fmt.Sprintf("FREQ=%s;INTERVAL=%d", names[unit], every))
	}
}

func (c *calendar) when(name string, t time.Time, timed bool) {
	if timed {
		c.put(name, t.Format("20060102T150405"))
		return
	}
	c.put(name+";VALUE=DATE", t.Format("20060102"))
}

func (c *calendar) text(name, text string) { c.put(name, escape(text)) }

// escape writes text as iCalendar has it.
func escape(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`).Replace(text)
}

// put writes a line, folded so that none is longer than 75 bytes.
func (c *calendar) put(name, value string) {
	line := name + ":" + value
	for first := true; c.err == nil; first = false {
		most := 75
		if !first {
			most--
			_, c.err = io.WriteString(c.w, " ")
		}
		if len(line) <= most {
			_, c.err = io.WriteString(c.w, line+"\r\n")
			return
		}
		for !utf8.RuneStart(line[most]) {
			most--
		}
		if c.err == nil {
			_, c.err = io.WriteString(c.w, line[:most]+"\r\n")
		}
		line = line[most:]
	}
}
