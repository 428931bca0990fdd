package agenda

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"wb/internal/lazyregexp"
)

var (
	plannedTime = lazyregexp.New(` ([012]?[0-9]:[0-9][0-9])`)
	// clockPattern finds a time of day.
	clockPattern = lazyregexp.New(`(?i)\b([012]?[0-9])(?::([0-5][0-9])(am|pm)?|(am|pm))\b`)
	// stampTime finds the time of a timestamp, and of one on the same day behind it.
	stampTime = lazyregexp.New(`<(\d{4}-\d\d-\d\d +[\pL\pN]+ +)([012][0-9]:[0-5][0-9])(?:-([012][0-9]:[0-5][0-9]))?[^\n\r>]*?>`)
	rangeTime = lazyregexp.New(`^--?<(\d{4}-\d\d-\d\d +[\pL\pN]+ +)([012][0-9]:[0-5][0-9])>`)
	// plainTime finds 11:45, 8am-13:15 and 2:45-2:45pm.
	plainTime = lazyregexp.New(`(\b[012]?[0-9](?::[0-5][0-9](?:[AaPp][Mm])?|[AaPp][Mm])\b)(?:--?(\b[012]?[0-9](?::[0-5][0-9](?:[AaPp][Mm])?|[AaPp][Mm])\b))?`)

	anyStamp    = lazyregexp.New(`[\[<]\d{4}-\d\d-\d\d(?: [^\n]*?)?[\]>]`)
	activeStamp = lazyregexp.New(`<\d{4}-\d\d-\d\d(?: [^\n]*?)?>`)
	tagGroup    = lazyregexp.New(`[ \t]+:[\pL\pM\pN_@#%:]+:[ \t]*$`)
	cookie      = lazyregexp.New(`\[#([A-Z]|[0-9]|[1-5][0-9]|6[0-4])\]`)
)

// format works out the time of day and the text of an item. The time is looked
// for in dotime and then in the headline; a nil dotime asks for none. Timestamps
// have their own dates taken out of the text.
func (i *Item) format(dotime *string, ownDates bool, s Settings) {
	text := i.head
	if len(i.Tags) > 0 {
		text = tagGroup.ReplaceAllString(text, "")
	}
	i.clock, i.Time, i.End, i.Leader = -1, "", "", strings.TrimSpace(i.leader)
	if dotime != nil {
		searched := *dotime + anyStamp.ReplaceAllString(text, "")
		text = i.times(searched, text)
	}
	if ownDates {
		text = activeStamp.ReplaceAllString(text, "")
	}
	if i.State != "" { // one blank follows the keyword
		if rest, ok := strings.CutPrefix(text, i.State); ok && strings.HasPrefix(rest, " ") {
			text = i.State + " " + strings.TrimLeft(rest, " ")
		}
	}
	i.shown = text
}

// times finds the times of an item and takes them out of its text.
func (i *Item) times(searched, text string) string {
	if i.clock = clockOf(searched); i.clock < 0 {
		return text
	}
	found := ""
	if m := stampTime.FindStringSubmatchIndex(searched); m != nil {
		found, i.Time = searched[m[0]:m[1]], searched[m[4]:m[5]]
		if m[6] >= 0 {
			i.End = searched[m[6]:m[7]]
		}
		if r := rangeTime.FindStringSubmatch(searched[m[1]:]); r != nil && r[1] == searched[m[2]:m[3]] {
			found += r[0]
			if i.End == "" {
				i.End = r[2]
			}
		}
	} else if m := plainTime.FindStringSubmatch(searched); m != nil {
		found, i.Time, i.End = m[0], m[1], m[2]
	} else {
		return text
	}
	if at := strings.Index(text, found); at >= 0 {
		rest := strings.TrimLeft(text[at+len(found):], " ")
		if !strings.HasPrefix(rest, "]") {
			text = text[:at] + rest
		}
	}
	i.Time, i.End = clockText(i.Time), clockText(i.End)
	return text
}

// clockOf is the first time of day in a text as a number such as 930, -1 if there
// is none.
func clockOf(text string) int {
	m := clockPattern.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	hours, half := number(m[1]), strings.ToLower(m[3]+m[4])
	switch {
	case half == "":
	case hours == 12 && half == "am":
		hours = 0
	case hours != 12 && half == "pm":
		hours += 12
	}
	minutes := 0
	if m[2] != "" {
		minutes = number(m[2])
	}
	return 100*hours + minutes
}

// clockText writes a time of day as Org shows it: 9:30, and +1:30 for 25:30.
func clockText(text string) string {
	at := clockOf(text)
	switch {
	case text == "" || at < 0:
		return ""
	case at > 2400:
		return fmt.Sprintf("+%d:%02d", at/100-24, at%100)
	}
	return fmt.Sprintf("%d:%02d", at/100, at%100)
}

// priority is the part of the urgency that the priority cookie adds.
func (i *Item) priority(s Settings) int {
	value := s.Default
	if m := cookie.FindStringSubmatch(i.shown); m != nil {
		if value = int(m[1][0]); value < 'A' || value > 'Z' {
			value = number(m[1])
		}
	}
	return 1000 * (s.Lowest - value)
}

// prefix is the part of a line before the text: category, time and leader.
func (i *Item) prefix(list bool) string {
	category := ""
	if i.Category != "" {
		category = i.Category + ":"
	}
	line := "  " + pad(category, 12)
	if list {
		return line
	}
	switch {
	case i.End != "":
		line += pad(fmt.Sprintf("%5s-%s", i.Time, i.End), 12)
	case i.Time != "":
		line += pad(fmt.Sprintf("%5s......", i.Time), 12)
	}
	if i.leader != "" {
		line += i.leader + " "
	}
	return line
}

// line is the item as a line of text.
func (i *Item) line(list bool, s Settings) string {
	line := i.prefix(list) + i.shown
	if tags := i.tagText(); tags != "" {
		line = strings.TrimRight(line, " \t")
		line += strings.Repeat(" ", max(1, s.TagsColumn-width(tags)-column(line))) + tags
	}
	if i.Habit != "" {
		line = overlay(line, i.Habit)
	}
	return strings.TrimRight(line, " \t")
}

// tagText is the tags as Org shows them, inherited ones first: ":work::urgent:".
func (i *Item) tagText() string {
	if len(i.Tags) == 0 {
		return ""
	}
	out := ":" + strings.Join(i.Tags[:i.inherited], ":")
	if i.inherited > 0 {
		out += ":"
		if i.inherited == len(i.Tags) {
			return out + ":"
		}
		out += ":"
	}
	return out + strings.Join(i.Tags[i.inherited:], ":") + ":"
}

// overlay puts the marks of a habit over a line, where it shows on the screen.
func overlay(line, marks string) string {
	before, after := splitAt(line, habitColumn)
	rest := []rune(after)
	return before + strings.Repeat(" ", max(0, habitColumn-column(before))) + marks + string(rest[min(len(marks), len(rest)):])
}

// splitAt cuts text at a column of the screen, on which links show their
// descriptions alone.
func splitAt(text string, at int) (before, after string) {
	hidden := hiddenParts(text)
	columns := 0
	for i, r := range text {
		if columns >= at {
			return text[:i], text[i:]
		}
		if !slices.ContainsFunc(hidden, func(h [2]int) bool { return h[0] <= i && i < h[1] }) {
			columns += width(string(r))
		}
	}
	return text, ""
}

// hiddenParts are the places of links that Emacs does not show.
func hiddenParts(text string) (list [][2]int) {
	if !strings.Contains(text, "[[") {
		return nil
	}
	for _, m := range bracketLink.FindAllStringSubmatchIndex(text, -1) {
		shown := m[2:4]
		if m[4] >= 0 {
			shown = m[4:6]
		}
		list = append(list, [2]int{m[0], shown[0]}, [2]int{shown[1], m[1]})
	}
	return list
}

// screen measures text as Emacs does, whatever the locale.
var screen = &runewidth.Condition{StrictEmojiNeutral: true}

func width(text string) int {
	if len(text) == utf8.RuneCountInString(text) {
		return len(text)
	}
	return screen.StringWidth(text)
}

// bracketLink is [[target]] or [[target][description]].
var bracketLink = lazyregexp.New(`\[\[((?:[^\]\[\\]|\\.)+)\](?:\[((?:.)+?)\])?\]`)

// visible is text as Emacs shows it: of a link only its description.
func visible(text string) string {
	if !strings.Contains(text, "[[") {
		return text
	}
	return bracketLink.ReplaceAllStringFunc(text, func(link string) string {
		m := bracketLink.FindStringSubmatch(link)
		if m[2] != "" {
			return m[2]
		}
		return m[1]
	})
}

// column is the column behind text that starts a line.
func column(text string) int { return width(visible(text)) }

func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}
