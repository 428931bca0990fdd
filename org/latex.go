package org

// latexBegin reads the line as \begin{NAME}….
func latexBegin(s string, l line) (name string, ok bool) {
	if !hasPrefixFold(s[l.text:l.end], `\begin{`) {
		return "", false
	}
	start := l.text + len(`\begin{`)
	end := start
	for end < l.end && (isAlnum(s[end]) || s[end] == '*') {
		end++
	}
	if end == start || end == l.end || s[end] != '}' {
		return "", false
	}
	return s[start:end], true
}

// latex parses the environment that opens on line l.
func (p *parser) latex(j *job, start int, l line, name string) int {
	last, ok := p.marks.latexEnd(name, l.start, j.end)
	if !ok {
		p.note(UnterminatedLatex, l, name)
		return p.paragraph(j.node, start, l.start, j.end)
	}
	return p.leaf(j.node, KindLatexEnv, start, l.start, lineEnd(p.src, last))
}

// latexCloses reports whether the environment ends before the limit, and
// notes it if not.
func (p *parser) latexCloses(l line, name string, limit int) bool {
	_, ok := p.marks.latexEnd(name, l.start, limit)
	if !ok {
		p.note(UnterminatedLatex, l, name)
	}
	return ok
}
