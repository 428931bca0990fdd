package org

import "strings"

// Include is "#+INCLUDE: file block lang :key value …".
type Include struct {
	Keyword
	File   Token // without quotes and without what follows "::"
	Search Token // what follows "::" in the file: "*Heading", "#id", a name
	Block  Token // "src", "example", "export", …: how to wrap the text
	Lang   Token // the language or backend of the block
	Args   []Arg // ":lines", ":minlevel", ":only-contents" and others
}

// Include reads a node of [KindKeyword] whose key is INCLUDE.
func (n *Node) Include() (Include, bool) {
	if n.kind != KindKeyword {
		return Include{}, false
	}
	k := readKeyword(n)
	if k.Name() != "INCLUDE" || k.Value.Text == "" {
		return Include{}, false
	}
	inc := Include{Keyword: k}
	s := n.doc.text
	pos, end := k.Value.Start, k.Value.End
	file := Span{pos, skipWord(s, pos, end)}
	pos = file.End
	if s[file.Start] == '"' {
		if i := strings.IndexByte(s[file.Start+1:end], '"'); i >= 0 {
			file = Span{file.Start + 1, file.Start + 1 + i}
			pos = file.End + 1
		}
	}
	if i := strings.LastIndex(s[file.Start:file.End], "::"); i >= 0 {
		inc.Search = n.token(Span{file.Start + i + 2, file.End})
		file.End = file.Start + i
	}
	inc.File = n.token(file)
	for _, word := range []*Token{&inc.Block, &inc.Lang} {
		start := skipBlanks(s, pos, end)
		if start == end || s[start] == ':' {
			break
		}
		pos = skipWord(s, start, end)
		*word = n.token(Span{start, pos})
	}
	rest := trimSpan(s, pos, end)
	inc.Args = ParseArgs(s[rest.Start:rest.End], rest.Start, FromFile)
	return inc, true
}
