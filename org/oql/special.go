package oql

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Org answers some properties from the text of an entry: the timestamps of its
// planning line, and the first active and inactive ones elsewhere.

var planningStamp = lazyregexp.New(`(SCHEDULED|DEADLINE|CLOSED):[ \t]*([<\[][^>\]\n]*[>\]])`)

// plannedText is a timestamp of the planning line as it is written.
func plannedText(h *Entry, name string) (string, bool) {
	if name == "SCHEDULED" && h.Scheduled == nil || name == "DEADLINE" && h.Deadline == nil || name == "CLOSED" && h.Closed == nil {
		return "", false
	}
	_, rest, _ := strings.Cut(h.Text, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	text, found := "", false
	for _, m := range planningStamp.FindAllStringSubmatch(line, -1) {
		if m[1] == name { // the last one counts
			text, found = m[2], true
		}
	}
	return text, found
}

// stampText is the first active or inactive timestamp outside of the planning
// line, as it is written. What looks like one in a block, in verbatim or in a
// clock is none, and neither is one in a property.
func stampText(h *Entry, active bool) (string, bool) {
	doc := org.Parse([]byte(h.Text))
	found := ""
	look := func(text string) bool {
		eachStamp(text, func(written string, s Stamp) bool {
			if s.Active == active {
				found = written
			}
			return found == ""
		})
		return found != ""
	}
	for n := range doc.All() {
		objects := doc.Objects(n)
		if objects == nil {
			continue
		}
		for o := range objects.Walk() {
			if o.Kind() == org.KindTimestamp && look(doc.Text(o.Span())) {
				return found, true
			}
		}
	}
	return "", false
}
