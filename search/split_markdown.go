package search

import (
	"slices"
	"strings"
)

// splitMarkdown cuts a Markdown file at its # headings. Fenced blocks are
// code; everything else is prose.
func splitMarkdown(name string, src []byte) File {
	text := string(src)
	file := File{Title: stem(name)}
	var titles []string // of the headings above, by level
	var levels []int
	current := Document{Line: 1, Title: file.Title}
	finish := func(end int) {
		current.End = end
		if current.Level > 0 || strings.TrimSpace(current.Body+current.Code) != "" {
			file.Documents = append(file.Documents, current)
		}
	}
	fence, at, number := "", 0, 0
	for line := range strings.Lines(text) {
		number++
		level, title := markdownHeading(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			} else {
				current.Code += line
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			current.Code += strings.TrimPrefix(trimmed, fence) + "\n"
		case level > 0:
			finish(at)
			for len(levels) > 0 && levels[len(levels)-1] >= level {
				levels, titles = levels[:len(levels)-1], titles[:len(titles)-1]
			}
			current = Document{Line: number, Level: level, Start: at, Title: title, Outline: slices.Clone(titles)}
			levels, titles = append(levels, level), append(titles, title)
			if level == 1 && len(file.Documents) == 0 {
				file.Title = title
			}
		default:
			current.Body += line
		}
		at += len(line)
	}
	finish(len(text))
	return file
}

// markdownHeading reads an ATX heading; level 0 is none.
func markdownHeading(line string) (level int, title string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || level > 6 || !strings.HasPrefix(rest, " ") {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}
