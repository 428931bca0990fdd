package highlight

import (
	"html"
	"strings"
)

// orgLines marks up org text by its lines. chroma's own lexer for org is a few
// regular expressions over the whole text, takes 80 ms for a page of 8 KB, and
// a site shows the source of every page.
func orgLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	block := "" // what ends the block that a line is in
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		low := strings.ToLower(bare)
		class := ""
		switch {
		case block != "":
			if low == block {
				class, block = "k", ""
			}
		case strings.HasPrefix(low, "#+begin_"):
			name, _, _ := strings.Cut(low[len("#+begin_"):], " ")
			class, block = "k", "#+end_"+name
		case strings.HasPrefix(bare, "#+"):
			class = "k"
		case bare == "#" || strings.HasPrefix(bare, "# "):
			class = "c1"
		case isHeadline(line):
			class = "gh"
		case len(bare) > 2 && bare[0] == ':' && strings.IndexByte(bare[1:], ':') > 0 && !strings.ContainsAny(bare[1:strings.IndexByte(bare[1:], ':')+1], " \t"):
			class = "na"
		}
		lines[i] = html.EscapeString(line)
		if class != "" && lines[i] != "" {
			lines[i] = "<span class=\"" + class + "\">" + lines[i] + "</span>"
		}
	}
	return lines
}

func isHeadline(line string) bool {
	stars := len(line) - len(strings.TrimLeft(line, "*"))
	return stars > 0 && strings.HasPrefix(line[stars:], " ")
}
