package clang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// function is a function defined or declared at the top level of C or C++.
type function struct {
	name       string
	result     string // the declared type, such as "double" or "const char *"
	params     []cparam
	variadic   bool
	static     bool
	defined    bool // has a body
	line, col  int  // of the name, from 1
	start, end int  // bytes of the definition in the body, when it has one
}

// cparam is one declared parameter.
type cparam struct {
	text    string   // as written, blanks normalised
	name    string   // "" when it has none
	pointer bool     // a pointer or an array
	stars   int      // how many levels of pointer or array
	words   []string // type words without qualifiers, such as "unsigned", "int"
}

// functions finds the functions of a body. It reads declarations, not
// expressions: what it does not understand it skips, so odd macros cost a
// missing function, never a wrong one.
func functions(body string) []function {
	p := &cparser{tokens: clex(body)}
	p.declarations(0)
	return p.found
}

// ctoken is one token of C: a word, a number, a literal (text is its first
// character) or one punctuation character.
type ctoken struct {
	text       string
	line, col  int
	start, end int // bytes
}

func (t ctoken) word() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return r == '_' || unicode.IsLetter(r)
}

// clex splits C into tokens, leaving out comments and preprocessor lines.
func clex(text string) []ctoken {
	var tokens []ctoken
	line, start, fresh := 1, 0, true // start of the current line; nothing but blanks on it
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			i++
			line, start, fresh = line+1, i, true
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
			continue
		case c == '#' && fresh, strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				if text[i] == '\\' && i+1 < len(text) && text[i+1] == '\n' {
					i++
					line, start = line+1, i+1
				} else if strings.HasPrefix(text[i:], "/*") && c == '#' {
					break
				}
				i++
			}
			fresh = false
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return tokens
			}
			comment := text[i : i+2+end+2]
			if n := strings.Count(comment, "\n"); n > 0 {
				line, start = line+n, i+strings.LastIndexByte(comment, '\n')+1
			}
			i += len(comment)
			continue
		}
		fresh = false
		t := ctoken{line: line, col: i - start + 1, start: i}
		switch {
		case c == '"' || c == '\'':
			t.text = string(c)
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
		case c == '_' || c >= utf8.RuneSelf || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)):
			end := i
			for end < len(text) && (text[end] == '_' || text[end] >= utf8.RuneSelf || unicode.IsLetter(rune(text[end])) || unicode.IsDigit(rune(text[end]))) {
				end++
			}
			t.text = text[i:end]
			i = end
		default:
			t.text = string(c)
			i++
		}
		t.end = i
		tokens = append(tokens, t)
	}
	return tokens
}

// cparser walks top-level declarations.
type cparser struct {
	tokens []ctoken
	at     int
	found  []function
}

func (p *cparser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].text
	}
	return ""
}

// skipBalanced moves behind the bracket that closes the one at the cursor.
func (p *cparser) skipBalanced() {
	depth := 0
	for ; p.at < len(p.tokens); p.at++ {
		switch p.tokens[p.at].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth <= 0 {
				p.at++
				return
			}
		}
	}
}

// maxNesting bounds namespaces and extern blocks inside each other.
const maxNesting = 32

// declarations reads until the closing brace of the enclosing block.
func (p *cparser) declarations(depth int) {
	for p.at < len(p.tokens) && depth < maxNesting {
		switch p.peek() {
		case "}":
			p.at++
			return
		case ";":
			p.at++
		default:
			p.declaration(depth)
		}
	}
}

// declaration reads up to a semicolon or behind a body.
func (p *cparser) declaration(depth int) {
	start := p.at
	open := -1 // where the first parenthesis stands that follows a word
	for p.at < len(p.tokens) {
		switch p.peek() {
		case ";":
			p.function(start, open, false)
			p.at++
			return
		case "=": // an initialiser
			p.toEnd()
			return
		case "{":
			head := p.tokens[start:p.at]
			if isTransparent(head) {
				p.at++
				p.declarations(depth + 1)
				return
			}
			if open >= 0 && !isAggregate(head) {
				before := len(p.found)
				p.function(start, open, true)
				p.skipBalanced()
				if len(p.found) > before {
					p.found[before].end = p.tokens[p.at-1].end
				}
				return
			}
			p.skipBalanced() // struct, union, enum, class: the declarator follows
			if len(head) > 0 && head[0].text == "enum" {
				continue
			}
		case "}":
			return
		case "(":
			if name := p.at - 1; open < 0 && name >= start && p.tokens[name].word() && !isAttribute(p.tokens[name].text) {
				open = p.at
			}
			p.skipBalanced()
		case "[":
			p.skipBalanced()
		default:
			p.at++
		}
	}
}

// toEnd moves behind the semicolon that ends the current declaration.
func (p *cparser) toEnd() {
	for p.at < len(p.tokens) {
		switch p.peek() {
		case ";":
			p.at++
			return
		case "(", "[", "{":
			p.skipBalanced()
		case "}":
			return
		default:
			p.at++
		}
	}
}

// isTransparent reports extern "C" { and namespace x {.
func isTransparent(head []ctoken) bool {
	switch {
	case len(head) == 2 && head[0].text == "extern" && head[1].text == `"`:
		return true
	case len(head) >= 1 && head[0].text == "namespace", len(head) >= 2 && head[1].text == "namespace":
		return true
	}
	return false
}

// isAggregate reports whether a brace after head opens a type's members.
func isAggregate(head []ctoken) bool {
	for _, t := range head {
		switch t.text {
		case "struct", "union", "class", "enum":
			return head[len(head)-1].text != ")"
		}
	}
	return false
}

func isAttribute(word string) bool {
	return word == "__attribute__" || word == "alignas" || word == "_Alignas" || word == "__declspec" || word == "decltype" || word == "typeof" || word == "__typeof__"
}

// function records the function whose parameters open at the given token.
func (p *cparser) function(start, open int, defined bool) {
	if open < 0 || p.tokens[start].text == "typedef" || p.tokens[start].text == "using" {
		return
	}
	name := p.tokens[open-1]
	head := p.tokens[start : open-1]
	f := function{name: name.text, line: name.line, col: name.col, defined: defined, start: p.tokens[start].start}
	var result []string
	for i := 0; i < len(head); i++ {
		switch word := head[i].text; {
		case word == "static":
			f.static = true
		case word == "extern", word == "inline", word == "__inline", word == "constexpr", word == `"`:
		case isAttribute(word):
			if i+1 < len(head) && head[i+1].text == "(" {
				i = closing(head, i+1)
			}
		default:
			result = append(result, word)
		}
	}
	if len(result) == 0 || result[len(result)-1] == ":" || controlWords[f.name] { // a method, or not a declaration
		return
	}
	f.result = join(result)
	f.params, f.variadic = parameters(p.tokens[open+1 : closing(p.tokens, open)])
	p.found = append(p.found, f)
}

// controlWords can be followed by a parenthesis without being functions.
var controlWords = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true, "sizeof": true}

// closing is the index of the bracket that closes the one at open, or the end.
func closing(tokens []ctoken, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}

// parameters reads a parameter list.
func parameters(tokens []ctoken) (params []cparam, variadic bool) {
	depth, start := 0, 0
	finish := func(end int) {
		part := tokens[start:end]
		start = end + 1
		switch {
		case len(part) == 0, len(part) == 1 && part[0].text == "void":
		case len(part) == 3 && part[0].text == "." && part[1].text == ".":
			variadic = true
		default:
			params = append(params, parameter(part))
		}
	}
	for i, t := range tokens {
		switch t.text {
		case "(", "[", "{", "<":
			depth++
		case ")", "]", "}", ">":
			depth--
		case ",":
			if depth == 0 {
				finish(i)
			}
		}
	}
	finish(len(tokens))
	return params, variadic
}

// typeWords are words that belong to a type even when they come last.
var typeWords = map[string]bool{"void": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "bool": true, "_Bool": true, "size_t": true, "const": true, "struct": true, "union": true, "enum": true}

// parameter takes one declaration apart.
func parameter(tokens []ctoken) cparam {
	var c cparam
	var words []string
	depth := 0
	for i, t := range tokens {
		switch t.text {
		case "=": // a default argument
			tokens = tokens[:i]
		case "<":
			depth++
		case ">":
			depth--
		case "*":
			c.stars++
		case "[":
			if depth == 0 && (i == 0 || tokens[i-1].text != "]" || c.stars == 0) {
				c.stars++
			}
		}
		if len(tokens) == i {
			break
		}
		words = append(words, t.text)
	}
	c.pointer = c.stars > 0
	for i, w := range words {
		if w == "[" {
			break
		}
		last := i == len(words)-1 || words[i+1] == "["
		if (ctoken{text: w}).word() {
			if last && i > 0 && !typeWords[w] && words[i-1] != ":" && words[i-1] != "struct" {
				c.name = w
			} else if w != "const" && w != "volatile" && w != "restrict" && w != "register" {
				c.words = append(c.words, w)
			}
		}
	}
	c.text = join(words)
	return c
}

// join puts tokens next to each other with a blank where C needs or people
// write one.
func join(tokens []string) string {
	var b strings.Builder
	for i, t := range tokens {
		word := (ctoken{text: t}).word() || unicode.IsDigit(rune(t[0]))
		if i > 0 && (word && ((ctoken{text: tokens[i-1]}).word() || tokens[i-1] == ">") || t == "*" && tokens[i-1] != "*") {
			b.WriteByte(' ')
		}
		b.WriteString(t)
	}
	return b.String()
}
