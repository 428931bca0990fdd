package oql

import (
	"strings"
	"time"
)

// when is a moment given in a query: so many days from today, or a date with
// or without a time.
type when struct {
	days    int
	rel     bool
	date    time.Time
	hasTime bool
}

// dateLayouts are the spellings of absolute dates.
var dateLayouts = []struct {
	layout  string
	hasTime bool
}{
	{"2006-01-02", false}, {"2006-01-02 15:04", true}, {"2006-01-02T15:04", true},
	{"2006-01-02 15:04:05", true}, {"2006-01-02T15:04:05", true},
}

// parseWhen reads a number of days, today, or a date.
func parseWhen(a Arg) (when, bool) {
	switch {
	case a.Kind == ArgNumber && a.Num == float64(int(a.Num)):
		return when{days: int(a.Num), rel: true}, true
	case a.Text == "today":
		return when{rel: true}, true
	case a.Text == "yesterday":
		return when{rel: true, days: -1}, true
	case a.Text == "tomorrow":
		return when{rel: true, days: 1}, true
	}
	text := strings.Trim(a.Text, "<>[]")
	for _, l := range dateLayouts {
		if t, err := time.Parse(l.layout, text); err == nil {
			return when{date: t, hasTime: l.hasTime}, true
		}
	}
	if atom(a.Text, a.Pos).Kind == ArgNumber {
		return when{days: int(atom(a.Text, a.Pos).Num), rel: true}, true
	}
	return when{}, false
}

// knownField names the columns rows have, so that a field is never mistaken
// for a misspelt predicate.
func knownField(name string) bool {
	switch strings.ToLower(name) {
	case "title", "state", "id", "props", "body", "line", "olp", "file", "lang", "name", "args", "result",
		"run", "call", "step", "agent", "tool", "component", "exit", "dur_ms", "fuel", "cache", "kind", "status", "type", "model", "at":
		return true
	}
	return false
}
