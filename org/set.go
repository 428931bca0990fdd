package org

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tagColumn is where Emacs makes tags end.
const tagColumn = 77

// SetKeyword returns the edits that give a headline the TODO keyword, or take
// it away if keyword is "". The keyword must be one of [Document.Todo].
func SetKeyword(h Headline, keyword string) ([]Edit, error) {
	if keyword == h.Keyword.Text {
		return nil, nil
	}
	if keyword == "" {
		after := skipBlanks(h.doc.text, h.Keyword.End, h.Line.End)
		return []Edit{{h.Keyword.Start, after, ""}}, nil
	}
	declared := h.doc.Todo()
	if _, ok := declared.Find(keyword); !ok {
		return nil, fmt.Errorf("the file does not declare the keyword %q; it declares %s", keyword, declared)
	}
	if h.Keyword.Present() {
		return []Edit{Replace(h.Keyword.Span, keyword)}, nil
	}
	at := h.start + h.Level
	return []Edit{{at, at, " " + keyword}}, nil
}

// SetProperty returns the edits that give a headline's own property a value,
// making the drawer if there is none. Lines "KEY+" stay.
func SetProperty(h Headline, key, value string) ([]Edit, error) {
	if key == "" || strings.ContainsAny(key, " \t\r\n\f\v") || strings.HasSuffix(key, "+") {
		return nil, fmt.Errorf("property name %q is empty, has white space or ends in +", key)
	}
	if strings.ContainsAny(value, "\r\n") {
		return nil, fmt.Errorf("value of property %s spans lines", key)
	}
	drawer := propertyDrawerOf(h.Node)
	var old *Property
	for p := range properties(drawer) {
		if p.Is(key) && !p.Append {
			old = &p
		}
	}
	eol := h.doc.eol()
	line := propertyLine(key, value) + eol
	switch {
	case old != nil && old.Value.Len() > 0:
		return []Edit{Replace(old.Value.Span, value)}, nil
	case old != nil:
		at := old.Key.End + len(":")
		return []Edit{{at, at, " " + value}}, nil
	case drawer != nil:
		last := drawer.last
		indent := h.doc.text[last.start:skipBlanks(h.doc.text, last.start, last.end)]
		return []Edit{{last.start, last.start, indent + line}}, nil
	}
	at := h.Line.End
	if p, ok := h.Planning(); ok {
		at = p.End()
	}
	text := ":PROPERTIES:" + eol + line + ":END:" + eol
	if h.doc.text[at-1] != '\n' { // the file ends with this line
		text = eol + strings.TrimSuffix(text, eol)
	}
	return []Edit{{at, at, text}}, nil
}

// propertyLine formats a property as Emacs does: values start at column 11.
func propertyLine(key, value string) string {
	return strings.TrimRight(fmt.Sprintf("%-10s %s", ":"+key+":", value), " ")
}

// RemoveProperty returns the edits that remove the lines of a headline's own
// property, and the whole drawer when nothing else stands in it.
func RemoveProperty(h Headline, key string) []Edit {
	drawer := propertyDrawerOf(h.Node)
	var edits []Edit
	kept := 0
	for p := range properties(drawer) {
		if p.Is(key) {
			edits = append(edits, Replace(p.Span(), ""))
		} else {
			kept++
		}
	}
	if len(edits) > 0 && kept == 0 {
		return []Edit{Replace(drawer.Span(), "")}
	}
	return edits
}

// SetTags returns the edits that make tags the headline's own ones. They stay
// aligned if the old ones were, and are put where Emacs puts them if there
// were none.
func SetTags(h Headline, tags []string) ([]Edit, error) {
	for _, t := range tags {
		if _, ok := tagList(" :"+t+":", 0, len(t)+3); !ok || strings.Contains(t, ":") {
			return nil, fmt.Errorf("tag %q has characters other than letters, digits and _@#%%", t)
		}
	}
	text := h.doc.text
	end := trimEOL(text, h.start, h.Line.End)
	lineEnd := trimSpan(text, h.start, end).End
	list := ":" + strings.Join(tags, ":") + ":"
	if !h.TagList.Present() {
		if len(tags) == 0 {
			return nil, nil
		}
		start := max(lineEnd, h.start+h.Level)
		return []Edit{{start, end, tagGap(text[h.start:start], list) + list}}, nil
	}
	title := max(h.start+h.Level+1, trimSpan(text, h.start, h.TagList.Start).End)
	if len(tags) == 0 {
		return []Edit{{title, h.TagList.End, ""}}, nil
	}
	gap := text[title:h.TagList.Start]
	if width(text[h.start:h.TagList.End]) == tagColumn {
		gap = tagGap(text[h.start:title], list)
	}
	return []Edit{{title, h.TagList.End, gap + list}}, nil
}

// tagGap returns the blanks that make list end in [tagColumn].
func tagGap(before, list string) string {
	return strings.Repeat(" ", max(1, tagColumn-width(before)-width(list)))
}

func width(s string) int { return utf8.RuneCountInString(s) }

// eol returns the line ending that the document uses.
func (d *Document) eol() string {
	if d.CRLF() {
		return "\r\n"
	}
	return "\n"
}
