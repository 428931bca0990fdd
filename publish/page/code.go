package page

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"wb/org"
	"wb/workbook"
)

// code is a block's text, line by line, with its labels and numbers.
type code struct {
	lines  []string
	labels []string // (ref:label) of each line, "" without
	first  int      // number of the first line; 0 when lines have none
	hide   bool     // -r: labels are not shown
}

// surveyCode numbers a block's lines and makes its labels lead somewhere.
func (w *writer) surveyCode(n *org.Node) {
	b, _ := n.Block()
	if first := w.firstLine(b); first > 0 {
		w.lines[n.Start()] = first
	}
	if !strings.Contains(b.Switches.Text, "-l") && !strings.Contains(w.doc.Text(b.Body), "(ref:") {
		return
	}
	c := w.codeOf(n)
	for i, label := range c.labels {
		if label == "" {
			continue
		}
		key := "code " + label
		if _, twice := w.anchors[key]; twice {
			w.report(b.Body.Start, warning, "duplicate-id", "links lead only to the first one", "the label (%s) occurs twice", label)
			continue
		}
		text := label
		if c.hide { // without a label to look for, readers need the number
			text = strconv.Itoa(max(c.first, 1) + i)
		}
		w.anchors[key] = anchor{id: w.unique("coderef-" + workbook.Slug(label)), text: html.EscapeString(text), node: n}
	}
}

// firstLine is the number of a block's first line; 0 for a block whose lines
// have no numbers. "+n" goes on where the last numbered block ended.
func (w *writer) firstLine(b org.Block) int {
	fields := strings.Fields(b.Switches.Text)
	for i, f := range fields {
		if f != "-n" && f != "+n" {
			continue
		}
		first := 1
		given := 0
		if i+1 < len(fields) {
			given, _ = strconv.Atoi(fields[i+1])
		}
		switch {
		case f == "+n":
			first = w.numbers["last line"] + max(given, 1)
		case given > 0:
			first = given
		}
		w.numbers["last line"] = first - 1 + strings.Count(b.Code(), "\n") + 1
		return first
	}
	return 0
}

// codeOf is the code that a block shows.
func (w *writer) codeOf(n *org.Node) code {
	b, _ := n.Block()
	text := b.Code()
	c := code{lines: strings.Split(text, "\n"), first: w.lines[n.Start()], hide: b.HasSwitch("-r")}
	format := b.LabelFormat()
	mark, _, _ := strings.Cut(format, "%s")
	if mark != "" && !strings.Contains(text, mark) {
		return c
	}
	form := labelForm(format)
	for i, line := range c.lines {
		m := form.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		if c.labels == nil {
			c.labels = make([]string, len(c.lines))
		}
		c.labels[i] = line[m[2]:m[3]]
		c.lines[i] = strings.TrimRight(line[:m[0]], " \t") + line[m[1]:]
	}
	return c
}

// labelForm finds a label at the end of a line.
func labelForm(format string) *regexp.Regexp {
	before, after, ok := strings.Cut(format, "%s")
	if !ok {
		before, after = "(ref:", ")"
	}
	return regexp.MustCompile(regexp.QuoteMeta(before) + `([-a-zA-Z0-9_][-a-zA-Z0-9_ ]*)` + regexp.QuoteMeta(after) + `[ \t]*$`)
}

// lined writes code with its anchors and numbers; marked are its lines as
// HTML.
func (w *writer) lined(n *org.Node, c code, marked []string) string {
	if c.first == 0 && c.labels == nil {
		return strings.Join(marked, "\n")
	}
	width := len(strconv.Itoa(c.first + len(c.lines)))
	seen := map[string]bool{}
	var out strings.Builder
	for i, line := range marked {
		if i > 0 {
			out.WriteByte('\n')
		}
		if c.first > 0 {
			fmt.Fprintf(&out, "<span class=\"linenr\">%*d  </span>", width, c.first+i)
		}
		label := ""
		if c.labels != nil {
			label = c.labels[i]
		}
		if label == "" {
			out.WriteString(line)
			continue
		}
		if !c.hide {
			line += " <span class=\"coderef-label\">(" + html.EscapeString(label) + ")</span>"
		}
		id := ""
		if a, ok := w.anchors["code "+label]; ok && a.node == n && !seen[label] {
			id = attr("id", a.id)
			w.placed[a.id] = true
			seen[label] = true
		}
		out.WriteString("<span class=\"coderef\"" + id + ">" + line + "</span>")
	}
	return out.String()
}

// source is a block of code.
func (w *writer) source(n *org.Node) string {
	b, _ := n.Block()
	c := w.codeOf(n)
	lang := b.Lang.Text
	marked := w.highlighted(lang, c.lines)
	class := ""
	if lang != "" {
		class = fmt.Sprintf(" class=\"language-%s\" data-lang=\"%s\"", html.EscapeString(lang), html.EscapeString(lang))
	}
	body := "<pre tabindex=\"0\"><code" + class + ">" + w.lined(n, c, marked) + "\n</code></pre>\n"
	if len(c.lines) == 1 && c.lines[0] == "" {
		body = "<pre><code" + class + "></code></pre>\n"
	}
	if n.FirstChild().Kind() == org.KindAffiliated {
		body = w.framed(n, w.decorated(n, body), w.numbered(n), true)
	}
	return body + w.liveBelow(n)
}

// highlighted are lines of code as HTML.
func (w *writer) highlighted(lang string, lines []string) []string {
	if w.opts.Highlight != nil && lang != "" {
		if marked, ok := w.opts.Highlight.Highlight(lang, strings.Join(lines, "\n")); ok && len(marked) == len(lines) {
			return marked
		}
	}
	marked := make([]string, len(lines))
	for i, line := range lines {
		marked[i] = html.EscapeString(line)
	}
	return marked
}

// example is text as it stands.
func (w *writer) example(n *org.Node) string {
	c := w.codeOf(n)
	marked := make([]string, len(c.lines))
	for i, line := range c.lines {
		marked[i] = html.EscapeString(line)
	}
	return "<pre tabindex=\"0\"><samp>" + w.lined(n, c, marked) + "\n</samp></pre>\n"
}
