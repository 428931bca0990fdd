package lint

import (
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/workbook/plan"
)

// headlines checks what Org only reads in one place: keywords, the planning
// line, the property drawer.
func (l *linter) headlines() {
	for h := range l.doc.Headlines() {
		l.keyword(h)
		l.drawerPlace(h)
		l.planningPlace(h)
	}
}

// keywordWord is an upper-case word that starts a title: probably a keyword.
var keywordWord = lazyregexp.New(`^([A-Z][A-Z-]{2,})\s+\S`)

// usualKeywords are TODO keywords people use and forget to declare.
var usualKeywords = []string{"NEXT", "WAIT", "WAITING", "DOING", "STARTED", "BLOCKED", "CANCELLED", "CANCELED", "HOLD", "SOMEDAY",
	"MAYBE", "INPROGRESS", "IN-PROGRESS", "REVIEW", "FAILED", "PARTIAL", "PROJ", "STRT", "KILL", "IDEA", "LATER", "ABANDONED"}

// keyword warns when a title starts with a word that looks like a keyword but
// is none in this file.
func (l *linter) keyword(h org.Headline) {
	m := keywordWord.FindStringSubmatch(h.Title.Text)
	if h.Keyword.Present() || h.Comment || m == nil {
		return
	}
	var declared []string
	for _, k := range l.doc.Todo().List {
		declared = append(declared, k.Name)
	}
	slip := slices.ContainsFunc(declared, func(k string) bool { return len(m[1]) > 3 && oneEdit(m[1], k) })
	if slices.Contains(usualKeywords, m[1]) || slip {
		l.warnf("undeclared-keyword", h.Title.Start, plan.DidYouMean(m[1], declared, "declare it with #+TODO: TODO "+m[1]+" | DONE"),
			"%s is not a TODO keyword of this file, so it is part of the title", m[1])
	}
}

// oneEdit reports whether two words differ by one letter or one swap.
func oneEdit(a, b string) bool {
	if a == b || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) == len(b):
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return swapped || a[i+1:] == b[i+1:]
	case len(a) > len(b):
		return a[i+1:] == b[i:]
	}
	return a[i:] == b[i+1:]
}

// drawerPlace reports a property drawer that is not the first thing below its
// headline: Org reads it as text and its properties are lost.
func (l *linter) drawerPlace(h org.Headline) {
	for c := range h.Children() {
		switch {
		case c.Kind() == org.KindPropertyDrawer:
			return
		case c.Kind() == org.KindHeadline:
			return
		}
		if d, ok := c.Drawer(); ok && d.Is("PROPERTIES") {
			l.errorf("misplaced-drawer", d.Start(), "move it directly below the headline and its planning line",
				"text before this property drawer keeps its properties from being read")
			return
		}
	}
}

var planningWord = lazyregexp.New(`^\s*(SCHEDULED|DEADLINE|CLOSED):\s*[<\[]`)

// planningPlace reports SCHEDULED and DEADLINE lines below the first: Org reads
// only the line directly below the headline.
func (l *linter) planningPlace(h org.Headline) {
	body := h.Body()
	start := h.Line.End
	if p, ok := h.Planning(); ok {
		start = p.End()
	}
	for start < body.End {
		end := body.End
		if i := strings.IndexByte(l.doc.Text(org.Span{Start: start, End: body.End}), '\n'); i >= 0 {
			end = start + i + 1
		}
		line := l.doc.Text(org.Span{Start: start, End: end})
		m := planningWord.FindStringSubmatchIndex(line)
		if m == nil {
			return
		}
		l.errorf("second-planning-line", start+m[2], "write SCHEDULED, DEADLINE and CLOSED on one line below the headline",
			"%s on a line of its own is not read", line[m[2]:m[3]])
		start = end
	}
}

// stampShape matches text that looks like a timestamp.
var stampShape = lazyregexp.New(`[<\[](\d{4}-\d{1,2}-\d{1,2})\b[^>\]\n]*[>\]]?`)

// timestamps reports dates that Org does not read.
func (l *linter) timestamps() {
	for n := range l.doc.All() {
		switch n.Kind() {
		case org.KindPlanning, org.KindClock, org.KindParagraph, org.KindHeadlineLine:
			l.stampsIn(n)
		}
	}
}

func (l *linter) stampsIn(n *org.Node) {
	text := n.Text()
	if !strings.ContainsAny(text, "<[") {
		return
	}
	for _, m := range stampShape.FindAllStringIndex(text, -1) {
		word := text[m[0]:m[1]]
		open, last := word[0], word[len(word)-1]
		t, ok := org.ParseTimestamp(word)
		at := n.Start() + m[0]
		switch {
		case ok && !t.From.Valid():
			l.errorf("bad-timestamp", at, "check the day and the month", "%s is not a date of the calendar", word)
		case ok:
		case open == '<' && last == ']' || open == '[' && last == '>':
			l.errorf("bad-timestamp", at, "use <…> for active and […] for inactive timestamps", "%s mixes brackets", word)
		case open == '[' && strings.HasPrefix(text[m[1]:], "]"): // a link or a footnote
		case last != '>' && last != ']':
			l.warnf("bad-timestamp", at, "add the closing bracket", "%s is never closed", strings.TrimSpace(word))
		default:
			l.errorf("bad-timestamp", at, "write <2026-06-06 Sat 09:30 +1w>", "%s is not a timestamp that Org reads", word)
		}
	}
}

// links reports internal links that lead nowhere. Links to files and the web
// are not followed.
func (l *linter) links() {
	var inside []innerLink
	wanted := map[string]bool{}
	for n := range l.doc.All() {
		if k := n.Kind(); k != org.KindParagraph && k != org.KindHeadlineLine && k != org.KindTableRow || !strings.Contains(n.Text(), "[[") {
			continue
		}
		for _, m := range linkShape.FindAllStringSubmatchIndex(n.Text(), -1) {
			link := innerLink{at: n.Start() + m[0], path: n.Text()[m[2]:m[3]]}
			if link.keys = linkKeys(link.path); link.keys == nil {
				continue
			}
			inside = append(inside, link)
			for _, key := range link.keys {
				wanted[key] = true
			}
		}
	}
	if len(inside) == 0 {
		return
	}
	targets := l.linkTargets(wanted)
	for _, link := range inside {
		if !slices.ContainsFunc(link.keys, func(key string) bool { return targets[key] }) {
			l.errorf("dangling-link", link.at, "", "link to %s leads nowhere in this file", link.path)
		}
	}
}

// innerLink is a link to a place in the same file, by what that may be called.
type innerLink struct {
	at   int
	path string
	keys []string
}

// linkShape is a bracket link; its first group is the target.
var linkShape = lazyregexp.New(`\[\[((?:[^\]\[\\]|\\.)+)\](?:\[[^\]]+\])?\]`)

// linkKeys are the targets that a link may mean, nil for one that leads elsewhere.
func linkKeys(path string) []string {
	switch {
	case strings.HasPrefix(path, "#"):
		return []string{path}
	case strings.HasPrefix(path, "*"):
		return []string{"*" + normalTitle(path[1:])}
	case strings.HasPrefix(path, "(") || strings.ContainsAny(path, ":/~."):
		return nil // a code reference, a URL or a file
	}
	key := normalTitle(path)
	return []string{"*" + key, key}
}

// linkTargets finds which of the wanted targets there are: of [[#id]], [[*Title]] and
// [[name]].
func (l *linter) linkTargets(wanted map[string]bool) map[string]bool {
	targets := map[string]bool{}
	note := func(key string) {
		if wanted[key] {
			targets[key] = true
		}
	}
	for h := range l.doc.Headlines() {
		note("*" + normalTitle(h.Title.Text))
		if id, ok := h.Property("CUSTOM_ID"); ok {
			note("#" + id)
		}
	}
	for n := range l.doc.All() {
		if name := n.Name(); n.Kind().IsElement() && name.Text != "" {
			note(normalTitle(name.Text))
		}
		if k := n.Kind(); (k == org.KindParagraph || k == org.KindHeadlineLine) && strings.Contains(n.Text(), "<<") {
			for _, m := range targetPattern.FindAllStringSubmatch(n.Text(), -1) {
				note(normalTitle(m[1]))
			}
		}
	}
	return targets
}

var (
	targetPattern = lazyregexp.New(`<<<?([^<>\n]+)>>>?`)
	cookiePattern = lazyregexp.New(`\[\d*(?:/\d*|%)\]`)
)

// normalTitle folds case and white space, as Org does when it follows a link.
func normalTitle(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(cookiePattern.ReplaceAllString(s, "")), " "))
}
