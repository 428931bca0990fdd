package search

import (
	"slices"
	"strings"

	"wb/org"
)

// splitOrg cuts an org file at its headlines.
func splitOrg(name string, src []byte) File {
	doc := org.Parse(src)
	s := orgSplitter{doc: doc, file: File{Title: stem(name)}, glossary: isGlossary(name)}
	if title, ok := doc.Setting("TITLE"); ok && title.Text != "" {
		s.file.Title = title.Text
	}
	top := Document{Line: 1, Title: s.file.Title, Tags: doc.FileTags(), End: len(src)}
	for c := range doc.Root().Children() {
		if c.Kind() == org.KindHeadline {
			top.End = c.Start()
			break
		}
		s.element(&top, c, s.glossary)
	}
	if strings.TrimSpace(top.Body+top.Code+top.Result) != "" {
		s.file.Documents = append(s.file.Documents, top)
	}
	for c := range doc.Root().Children() {
		if h, ok := c.Headline(); ok {
			s.headline(h, nil, doc.FileTags(), s.glossary)
		}
	}
	return s.file
}

type orgSplitter struct {
	doc      *org.Document
	file     File
	glossary bool
}

func (s *orgSplitter) headline(h org.Headline, outline, tags []string, glossary bool) {
	d := Document{Level: h.Level, Title: h.Title.Text, Outline: outline, Start: h.Start(), End: h.Body().End}
	d.Line, _ = s.doc.Position(h.Start())
	d.Tags = slices.Clip(tags)
	for _, tag := range h.LocalTags() {
		if !slices.Contains(d.Tags, tag) {
			d.Tags = append(d.Tags, tag)
		}
	}
	glossary = glossary || slices.Contains(d.Tags, "glossary")
	for p := range h.Properties() {
		d.Body += p.Value.Text + "\n"
	}
	if h.Keyword.Present() {
		d.State = h.Keyword.Text
		d.Body += h.Keyword.Text + "\n"
	}
	for c := range h.Children() {
		if c.Kind() != org.KindHeadline {
			s.element(&d, c, glossary)
		}
	}
	s.file.Documents = append(s.file.Documents, d)
	below := append(slices.Clip(outline), d.Title)
	for sub := range h.Subs() {
		s.headline(sub, below, d.Tags, glossary)
	}
}

// element puts the text of a node into the field it belongs to.
func (s *orgSplitter) element(d *Document, n *org.Node, glossary bool) {
	switch n.Kind() {
	case org.KindHeadlineLine, org.KindPropertyDrawer, org.KindPlanning, org.KindClock, org.KindBlank, org.KindDrawerBegin, org.KindDrawerEnd:
		return
	}
	if isResult(n) {
		d.Result += s.doc.Text(n.Span()) + "\n"
		return
	}
	switch n.Kind() {
	case org.KindSrcBlock:
		b, _ := n.Block()
		if lang := b.Lang.Text; lang != "" && !slices.Contains(d.Langs, lang) {
			d.Langs = append(d.Langs, lang)
		}
		d.Code += n.Name().Text + " " + b.Lang.Text + "\n" + s.doc.Text(b.Body) + "\n"
	case org.KindExampleBlock, org.KindFixedWidth:
		d.Code += s.doc.Text(n.Span()) + "\n"
	case org.KindKeyword:
		if k, ok := n.Keyword(); ok && slices.Contains(spokenKeywords, strings.ToUpper(k.Name())) {
			d.Body += k.Value.Text + "\n"
		}
	case org.KindDrawer:
		if drawer, ok := n.Drawer(); ok && drawer.Is("LOGBOOK") {
			return
		}
		s.inside(d, n, glossary)
	case org.KindList:
		if l, ok := n.List(); ok && glossary {
			s.terms(l)
		}
		s.inside(d, n, glossary)
	case org.KindItem, org.KindQuoteBlock, org.KindCenterBlock, org.KindSpecialBlock, org.KindDynamicBlock, org.KindFootnote:
		s.inside(d, n, glossary)
	default:
		d.Body += s.doc.Text(n.Span()) + "\n"
	}
}

// spokenKeywords are those whose value says what a text is about.
var spokenKeywords = []string{"TITLE", "SUBTITLE", "DESCRIPTION", "KEYWORDS", "CAPTION", "TAGLINE", "TOOLKIT"}

func (s *orgSplitter) inside(d *Document, n *org.Node, glossary bool) {
	for c := range n.Children() {
		s.element(d, c, glossary)
	}
}

// isResult reports whether #+RESULTS: stands above a node.
func isResult(n *org.Node) bool {
	for _, k := range n.Affiliated() {
		if k.Name() == "RESULTS" {
			return true
		}
	}
	return false
}

// terms reads a description list of a glossary.
func (s *orgSplitter) terms(l org.List) {
	for _, item := range l.Items {
		if item.Tag.Present() {
			if group := synonyms(item.Tag.Text, s.doc.Text(item.Body)); group != nil {
				s.file.Synonyms = append(s.file.Synonyms, group)
			}
		}
	}
}
