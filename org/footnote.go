package org

// footnoteLabel reads the line as a definition "[fn:LABEL]…".
func footnoteLabel(s string, l line) (label Span, ok bool) {
	if l.text != l.start || !hasPrefixFold(s[l.text:l.end], "[fn:") {
		return Span{}, false
	}
	start := l.text + len("[fn:")
	end := skipName(s, start, l.end)
	if end == start || end == l.end || s[end] != ']' {
		return Span{}, false
	}
	return Span{start, end}, true
}

// footnote parses the definition that starts on line l. It ends at two blank
// lines or at the next definition.
func (p *parser) footnote(j *job, start int, l line, label Span) int {
	end := p.footnoteEnd(l, j.end)
	n := p.open(j.node, KindFootnote, start, l.start, end)
	body := skipBlanks(p.src, label.End+1, l.end)
	if body == l.end {
		body = l.next
	}
	p.add(n, KindFootnoteMarker, l.start, body)
	if body < end {
		p.jobs = append(p.jobs, job{node: n, start: body, end: end})
	}
	return end
}

func (p *parser) footnoteEnd(l line, limit int) int {
	pos, end, blankRun := l.next, l.next, 0
	keywords := -1 // start of the run of affiliated keywords just passed
	for pos < limit {
		l = p.line(pos)
		if l.blank() {
			blankRun++
			if blankRun == 2 {
				break
			}
			keywords = -1
			pos = l.next
			continue
		}
		if _, ok := footnoteLabel(p.src, l); ok {
			if keywords >= 0 {
				return p.trimEnd(0, keywords)
			}
			break
		}
		switch {
		case !isAffiliated(p.src, l):
			keywords = -1
		case keywords < 0:
			keywords = pos
		}
		blankRun = 0
		pos = l.next
		end = pos
	}
	return end
}

// Footnote is a footnote definition.
type Footnote struct {
	*Node
	Label Token
	Body  Span // everything after the label
}

// Footnote reads a node of [KindFootnote].
func (n *Node) Footnote() (Footnote, bool) {
	if n.kind != KindFootnote {
		return Footnote{}, false
	}
	marker := n.child(KindFootnoteMarker)
	label, _ := footnoteLabel(n.doc.text, lineAt(n.doc.text, marker.start))
	return Footnote{n, n.token(label), Span{marker.end, n.end}}, true
}

// footnoteRef reads [fn:label], [fn:label:text] or [fn::text].
func (p *objectParser) footnoteRef(j *objectJob, pos int) (object, bool) {
	start := pos + len("[fn:")
	label := skipName(p.src, start, j.end)
	if label == j.end || label == start && p.src[label] != ':' || p.src[label] != ':' && p.src[label] != ']' {
		return object{}, false
	}
	end, _, ok := p.find.pair(pos, j.end)
	if !ok {
		return object{}, false
	}
	o := object{kind: KindFootnoteRef, start: pos, end: end}
	if p.src[label] == ':' {
		o.innerStart, o.innerEnd, o.set = label+1, end-1, standardSet
	}
	return o, true
}

// FootnoteRef is a reference to a footnote, or a footnote written in place.
type FootnoteRef struct {
	*Node
	Label  Token // absent when anonymous
	Inline bool  // the text stands here, in [Node.Contents]
}

// FootnoteRef reads a node of [KindFootnoteRef].
func (n *Node) FootnoteRef() (FootnoteRef, bool) {
	if n.kind != KindFootnoteRef {
		return FootnoteRef{}, false
	}
	start := n.start + len("[fn:")
	end := skipName(n.doc.text, start, n.end)
	f := FootnoteRef{Node: n, Inline: n.doc.text[end] == ':'}
	if end > start {
		f.Label = n.token(Span{start, end})
	}
	return f, true
}
