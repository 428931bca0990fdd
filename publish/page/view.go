package page

import (
	"context"
	"html"
	"strconv"
	"strings"

	"wb/workbook"
)

// view is the workbook's source, line by line, so that a line can be linked
// to. Lines that readers are not to see are left out; the others keep their
// numbers.
func (w *writer) view(ctx context.Context, plan *workbook.Plan, src []byte) string {
	var shown []bool
	switch w.opts.Show {
	case ShowNone:
		return ""
	case ShowExported:
		shown = public(ctx, plan)
		src = []byte(redacted(plan.Document()))
	}
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
	out.Grow(len(text) + len(text)/8 + 60*len(lines))
	out.WriteString("<pre class=\"view\" tabindex=\"0\"><code class=\"language-org\">")
	gap := false
	for i, line := range marked {
		if shown != nil && !shown[i] {
			gap = true
			continue
		}
		if gap {
			out.WriteString("<span class=\"gap\">…</span>\n")
			gap = false
		}
		out.WriteString("<span class=\"line\" id=\"source-L")
		out.WriteString(strconv.Itoa(i + 1))
		out.WriteString("\">")
		out.WriteString(line)
		out.WriteString("</span>\n")
	}
	return out.String() + "</code></pre>\n"
}
