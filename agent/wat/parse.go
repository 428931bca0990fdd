package wat

import (
	"strings"

	"wb/internal/lazyregexp"
)

// Kind says what an answer asks for.
type Kind string

// The kinds of answer.
const (
	KindResponse Kind = "response" // the text is the result
	KindWat      Kind = "wat"      // Body is a program
	KindCatalog  Kind = "catalog"  // Name is a program of the catalog
	KindCode     Kind = "code"     // Body is a program in the language Name
	KindUnread   Kind = "unread"   // a ToolCall that cannot be read
)

// Answer is a model's parsed answer.
type Answer struct {
	Kind    Kind
	Thought string
	Name    string
	Body    string
	Args    []string
}

// mark begins a ToolCall, and marked one of a kind, in whatever case and spacing.
var (
	mark   = lazyregexp.New(`(?i)\btool_?call\s*::`)
	marked = map[Kind]*lazyregexp.Regexp{
		KindResponse: lazyregexp.New(`(?i)\btool_?call\s*::\s*response\s*\(`),
		KindWat:      lazyregexp.New(`(?i)\btool_?call\s*::\s*wat\s*\(`),
		KindCatalog:  lazyregexp.New(`(?i)\btool_?call\s*::\s*catalog\s*\(`),
		KindCode:     lazyregexp.New(`(?i)\btool_?call\s*::\s*code\s*\(`),
	}
)

// Parse reads an answer, however badly it is formatted: fences, quotes and
// parentheses may be missing, and text without any ToolCall is a response. Text that
// begins a ToolCall which cannot be read is none: it would be the run's result. Where
// there are several calls, the first valid kind counts in the order Response,
// Wat, Catalog, Code.
func Parse(text string) Answer {
	thought := thoughtIn(text)
	for _, read := range []struct {
		kind Kind
		read func(after string) (Answer, bool)
	}{{KindResponse, readResponse}, {KindWat, readWat}, {KindCatalog, readCatalog}, {KindCode, readCode}} {
		at := marked[read.kind].FindStringIndex(text)
		if at == nil {
			continue
		}
		if a, ok := read.read(text[at[1]:]); ok {
			a.Thought = thought
			return a
		}
	}
	if mark.MatchString(text) {
		return Answer{Kind: KindUnread, Thought: thought, Body: strings.TrimSpace(text)}
	}
	return Answer{Kind: KindResponse, Body: strings.TrimSpace(text)}
}

// thoughtIn is the reasoning before a call: between its tags, else all of it.
func thoughtIn(text string) string {
	at := mark.FindStringIndex(text)
	if at == nil {
		return ""
	}
	before := text[:at[0]]
	if _, inside, ok := strings.Cut(before, "<reasoning>"); ok {
		inside, _, _ = strings.Cut(inside, "</reasoning>")
		if inside = strings.TrimSpace(inside); inside != "" {
			return inside
		}
	}
	return strings.TrimSpace(before)
}

func readResponse(after string) (Answer, bool) {
	a := Answer{Kind: KindResponse}
	if _, inside, ok := strings.Cut(after, `"""`); ok {
		body, _, closed := strings.Cut(inside, `"""`)
		if !closed {
			body = openEnd(inside)
		}
		a.Body = strings.TrimSpace(body)
		return a, !isCall(a.Body)
	}
	if end := closingParen(after); end >= 0 {
		after = after[:end]
	} else {
		after = openEnd(after)
	}
	if words := quoted(after); len(words) == 1 && strings.HasPrefix(strings.TrimSpace(after), `"`) {
		after = words[0]
	}
	a.Body = strings.TrimSpace(after)
	return a, !isCall(a.Body)
}

// isCall reports whether an answer is a ToolCall itself, which was wrapped.
func isCall(text string) bool {
	at := mark.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// openEnd is text whose end was cut off or left open.
func openEnd(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	text = strings.TrimRight(text, ")")
	return strings.TrimRight(text, `"`)
}

func readWat(after string) (Answer, bool) {
	body, rest := fenced(after)
	a := Answer{Kind: KindWat, Body: body, Args: argsIn(rest)}
	return a, strings.TrimSpace(body) != ""
}

func readCatalog(after string) (Answer, bool) {
	words := argsIn(after)
	if len(words) == 0 {
		return Answer{}, false
	}
	return Answer{Kind: KindCatalog, Name: words[0], Args: words[1:]}, true
}

func readCode(after string) (Answer, bool) {
	before, _, ok := strings.Cut(after, "```")
	names := quoted(before)
	if words := argsIn(after); !ok && len(words) > 1 { // without a fence
		return Answer{Kind: KindCode, Name: strings.ToLower(words[0]), Body: words[1], Args: words[2:]}, strings.TrimSpace(words[1]) != ""
	}
	if !ok {
		return readBareCode(after)
	}
	if name := strings.Trim(before, " \t\n,'"); len(names) == 0 && name != "" && !strings.ContainsAny(name, " \n(") {
		names = []string{name}
	}
	if len(names) == 0 {
		return Answer{}, false
	}
	body, rest := fenced(after[len(before):])
	return Answer{Kind: KindCode, Name: strings.ToLower(names[0]), Body: body, Args: argsIn(rest)}, strings.TrimSpace(body) != ""
}

// readBareCode reads a language and a program behind a comma, in other quotes than
// double ones or in none.
func readBareCode(after string) (Answer, bool) {
	if end := closingParenOf(after); end >= 0 {
		after = after[:end]
	}
	name, body, ok := strings.Cut(after, ",")
	name, body = strings.Trim(name, " \t\n\"'`"), strings.TrimSpace(body)
	if n := len(body); n > 1 && body[0] == body[n-1] && strings.ContainsRune("\"'`", rune(body[0])) {
		body = body[1 : n-1]
	}
	return Answer{Kind: KindCode, Name: strings.ToLower(name), Body: body}, ok && name != "" && strings.TrimSpace(body) != ""
}

// fenced is the text in the first fence, without the fence's language, and what
// follows it. A fence that is missing or does not close holds everything.
func fenced(text string) (body, rest string) {
	_, inside, ok := strings.Cut(text, "```")
	if !ok {
		if end := closingParenOf(text); end >= 0 {
			return text[:end], ""
		}
		return openEnd(text), ""
	}
	if first, more, ok := strings.Cut(inside, "\n"); ok && !strings.ContainsAny(first, "();`\"") {
		inside = more
	} else {
		inside = strings.TrimPrefix(inside, "wat")
	}
	body, rest, closed := strings.Cut(inside, "```")
	if !closed {
		return inside, ""
	}
	return body, rest
}

// argsIn are the quoted words up to the call's closing parenthesis.
func argsIn(text string) []string {
	if end := closingParen(text); end >= 0 {
		text = text[:end]
	}
	return quoted(text)
}

// closingParen is the first parenthesis that closes outside of quotes, or -1.
func closingParen(text string) int {
	inside, escaped := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case c == '\\' && inside:
			escaped = true
		case strings.HasPrefix(text[i:], `"""`):
			end := strings.Index(text[i+3:], `"""`)
			if end < 0 {
				return -1
			}
			i += 3 + end + 2
		case c == '"':
			inside = !inside
		case c == ')' && !inside:
			return i
		}
	}
	return -1
}

// closingParenOf is the parenthesis that closes one opened before the text, which
// may have balanced ones of its own.
func closingParenOf(text string) int {
	depth, inside := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && inside:
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// quoted are the words in double or triple quotes; a word that does not close
// goes to the end.
func quoted(text string) []string {
	var words []string
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], `"""`) {
			inside, rest, closed := strings.Cut(text[i+3:], `"""`)
			if !closed {
				return append(words, openEnd(inside))
			}
			words = append(words, inside)
			i = len(text) - len(rest) - 1
			continue
		}
		if text[i] != '"' {
			continue
		}
		var b strings.Builder
		closed := false
		for i++; i < len(text); i++ {
			if text[i] == '"' {
				closed = true
				break
			}
			if text[i] == '\\' && i+1 < len(text) {
				i++
				b.WriteString(unescaped(text[i]))
				continue
			}
			b.WriteByte(text[i])
		}
		if !closed {
			return append(words, openEnd(b.String()))
		}
		words = append(words, b.String())
	}
	return words
}

func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '"', '\\', '\'':
		return string(c)
	}
	return "\\" + string(c)
}
