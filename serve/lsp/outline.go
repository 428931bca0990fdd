package lsp

import (
	"context"
	"slices"
	"strings"

	"wb/org"
	"wb/workbook"
)

// documentSymbols is the outline: headlines, and below them what has a name or
// runs.
func (s *Server) documentSymbols(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	tree := a.outline()
	if s.client.Capabilities.TextDocument.DocumentSymbol.Hierarchical {
		return tree, nil
	}
	flat := []symbolInformation{}
	var walk func(list []*documentSymbol, container string)
	walk = func(list []*documentSymbol, container string) {
		for _, d := range list {
			flat = append(flat, symbolInformation{Name: d.Name, Kind: d.Kind, Location: location{a.uri, d.Range}, Container: container})
			walk(d.Children, d.Name)
		}
	}
	walk(tree, "")
	return flat, nil
}

// outline is the tree of a document's symbols.
func (a *analysis) outline() []*documentSymbol {
	root := &documentSymbol{Children: []*documentSymbol{}}
	heads := map[*org.Node]*documentSymbol{}
	parent := func(n *org.Node) *documentSymbol {
		for up := range n.Ancestors() {
			if d := heads[up]; d != nil {
				return d
			}
		}
		return root
	}
	components := map[*org.Node]*workbook.Component{}
	for _, c := range a.plan().Components {
		if c.Node() != nil {
			components[c.Node()] = c
		}
	}
	for n := range a.doc.All() {
		var d *documentSymbol
		switch {
		case n.Kind() == org.KindHeadline:
			d = a.headlineSymbol(n)
			heads[n] = d
		case n.Kind() == org.KindSrcBlock || n.Kind() == org.KindCall:
			d = a.componentSymbol(n, components[n])
		case n.Kind().IsElement() && n.Name().Text != "":
			d = &documentSymbol{Name: n.Name().Text, Detail: n.Kind().String(), Kind: kindArray}
		}
		if d == nil || strings.TrimSpace(d.Name) == "" {
			continue
		}
		d.Range = a.text.rangeOf(n.Span())
		if d.SelectionRange == (textRange{}) {
			d.SelectionRange = textRange{d.Range.Start, d.Range.Start}
			if name := n.Name(); name.Text != "" {
				d.SelectionRange = a.text.rangeOf(name.Span)
			}
		}
		up := parent(n)
		up.Children = append(up.Children, d)
	}
	return root.Children
}

func (a *analysis) headlineSymbol(n *org.Node) *documentSymbol {
	h, _ := n.Headline()
	d := &documentSymbol{Name: h.Title.Text, Detail: strings.TrimSpace(h.Keyword.Text + " " + h.TagList.Text), Kind: kindString}
	switch {
	case h.HasTag("workflow"):
		d.Kind = kindModule
	case h.HasTag("component"):
		d.Kind = kindFunction
	case h.Keyword.Present():
		d.Kind = kindEvent
	}
	if d.Name == "" {
		d.Name = "(no title)"
	}
	d.SelectionRange = a.text.rangeOf(h.Title.Span)
	if h.Title.Len() == 0 {
		d.SelectionRange = a.text.rangeOf(org.Span{Start: n.Start(), End: n.Start() + h.Level})
	}
	return d
}

func (a *analysis) componentSymbol(n *org.Node, c *workbook.Component) *documentSymbol {
	d := &documentSymbol{Name: n.Name().Text, Kind: kindFunction}
	if c != nil {
		d.Name, d.Detail = c.ID, c.Lang
		if c.Dialect != workbook.DialectBabel {
			d.Name = strings.Join(c.Out, ", ")
			if d.Name == "" {
				d.Name = c.Lang
			}
		}
	} else if b, ok := n.Block(); ok {
		d.Detail = b.Lang.Text
		if d.Name == "" {
			d.Name = b.Lang.Text
		}
	}
	return d
}

// workspaceSymbols finds headlines and names by a part of them, in all files.
func (s *Server) workspaceSymbols(ctx context.Context, p struct {
	Query string `json:"query"`
}) (any, error) {
	const most = 500
	found := []symbolInformation{}
	for _, snap := range s.workspace.files(ctx, viewed(ctx)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found = append(found, snap.declarations(p.Query)...)
	}
	slices.SortStableFunc(found, func(a, b symbolInformation) int { return len(a.Name) - len(b.Name) })
	return found[:min(len(found), most)], nil
}

// declarations are the headlines and names of a text that match a query. They
// are found without planning the workbook: there may be thousands of files.
func (s *snapshot) declarations(query string) []symbolInformation {
	if !mayMatch(query, s.text.source) {
		return nil
	}
	doc := org.ParseString(s.text.source)
	var found []symbolInformation
	add := func(t org.Token, kind int) {
		if t.Text != "" && matches(query, t.Text) {
			found = append(found, symbolInformation{Name: t.Text, Kind: kind, Location: location{s.uri, s.text.rangeOf(t.Span)}})
		}
	}
	for n := range doc.All() {
		if h, ok := n.Headline(); ok {
			add(h.Title, kindString)
		} else if k, ok := n.Keyword(); ok && n.Kind() == org.KindAffiliated && k.Name() == "NAME" {
			add(k.Value, kindVariable)
		} else if p, ok := n.Property(); ok && (p.Is("CUSTOM_ID") || p.Is("ID")) {
			add(p.Value, kindKey)
		}
	}
	return found
}

// mayMatch reports whether a text has all letters of a query at all.
func mayMatch(query, source string) bool {
	for _, r := range strings.ToLower(query) {
		if !strings.ContainsRune(source, r) && !strings.Contains(source, strings.ToUpper(string(r))) {
			return false
		}
	}
	return true
}

// matches reports whether the letters of a query stand in a name, in order.
func matches(query, name string) bool {
	rest := strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+len(string(r)):]
	}
	return true
}

// folding lists what can be folded: subtrees, blocks, drawers, results.
func (s *Server) folding(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	ranges := []foldingRange{}
	add := func(start, end int, kind string) {
		source := a.text.source
		for end > start && strings.IndexByte(" \t\r\n", source[end-1]) >= 0 {
			end--
		}
		first, last := a.text.position(start).Line, a.text.position(end).Line
		if last > first {
			ranges = append(ranges, foldingRange{StartLine: first, EndLine: last, Kind: kind})
		}
	}
	for n := range a.doc.All() {
		switch k := n.Kind(); {
		case k == org.KindHeadline:
			add(n.Start(), n.End(), "region")
		case k.IsBlock():
			if b, ok := n.Block(); ok {
				add(b.Begin.Start, n.End(), "")
			}
		case k == org.KindDrawer, k == org.KindPropertyDrawer:
			add(n.Start(), n.End(), "")
		case k == org.KindComment:
			add(n.Start(), n.End(), "comment")
		}
	}
	for r := range a.doc.Results() {
		add(r.Line.Start, max(r.Line.End, r.Body.End), "")
	}
	slices.SortStableFunc(ranges, func(a, b foldingRange) int { return a.StartLine - b.StartLine })
	return slices.CompactFunc(ranges, func(a, b foldingRange) bool { return a.StartLine == b.StartLine && a.EndLine == b.EndLine }), nil
}
