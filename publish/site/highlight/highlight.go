// Package highlight marks up code with chroma, for pages. Like wb/publish/site/hugo
// it is for cmd/wb-publish alone, since initialising chroma's lexers and styles
// takes longer than most verbs of wb do.
package highlight

import (
	"html"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Highlighter implements wb/publish/page's interface. Tokens become spans with
// the short class names that chroma, pygments and their style sheets share.
type Highlighter struct {
	mu     sync.Mutex
	lexers map[string]chroma.Lexer // by language; nil for one that is not known
}

// New returns a highlighter.
func New() *Highlighter { return &Highlighter{lexers: map[string]chroma.Lexer{}} }

// orgNames are languages that org has another name for than chroma.
var orgNames = map[string]string{
	"emacs-lisp": "elisp", "C": "c", "cpp": "c++", "C++": "c++", "js": "javascript", "ts": "typescript", "sh": "bash", "shell": "bash",
	"conf": "ini", "wat": "webassembly", "dot": "dot", "R": "r", "oql": "", "text": "", "": "",
}

func (h *Highlighter) lexer(lang string) chroma.Lexer {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, known := h.lexers[lang]
	if !known {
		name, renamed := orgNames[lang]
		if !renamed {
			name = strings.ToLower(lang)
		}
		if name != "" {
			if l = lexers.Get(name); l != nil {
				l = chroma.Coalesce(l)
			}
		}
		h.lexers[lang] = l
	}
	return l
}

// classOf is the class of a token; names, punctuation and blanks, which no
// style sheet colours, have none.
func classOf(t chroma.TokenType) string {
	for ; t != 0; t = t.Parent() {
		if class, ok := chroma.StandardTypes[t]; ok {
			switch class {
			case "n", "p", "w", "l", "err":
				return ""
			}
			return class
		}
	}
	return ""
}

// maxCode bounds what is highlighted, in bytes: lexers are regular expressions
// and take their time with what no person reads.
const maxCode = 256 << 10

// Highlight gives the HTML of each line of the code.
func (h *Highlighter) Highlight(lang, code string) ([]string, bool) {
	if lang == "org" {
		return orgLines(code), true
	}
	l := h.lexer(lang)
	if l == nil || len(code) > maxCode {
		return nil, false
	}
	tokens, err := l.Tokenise(nil, code)
	if err != nil {
		return nil, false
	}
	want := strings.Count(strings.TrimSuffix(code, "\n"), "\n") + 1
	var lines []string
	var line, text strings.Builder
	for t := tokens(); t != chroma.EOF; t = tokens() {
		class := classOf(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, line.String())
				line.Reset()
				text.WriteByte('\n')
			}
			if part == "" {
				continue
			}
			text.WriteString(part)
			if class == "" {
				line.WriteString(html.EscapeString(part))
				continue
			}
			line.WriteString("<span class=\"" + class + "\">" + html.EscapeString(part) + "</span>")
		}
	}
	if line.Len() > 0 || len(lines) < want {
		lines = append(lines, line.String())
	}
	// A lexer that loses or invents a character must not change what readers
	// see of the code.
	if strings.TrimRight(text.String(), "\n") != strings.TrimRight(code, "\n") || len(lines) < want {
		return nil, false
	}
	return lines[:want], true
}
