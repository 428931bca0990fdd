package org

import (
	"fmt"
	"strings"
)

// SetPriority returns the edits that give a headline the priority, or take it
// away if priority is "".
func SetPriority(h Headline, priority string) ([]Edit, error) {
	if priority == h.Priority.Text {
		return nil, nil
	}
	text := h.doc.text
	if priority == "" {
		after := skipBlanks(text, h.Priority.End+len("]"), h.Line.End)
		return []Edit{{h.Priority.Start - len("[#"), after, ""}}, nil
	}
	cookie := "[#" + priority + "]"
	if _, end, ok := priorityCookie(cookie, 0, len(cookie)); !ok || end != len(cookie) {
		return nil, fmt.Errorf("priority %q is neither a letter from A to Z nor a number below 100", priority)
	}
	if h.Priority.Present() {
		return []Edit{Replace(h.Priority.Span, priority)}, nil
	}
	at := h.start + h.Level
	if h.Keyword.Present() {
		at = h.Keyword.End
	}
	return []Edit{{at, at, " " + cookie}}, nil
}

// SetTitle returns the edits that give a headline the title. A title that Org
// would read as something else, because it starts with a keyword or ends in
// tags, is refused.
func SetTitle(h Headline, title string) ([]Edit, error) {
	title = strings.Trim(title, " \t")
	if strings.ContainsAny(title, "\r\n") {
		return nil, fmt.Errorf("title spans lines")
	}
	if title == h.Title.Text {
		return nil, nil
	}
	if h.Title.Len() > 0 {
		return []Edit{Replace(h.Title.Span, title)}, nil
	}
	text := h.doc.text
	start := max(h.start+h.Level, trimSpan(text, h.start, h.Title.Start).End)
	if h.TagList.Present() {
		return []Edit{{start, h.TagList.Start, " " + title + " "}}, nil
	}
	return []Edit{{start, trimEOL(text, h.start, h.Line.End), " " + title}}, nil
}

// AlignTags returns the edits that make the tags of a headline end where Emacs
// puts them.
func AlignTags(h Headline) []Edit {
	if !h.TagList.Present() {
		return nil
	}
	title := max(h.start+h.Level, trimSpan(h.doc.text, h.start, h.TagList.Start).End)
	gap := tagGap(h.doc.text[h.start:title], h.TagList.Text)
	if h.doc.text[title:h.TagList.Start] == gap {
		return nil
	}
	return []Edit{{title, h.TagList.Start, gap}}
}

// TagsAligned reports whether the tags of a headline end where Emacs puts them.
func TagsAligned(h Headline) bool {
	return h.TagList.Present() && width(h.doc.text[h.start:h.TagList.End]) == tagColumn
}

// SetPlanning returns the edits that give a headline the timestamp behind
// SCHEDULED, DEADLINE or CLOSED, or take it away if stamp is "". A timestamp
// that is there is replaced where it stands; a new one becomes the first of the
// planning line, as in Emacs.
func SetPlanning(h Headline, keyword, stamp string) ([]Edit, error) {
	if stamp != "" {
		if t, ok := ParseTimestamp(stamp); !ok || t.Active == (keyword == "CLOSED") {
			return nil, fmt.Errorf("%s takes no %q", keyword, stamp)
		}
	}
	p, ok := h.Planning()
	if !ok {
		if stamp == "" {
			return nil, nil
		}
		line := keyword + ": " + stamp + h.doc.eol()
		if h.doc.text[h.Line.End-1] != '\n' { // the file ends with this line
			line = h.doc.eol() + strings.TrimSuffix(line, h.doc.eol())
		}
		return []Edit{{h.Line.End, h.Line.End, line}}, nil
	}
	old := map[string]Timestamp{"SCHEDULED": p.Scheduled, "DEADLINE": p.Deadline, "CLOSED": p.Closed}[keyword]
	text := h.doc.text
	start := skipBlanks(text, p.Start(), p.End())
	switch {
	case !old.Present() && stamp == "":
		return nil, nil
	case !old.Present():
		return []Edit{{start, start, keyword + ": " + stamp + " "}}, nil
	case stamp != "":
		return []Edit{Replace(old.Span, stamp)}, nil
	}
	from := strings.LastIndex(text[:old.Start], keyword+":")
	end := trimEOL(text, p.Start(), p.End())
	to := skipBlanks(text, old.End, end)
	if strings.TrimSpace(text[p.Start():from]+text[to:end]) == "" {
		return []Edit{{p.Start(), p.End(), ""}}, nil // nothing else stands in the line
	}
	if to == end { // the last one takes the blanks before it
		from = trimSpan(text, p.Start(), from).End
	}
	return []Edit{{from, to, ""}}, nil
}
