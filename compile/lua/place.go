package lua

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// location is how Lua writes a place in the block.
var location = lazyregexp.New(`\bblock:(\d+):`)

// token matches the subject of a message: "near 'x'", "global 'f'".
var token = lazyregexp.New(`(?:near|global|local|field|method|upvalue|constant|label|function) '([^']+)'`)

// place is where in the org file a message points to, and the message without
// the place.
func (u *unit) place(src *compile.Source, message string) (diag.Position, string) {
	line := 0
	for { // each coroutine.wrap on the way puts its place before the message
		m := location.FindStringSubmatchIndex(message)
		if m == nil || m[0] != 0 {
			break
		}
		line, _ = strconv.Atoi(message[m[2]:m[3]])
		message = strings.TrimSpace(message[m[1]:])
	}
	if line == 0 {
		return src.At(1, 1), message
	}
	return u.position(src, line, message), message
}

// position is a line of the code as a place in the org file. The column is that
// of what the message is about, where the line has it, else its first word's.
func (u *unit) position(src *compile.Source, line int, message string) diag.Position {
	line -= u.Skip
	if line < 1 || line > u.Lines {
		if line > u.Lines { // an end that is missing
			line = u.Lines
		} else {
			return src.At(1, 1)
		}
	}
	text := ""
	if lines := strings.Split(u.Code, "\n"); line+u.Skip <= len(lines) {
		text = lines[line+u.Skip-1]
	}
	col := len(text) - len(strings.TrimLeft(text, " \t"))
	if m := token.FindStringSubmatch(message); m != nil {
		if found := wordIn(text, m[1]); found >= 0 {
			col = found
		} else if m[1] == "<eof>" || strings.Contains(message, "<eof>") {
			col = len(text)
		}
	} else if strings.Contains(message, "<eof>") {
		col = len(text)
	}
	return src.At(line, col+1)
}

// wordIn is where a line has a word that is not part of another, or -1.
func wordIn(line, word string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		if !(i > 0 && letter(line[i-1]) && letter(word[0])) && !(i+len(word) < len(line) && letter(line[i+len(word)]) && letter(word[len(word)-1])) {
			return i
		}
		from = i + 1
	}
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// report is the text on standard error for an uncaught error: its place,
// its message and the calls that led there.
func (u *unit) report(src *compile.Source, f *failure) string {
	pos, message := u.place(src, f.Message)
	if !strings.HasPrefix(f.Message, "block:") {
		for _, line := range f.Stack { // the innermost place in the block
			if m := location.FindStringSubmatch(line); m != nil {
				n, _ := strconv.Atoi(m[1])
				pos = u.position(src, n, message)
				break
			}
		}
	}
	var b strings.Builder
	b.WriteString(pos.String() + ": " + message + "\n")
	if len(f.Stack) > 1 {
		for _, line := range f.Stack {
			line = location.ReplaceAllStringFunc(line, func(text string) string {
				n, _ := strconv.Atoi(location.FindStringSubmatch(text)[1])
				return u.position(src, n, "").String() + ":"
			})
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}
