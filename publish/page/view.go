package page

import (
	"html"
	"strconv"
	"strings"
)

// view is the workbook's source, line by line, so that a line can be linked
// to.
func (w *writer) view(src []byte) string {
	text := strings.TrimSuffix(clean(src), "\n")
	lines := strings.Split(text, "\n")
	marked := make([]string, len(lines))
	for i, line := range lines {
		marked[i] = html.EscapeString(line)
	}
	if w.opts.Highlight != nil {
		if h, ok := w.opts.Highlight.Highlight("org", text); ok && len(h) == len(lines) {
			marked = h
		}
	}
	var out strings.Builder
	out.Grow(len(text) * 2)
	out.WriteString("<pre class=\"view\" tabindex=\"0\"><code class=\"language-org\">")
	for i, line := range marked {
		out.WriteString("<span class=\"line\" id=\"source-L")
		out.WriteString(strconv.Itoa(i + 1))
		out.WriteString("\">")
		out.WriteString(line)
		out.WriteString("</span>\n")
	}
	return out.String() + "</code></pre>\n"
}
