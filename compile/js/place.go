package js

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"wb/compile"
)

// frame is a place in the block as QuickJS writes it in a stack.
var frame = regexp.MustCompile(regexp.QuoteMeta(mainFile) + `:(\d+)(?::(\d+))?`)

// place is where in the org file an exception came from: its topmost frame in
// the block, else the block itself.
func place(art *compile.Artifact, t *thrown) compile.Position {
	if m := frame.FindStringSubmatch(t.Stack); m != nil {
		return orgPosition(art, m)
	}
	return orgPosition(art, []string{"", "1", "1"})
}

// orgPosition shifts a line and column of the program to the org file.
func orgPosition(art *compile.Artifact, m []string) compile.Position {
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	first, skip := number(art.Meta[metaLine]), number(art.Meta[metaSkip])
	pos := compile.Position{File: art.Meta[metaFile], Line: max(number(m[1])-skip, 1) + first - 1, Col: max(number(m[2]), 1)}
	if art.Shape == compile.ShapeBabel && !wantsOutput(art) && skip == 0 && m[1] == "1" {
		pos.Col = max(pos.Col-len("(function(){"), 1)
	}
	if indent := number(art.Meta[metaCol]) - 1; indent > 0 {
		pos.Col += indent
	}
	return pos
}

// orgStack is the stack with places in the org file; frames of wb's own
// prelude are left out.
func orgStack(art *compile.Artifact, stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		if strings.Contains(line, "prelude.js") || strings.Contains(line, "(native)") || strings.TrimSpace(line) == "" {
			continue
		}
		b.WriteString(frame.ReplaceAllStringFunc(line, func(m string) string {
			return fmt.Sprint(orgPosition(art, frame.FindStringSubmatch(m)))
		}))
	}
	return b.String()
}
