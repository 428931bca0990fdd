package search

import (
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// snippetLen is about how many bytes of a text are shown.
const snippetLen = 160

// sources reads the files that snippets are taken from, each once.
type sources map[string]string

// text is the part of its file that belongs to a document, without its
// heading. It is "" when the file has changed since it was indexed.
func (s sources) text(d Found) string {
	src, ok := s[d.Path]
	if !ok {
		data, err := os.ReadFile(d.Path)
		if err == nil {
			src = string(data)
		}
		s[d.Path] = src
	}
	if d.Start > d.End || d.End > len(src) {
		return ""
	}
	text := src[d.Start:d.End]
	if d.Level > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// snippet shows the part of a text in which most of the phrases stand, on one
// line, and where in it they are.
func snippet(text string, phrases []Phrase) (string, [][2]int) {
	text = prose(text)
	marks := locate(text, phrases)
	start, end := window(text, marks)
	if start > 0 {
		for start < end && text[start-1] != ' ' { // begin with a whole word
			start++
		}
	}
	if end < len(text) {
		if i := strings.LastIndexByte(text[start:end], ' '); i > 0 {
			end = start + i
		}
	}
	shown := text[start:end]
	before := ""
	if start > 0 {
		before = "…"
	}
	after := ""
	if end < len(text) {
		after = "…"
	}
	inside := [][2]int{}
	for _, m := range marks {
		if m[0] >= start && m[1] <= end {
			inside = append(inside, [2]int{m[0] - start + len(before), m[1] - start + len(before)})
		}
	}
	return before + shown + after, inside
}

// prose drops the lines that only structure a text and puts the rest on one.
func prose(text string) string {
	var b strings.Builder
	drawer := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		upper := strings.ToUpper(line)
		switch {
		case upper == ":PROPERTIES:" || upper == ":LOGBOOK:":
			drawer = true
			continue
		case drawer:
			drawer = upper != ":END:"
			continue
		case line == "" || upper == ":END:" || strings.HasPrefix(line, "```") || strings.HasPrefix(upper, "#+BEGIN") || strings.HasPrefix(upper, "#+END") || strings.HasPrefix(upper, "#+RESULTS"):
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// locate finds phrases in a text as the index would: by word or by stem.
func locate(text string, phrases []Phrase) (marks [][2]int) {
	tokens := scan(text)
	forms := make([][]string, len(tokens))
	for i, t := range tokens {
		forms[i] = append(variants(text[t.start:t.end]), t.word)
	}
	for i := range tokens {
		longest := 0
		for _, p := range phrases {
			n := len(p.Words)
			if n <= longest || i+n > len(tokens) {
				continue
			}
			match := true
			for k, w := range p.Words {
				match = match && (slices.Contains(forms[i+k], w) || p.Prefix && k == n-1 && strings.HasPrefix(tokens[i+k].word, w))
			}
			if match {
				longest = n
			}
		}
		if longest > 0 {
			m := [2]int{tokens[i].start, tokens[i+longest-1].end}
			if len(marks) == 0 || marks[len(marks)-1][1] <= m[0] {
				marks = append(marks, m)
			}
		}
	}
	return marks
}

// window chooses the part of a text that shows the most different words, and
// of those the first.
func window(text string, marks [][2]int) (start, end int) {
	best, bestAt := 0, 0
	for i, m := range marks {
		seen := map[string]bool{}
		for _, n := range marks[i:] {
			if n[1] > m[0]+snippetLen-snippetLen/4 {
				break
			}
			seen[strings.ToLower(text[n[0]:n[1]])] = true
		}
		if len(seen) > best {
			best, bestAt = len(seen), m[0]
		}
	}
	start = max(0, bestAt-snippetLen/4)
	if bestAt < snippetLen/2 {
		start = 0
	}
	end = min(len(text), start+snippetLen)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}
