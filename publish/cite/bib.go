package cite

import (
	"encoding/json"
	"fmt"
	"strings"
)

// parseBib reads BibTeX. After a mistake it goes on at the next "@".
func parseBib(src string) ([]*Entry, []Problem) {
	p := &bibParser{src: src, strings: map[string]string{}}
	for name, month := range months {
		p.strings[name] = month
	}
	for {
		at := strings.IndexByte(p.src[p.at:], '@')
		if at < 0 {
			return p.entries, p.problems
		}
		p.at += at + 1
		start := p.at
		if err := p.entry(); err != "" {
			p.problems = append(p.problems, Problem{Offset: p.at, Message: err})
			p.at = max(p.at, start)
		}
	}
}

var months = map[string]string{"jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June",
	"jul": "July", "aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December"}

type bibParser struct {
	src      string
	at       int
	strings  map[string]string
	entries  []*Entry
	problems []Problem
}

func (p *bibParser) blanks() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// word reads a name: of an entry's type, a key, a field.
func (p *bibParser) word() string {
	p.blanks()
	start := p.at
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n{}(),=#\"@%", p.src[p.at]) < 0 {
		p.at++
	}
	return p.src[start:p.at]
}

func (p *bibParser) take(c byte) bool {
	p.blanks()
	if p.at < len(p.src) && p.src[p.at] == c {
		p.at++
		return true
	}
	return false
}

// entry reads what follows "@"; it returns what is wrong.
func (p *bibParser) entry() string {
	offset := p.at - 1
	kind := strings.ToLower(p.word())
	if kind == "" {
		return "" // an @ in running text, which BibTeX takes for a comment
	}
	close := byte('}')
	if !p.take('{') {
		if !p.take('(') {
			return ""
		}
		close = ')'
	}
	switch kind {
	case "comment":
		p.at--
		_, err := p.braced()
		return err
	case "preamble":
		if _, err := p.value(); err != "" {
			return err
		}
	case "string":
		name := strings.ToLower(p.word())
		if !p.take('=') {
			return "@string needs name = value"
		}
		text, err := p.value()
		if err != "" {
			return err
		}
		p.strings[name] = text
	default:
		e, err := p.fields(kind, offset)
		if err != "" {
			return err
		}
		p.entries = append(p.entries, e)
	}
	p.take(',')
	if !p.take(close) {
		return fmt.Sprintf("the entry is not closed by %c", close)
	}
	return ""
}

func (p *bibParser) fields(kind string, offset int) (*Entry, string) {
	e := &Entry{Type: kind, Key: p.word(), Offset: offset, fields: map[string]string{}}
	if e.Key == "" {
		return nil, "the entry has no key"
	}
	for p.take(',') {
		name := strings.ToLower(p.word())
		if name == "" {
			break
		}
		if !p.take('=') {
			return nil, fmt.Sprintf("the field %s of %s has no value", name, e.Key)
		}
		text, err := p.value()
		if err != "" {
			return nil, err
		}
		if _, twice := e.fields[name]; !twice {
			e.fields[name] = strings.Join(strings.Fields(text), " ")
		}
	}
	return e, ""
}

// value reads pieces joined by "#".
func (p *bibParser) value() (string, string) {
	text := ""
	for {
		p.blanks()
		if p.at == len(p.src) {
			return "", "the file ends within a value"
		}
		switch c := p.src[p.at]; {
		case c == '{':
			piece, err := p.braced()
			if err != "" {
				return "", err
			}
			text += piece
		case c == '"':
			piece, err := p.quoted()
			if err != "" {
				return "", err
			}
			text += piece
		default:
			word := p.word()
			switch expansion, known := p.strings[strings.ToLower(word)]; {
			case word == "":
				return "", "a value is missing"
			case known:
				text += expansion
			case word[0] >= '0' && word[0] <= '9':
				text += word
			default:
				p.problems = append(p.problems, Problem{Offset: p.at - len(word), Message: "no @string is named " + word})
				text += word
			}
		}
		if !p.take('#') {
			return text, ""
		}
	}
}

// braced reads {…} and returns what is inside.
func (p *bibParser) braced() (string, string) {
	start := p.at
	depth := 0
	for i := p.at; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '{', '(':
			if p.src[i] == p.src[start] {
				depth++
			}
		case '}', ')':
			if (p.src[i] == '}') == (p.src[start] == '{') {
				depth--
			}
		}
		if depth == 0 && i > start && i < len(p.src) {
			p.at = i + 1
			return p.src[start+1 : i], ""
		}
	}
	return "", "{ is not closed"
}

// quoted reads "…"; braces in it protect quotes.
func (p *bibParser) quoted() (string, string) {
	depth := 0
	for i := p.at + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			if depth <= 0 {
				text := p.src[p.at+1 : i]
				p.at = i + 1
				return text, ""
			}
		}
	}
	return "", `" is not closed`
}

// parseJSON reads CSL-JSON: a list of objects, or an object of them.
func parseJSON(src []byte) ([]*Entry, []Problem) {
	var list []map[string]any
	if err := json.Unmarshal(src, &list); err != nil {
		offset := 0
		var syntax *json.SyntaxError
		if s, ok := err.(*json.SyntaxError); ok {
			syntax = s
			offset = int(syntax.Offset)
		}
		return nil, []Problem{{Offset: offset, Message: "no list of CSL items: " + err.Error()}}
	}
	var all []*Entry
	for _, item := range list {
		e := &Entry{Offset: -1, fields: map[string]string{}, item: item}
		e.Key, e.Type = jsonText(item["id"]), jsonText(item["type"])
		for name, value := range item {
			text := jsonText(value)
			switch name {
			case "author", "editor":
				text = jsonNames(value)
			case "issued":
				name, text = "year", jsonYear(value)
			case "container-title":
				name = "journal"
			case "page":
				name = "pages"
			case "issue":
				name = "number"
			}
			if text != "" {
				e.fields[strings.ToLower(name)] = text
			}
		}
		if e.Key != "" {
			all = append(all, e)
		}
	}
	return all, nil
}

// jsonText is a string or a number, protected from being read as LaTeX.
func jsonText(v any) string {
	switch x := v.(type) {
	case string:
		return texEscape.Replace(x)
	case float64:
		return fmt.Sprint(x)
	}
	return ""
}

var texEscape = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "~", `\textasciitilde{}`, "--", "-{}-")

func jsonNames(v any) string {
	var names []string
	people, _ := v.([]any)
	for _, person := range people {
		m, _ := person.(map[string]any)
		if literal := jsonText(m["literal"]); literal != "" {
			names = append(names, "{"+literal+"}")
			continue
		}
		family := join(" ", jsonText(m["non-dropping-particle"]), jsonText(m["family"]))
		names = append(names, join(", ", "{"+family+"}", jsonText(m["given"])))
	}
	return strings.Join(names, " and ")
}

func jsonYear(v any) string {
	m, _ := v.(map[string]any)
	dates, _ := m["date-parts"].([]any)
	if len(dates) == 0 {
		return yearForm.FindString(jsonText(m["raw"]))
	}
	parts, _ := dates[0].([]any)
	if len(parts) == 0 {
		return ""
	}
	return jsonText(parts[0])
}
