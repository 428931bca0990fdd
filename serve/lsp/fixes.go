package lsp

import (
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
)

// fix is one way to put a finding right.
type fix struct {
	title string
	edits []org.Edit
}

// wrongWord says, by the code of a finding, which part of its message is the
// word that is wrong.
var wrongWord = map[string]*lazyregexp.Regexp{
	"unknown-argument":   lazyregexp.New(`^unknown header argument (:\S+)`),
	"unknown-result":     lazyregexp.New(`^(\S+) means nothing in`),
	"unknown-language":   lazyregexp.New(`^there is no lane for (\S+)`),
	"unknown-profile":    lazyregexp.New(`^unknown profile (\S+) means`),
	"unknown-trust":      lazyregexp.New(`^unknown trust (\S+) means`),
	"unknown-capability": lazyregexp.New(`asks for (\S+), which is no`),
	"undeclared-keyword": lazyregexp.New(`^(\S+) is not a TODO`),
	"missing-blocker":    lazyregexp.New(`names id (\S+), which`),
	"dangling-dep":       lazyregexp.New(`names "([^"]+)"`),
	"dangling-call":      lazyregexp.New(`call of "([^"]+)", which names no`),
	"dangling-var":       lazyregexp.New(`(?:refers to|names) "([^"]+)"`),
	"dangling-noweb":     lazyregexp.New(`^<<(.*)>> names`),
	"no-producer":        lazyregexp.New(`^nothing produces (\S+)`),
	"dangling-link":      lazyregexp.New(`^link to (.*) leads nowhere`),
	"bad-timestamp":      lazyregexp.New(`^(\S.*?) (?:is no|mixes|is never)`),
	"not-granted":        lazyregexp.New(`asks for (\S+), which a run`),
}

// meant is the word that a hint offers in its place.
var meant = lazyregexp.New(`^did you mean (.+)\?$`)

// culpritName is the word a finding is about.
func culpritName(f diag.Finding) string {
	if shape := wrongWord[f.Code]; shape != nil {
		if m := shape.FindStringSubmatch(f.Message); m != nil {
			return m[1]
		}
	}
	return ""
}

// culprit finds the word a finding is about, on its line or, where the finding
// is placed at the block, among the lines above that belong to it.
func (a *analysis) culprit(f diag.Finding) (org.Span, bool) {
	word := culpritName(f)
	line, ok := a.doc.Line(f.Pos.Line)
	if word == "" || !ok {
		return org.Span{}, false
	}
	at := a.offset(f.Pos.Line, f.Pos.Col)
	if i := wordIndex(a.doc.Text(line), word, at-line.Start); i >= 0 {
		return org.Span{Start: line.Start + i, End: line.Start + i + len(word)}, true
	}
	// A component declared by its heading: the word is in its drawer or block.
	if c := a.componentAt(at); c != nil && c.Node() != nil {
		from := min(at, c.Node().Start())
		if b, ok := c.Node().Block(); ok {
			whole := org.Span{Start: from, End: b.Begin.End}
			if i := wordIndex(a.doc.Text(whole), word, 0); i >= 0 {
				return org.Span{Start: from + i, End: from + i + len(word)}, true
			}
		}
	}
	return org.Span{}, false
}

// wordIndex finds a whole word in a text: the one nearest before or after near.
func wordIndex(text, word string, near int) int {
	best := -1
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return best
		}
		i += from
		from = i + 1
		if !wholeWord(text, i, len(word)) {
			continue
		}
		if best < 0 || distance(i, near) < distance(best, near) {
			best = i
		}
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

func wholeWord(text string, at, size int) bool {
	inWord := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || text[i] == '-' || '0' <= text[i] && text[i] <= '9' ||
			'a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
	}
	return !(inWord(at-1) && inWord(at)) && !(inWord(at+size-1) && inWord(at+size))
}

// fixes are the ways to put a finding right, the best first.
func (a *analysis) fixes(f diag.Finding) []fix {
	var list []fix
	if m := meant.FindStringSubmatch(f.Hint); m != nil {
		if span, ok := a.culprit(f); ok {
			word := m[1]
			if strings.HasPrefix(a.doc.Text(span), ":") && !strings.HasPrefix(word, ":") {
				word = ":" + word
			}
			list = append(list, fix{"Change to " + word, []org.Edit{org.Replace(span, word)}})
		}
	}
	if make := fixers[f.Code]; make != nil {
		list = append(list, make(a, f)...)
	}
	return list
}

// fixers are the ways to put right what no other word would.
var fixers = map[string]func(*analysis, diag.Finding) []fix{
	"unbalanced-block":     (*analysis).closeBlock,
	"unbalanced-drawer":    (*analysis).closeDrawer,
	"stray-end":            (*analysis).dropLine,
	"undeclared-keyword":   (*analysis).declareKeyword,
	"misplaced-drawer":     (*analysis).moveDrawer,
	"second-planning-line": (*analysis).joinPlanning,
	"dangling-var":         (*analysis).addBlock,
	"dangling-call":        (*analysis).addBlock,
	"dangling-noweb":       (*analysis).addBlock,
	"no-producer":          (*analysis).addProducer,
	"no-block":             (*analysis).addBody,
	"dangling-link":        (*analysis).addHeadline,
	"bad-timestamp":        (*analysis).mendTimestamp,
}

func insert(at int, text string) []org.Edit { return []org.Edit{{Start: at, End: at, New: text}} }

// closeBlock ends a block before the next headline or block.
func (a *analysis) closeBlock(f diag.Finding) []fix {
	name, ok := strings.CutPrefix(f.Hint, "add #+")
	if !ok {
		return nil
	}
	line, _ := a.doc.Line(f.Pos.Line)
	end := len(a.text.source)
	for n := f.Pos.Line + 1; ; n++ {
		next, ok := a.doc.Line(n)
		if !ok {
			break
		}
		text := a.doc.Text(next)
		if isHeadlineLine(text) || strings.HasPrefix(strings.ToLower(strings.TrimLeft(text, " \t")), "#+begin") {
			end = next.Start
			break
		}
	}
	indent := leadingBlanks(a.doc.Text(line))
	before := strings.TrimRight(a.text.source[:end], "\n")
	return []fix{{"Add #+" + name, insert(len(before), "\n"+indent+"#+"+name)}}
}

func isHeadlineLine(line string) bool {
	rest := strings.TrimLeft(line, "*")
	return rest != line && strings.HasPrefix(rest, " ")
}

func leadingBlanks(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// closeDrawer ends a drawer after the lines that look like its own.
func (a *analysis) closeDrawer(f diag.Finding) []fix {
	first, _ := a.doc.Line(f.Pos.Line)
	last := first
	for n := f.Pos.Line + 1; ; n++ {
		next, ok := a.doc.Line(n)
		if !ok || !strings.HasPrefix(strings.TrimLeft(a.doc.Text(next), " \t"), ":") {
			break
		}
		last = next
	}
	return []fix{{"Add :END:", insert(last.End, "\n"+leadingBlanks(a.doc.Text(first))+":END:")}}
}

// wholeLine is a line with its line ending.
func (a *analysis) wholeLine(n int) org.Span {
	line, _ := a.doc.Line(n)
	line.End = len(a.text.source)
	if next, ok := a.doc.Line(n + 1); ok {
		line.End = next.Start
	}
	return line
}

func (a *analysis) dropLine(f diag.Finding) []fix {
	return []fix{{"Remove this line", []org.Edit{org.Replace(a.wholeLine(f.Pos.Line), "")}}}
}

// declareKeyword adds a TODO keyword to those of the file.
func (a *analysis) declareKeyword(f diag.Finding) []fix {
	word := culpritName(f)
	for k := range a.doc.Keywords("TODO", "SEQ_TODO") {
		at := k.Value.Start
		if bar := strings.Index(k.Value.Text, "|"); bar >= 0 {
			at += bar
			return []fix{{"Declare " + word, insert(at, word+" ")}}
		}
		at = k.Value.End - len(lastWord(k.Value.Text))
		return []fix{{"Declare " + word, insert(at, word+" ")}}
	}
	return []fix{{"Declare " + word, insert(a.afterSettings(), "#+TODO: TODO "+word+" | DONE\n")}}
}

func lastWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[len(f)-1]
	}
	return ""
}

// afterSettings is where a further #+KEYWORD: line of the file goes: below the
// first lines that are such.
func (a *analysis) afterSettings() int {
	at := 0
	for n := 1; ; n++ {
		line, ok := a.doc.Line(n)
		if !ok || !strings.HasPrefix(a.doc.Text(line), "#+") || strings.HasPrefix(strings.ToLower(a.doc.Text(line)), "#+begin") ||
			strings.HasPrefix(strings.ToLower(a.doc.Text(line)), "#+name") {
			return at
		}
		at = a.wholeLine(n).End
	}
}

// moveDrawer puts a property drawer directly below its headline.
func (a *analysis) moveDrawer(f diag.Finding) []fix {
	at := a.offset(f.Pos.Line, f.Pos.Col)
	h, ok := a.doc.Headline(a.doc.At(at))
	if !ok {
		return nil
	}
	to := h.Line.End
	if p, ok := h.Planning(); ok {
		to = p.End()
	}
	for n := a.doc.At(at); n != nil; n = n.Parent() {
		if d, ok := n.Drawer(); ok && d.Is("PROPERTIES") {
			text := d.Text()
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			return []fix{{"Move the drawer below its headline", []org.Edit{{Start: to, End: to, New: text}, org.Replace(d.Span(), "")}}}
		}
	}
	return nil
}

// joinPlanning moves what a second planning line says to the first.
func (a *analysis) joinPlanning(f diag.Finding) []fix {
	h, ok := a.doc.Headline(a.doc.At(a.offset(f.Pos.Line, f.Pos.Col)))
	if !ok {
		return nil
	}
	p, ok := h.Planning()
	if !ok {
		return nil
	}
	line := a.wholeLine(f.Pos.Line)
	text := strings.TrimSpace(a.doc.Text(line))
	end := p.Start() + len(strings.TrimRight(p.Text(), " \t\r\n"))
	return []fix{{"Join with the planning line", []org.Edit{{Start: end, End: end, New: " " + text}, org.Replace(line, "")}}}
}

// mendTimestamp closes a timestamp with the bracket that opened it.
func (a *analysis) mendTimestamp(f diag.Finding) []fix {
	span, ok := a.culprit(f)
	if !ok {
		return nil
	}
	word := a.doc.Text(span)
	closing := map[byte]string{'<': ">", '[': "]"}[word[0]]
	var mended string
	switch {
	case closing == "":
		return nil
	case strings.HasSuffix(f.Message, "mixes brackets"):
		mended = word[:len(word)-1] + closing
	case strings.HasSuffix(f.Message, "is never closed"):
		mended = word + closing
	default:
		return nil
	}
	if _, ok := org.ParseTimestamp(mended); !ok {
		return nil
	}
	return []fix{{"Change to " + mended, []org.Edit{org.Replace(span, mended)}}}
}

// addBlock makes a block of the name that something refers to.
func (a *analysis) addBlock(f diag.Finding) []fix {
	name := culpritName(f)
	if name == "" || strings.ContainsAny(name, " \t()[]:") {
		return nil
	}
	lang := "js"
	if b, ok := a.blockAt(a.offset(f.Pos.Line, f.Pos.Col)); ok && b.Lang.Text != "" {
		lang = b.Lang.Text
	}
	at := a.offset(f.Pos.Line, 1)
	if b, ok := a.blockAt(a.offset(f.Pos.Line, f.Pos.Col)); ok {
		at = b.Start()
	}
	return []fix{{fmt.Sprintf("Add a block named %s", name), insert(at, fmt.Sprintf("#+NAME: %s\n#+begin_src %s\n\n#+end_src\n\n", name, lang))}}
}

// addProducer makes a component that gives what an input wants, or a default
// for it.
func (a *analysis) addProducer(f diag.Finding) []fix {
	name := culpritName(f)
	at := a.offset(f.Pos.Line, f.Pos.Col)
	h, ok := a.doc.Headline(a.doc.At(at))
	if !ok || name == "" {
		return nil
	}
	lang := "js"
	c := a.componentAt(h.Start())
	if c != nil && c.Lang != "" {
		lang = c.Lang
	}
	stars := strings.Repeat("*", h.Level)
	var list []fix
	if c != nil && c.World != nil {
		list = append(list, fix{"Add a component that produces " + name,
			insert(h.Start(), fmt.Sprintf("%s Make %s :component:\n#+begin_src %s :out %s\n\n#+end_src\n\n", stars, name, lang, name))})
	} else {
		list = append(list, fix{"Add a component that produces " + name,
			insert(h.Start(), fmt.Sprintf("%s Make %s\n:PROPERTIES:\n:out: %s\n:END:\n#+begin_src %s\n\n#+end_src\n\n", stars, name, name, lang))})
	}
	if edits, err := org.SetProperty(h, "default-"+name, "null"); err == nil {
		list = append(list, fix{"Give " + name + " a default", edits})
	}
	return list
}

// addBody gives a heading that declares a component its block.
func (a *analysis) addBody(f diag.Finding) []fix {
	h, ok := a.doc.Headline(a.doc.At(a.offset(f.Pos.Line, f.Pos.Col)))
	if !ok {
		return nil
	}
	at := h.Body().Start
	text := "#+begin_src js\n\n#+end_src\n"
	if at > 0 && a.text.source[at-1] != '\n' {
		text = "\n" + text
	}
	return []fix{{"Add a source block", insert(at, text)}}
}

// addHeadline makes what a link to a headline leads to.
func (a *analysis) addHeadline(f diag.Finding) []fix {
	title, isTitle := strings.CutPrefix(culpritName(f), "*")
	if !isTitle || title == "" {
		return nil
	}
	text := "* " + title + "\n"
	if end := len(a.text.source); end > 0 && a.text.source[end-1] != '\n' {
		text = "\n" + text
	}
	return []fix{{"Add the headline " + title, insert(len(a.text.source), text)}}
}
