package toolchain

import (
	"strings"

	"wb/internal/lazyregexp"
)

// npmField matches the lines in which npm repeats the fields of its error.
var npmField = lazyregexp.New(`^(code|syscall|errno|path|network|[0-9]+$)\b`)

// reason is the line of a client's error output that says why it failed. The rest,
// stack traces and advice about logs, does not help users who did not start the client.
func reason(client, output string) string {
	var first, last string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		text, ok := said(client, line)
		if ok && first == "" {
			first = text
		}
	}
	if first == "" {
		return last
	}
	return first
}

// said takes the mark of an error off a line; ok is false if the line says nothing of
// the cause.
func said(client, line string) (text string, ok bool) {
	switch client {
	case "npm":
		text, ok = strings.CutPrefix(line, "npm error")
		if !ok {
			text, ok = strings.CutPrefix(line, "npm ERR!")
		}
		text = strings.TrimSpace(text)
		return text, ok && text != "" && !npmField.MatchString(text)
	case "apt-get":
		return strings.CutPrefix(line, "E: ")
	}
	return "", false
}
