package goorg

import (
	"maps"

	"slices"
	"strings"

	goorg "github.com/niklasfasching/go-org/org"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Options say how a document is turned into go-org's.
type Options struct {
	// Path is the name of the file; links and messages refer to it.
	Path string
	// Readable is for writers of anything but Org: commas that escape lines of
	// blocks are taken off, which go-org's Org writer would not put back in most of
	// them, and COMMENT and properties are where go-org has them, which that writer
	// forgets or puts in the wrong place.
	Readable bool
}

// Document is go-org's document for a parsed one.
func Document(doc *org.Document, opts Options) *goorg.Document {
	d := goorg.New().Silent().Parse(strings.NewReader(""), opts.Path)
	d.BufferSettings = maps.Clone(d.BufferSettings)
	if d.BufferSettings == nil {
		d.BufferSettings = map[string]string{}
	}
	root := &goorg.Section{}
	d.Outline.Section = root
	b := &bridge{doc: doc, out: d, opts: opts, section: root}
	b.settings()
	d.Nodes = b.nodes(doc.Root())
	return d
}

// NewHTMLWriter and NewOrgWriter are go-org's writers.
func NewHTMLWriter() goorg.Writer { return goorg.NewHTMLWriter() }

// NewOrgWriter writes Org as go-org formats it.
func NewOrgWriter() goorg.Writer { return goorg.NewOrgWriter() }

type bridge struct {
	doc     *org.Document
	out     *goorg.Document
	opts    Options
	section *goorg.Section // the headline that is being read
	count   int            // headlines so far
}

// settings are the keywords of the file, where go-org's writers look for them.
func (b *bridge) settings() {
	for k := range b.doc.Keywords() {
		name, value := k.Name(), k.Value.Text
		switch first, rest, ok := strings.Cut(value, " "); {
		case name == "LINK" && ok:
			b.out.Links[first] = strings.TrimSpace(rest)
			continue
		case name == "MACRO" && ok:
			b.out.Macros[first] = strings.TrimSpace(rest)
			continue
		}
		if old, ok := b.out.BufferSettings[name]; ok {
			value = old + "\n" + value
		}
		b.out.BufferSettings[name] = value
	}
	var open, done []string
	for _, k := range b.doc.Todo().List {
		if k.Done {
			done = append(done, k.Name)
		} else {
			open = append(open, k.Name)
		}
	}
	b.out.BufferSettings["TODO"] = strings.Join(open, " ") + " | " + strings.Join(done, " ")
}

// nodes are the elements below a node.
func (b *bridge) nodes(n *org.Node) (out []goorg.Node) {
	for c := range n.Children() {
		out = b.append(out, c)
	}
	return out
}

// append adds an element and what stands above it.
func (b *bridge) append(out []goorg.Node, n *org.Node) []goorg.Node {
	var meta goorg.Metadata
	name, result := "", false
	for _, k := range n.Affiliated() {
		value := k.Value.Text
		switch {
		case k.Name() == "NAME" && name == "":
			name = value
		case k.Name() == "CAPTION" && !k.Option.Present():
			meta.Caption = append(meta.Caption, b.objects(k.Node))
		case k.Name() == "ATTR_HTML":
			meta.HTMLAttributes = append(meta.HTMLAttributes, attributes(value))
		case k.Name() == "RESULTS" && value == "" && !k.Option.Present():
			result = true
		default:
			out = append(out, keyword(k))
		}
	}
	nodes := b.element(n)
	if len(nodes) == 0 {
		return out
	}
	first := nodes[0]
	if len(meta.Caption)+len(meta.HTMLAttributes) > 0 {
		first = goorg.NodeWithMeta{Node: first, Meta: meta}
	}
	if name != "" {
		b.out.NamedNodes[name] = first
		first = goorg.NodeWithName{Name: name, Node: first}
	}
	if result {
		first = goorg.Result{Node: first}
	}
	nodes[0] = first
	return append(out, nodes...)
}

func keyword(k org.Keyword) goorg.Keyword {
	key := k.Key.Text
	if k.Option.Present() {
		key += "[" + k.Option.Text + "]"
	}
	return goorg.Keyword{Key: strings.ToUpper(key), Value: k.Value.Text}
}

var attribute = lazyregexp.New(`(?:^|\s)(:[-\w]+)`)

// attributes splits ":width 300 :alt a picture" into keys and values.
func attributes(text string) (out []string) {
	at := attribute.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][2]
		}
		out = append(out, text[m[2]:m[3]], strings.TrimSpace(text[m[3]:end]))
	}
	return out
}

// element turns one element into go-org's; those it has no node for become
// their text.
func (b *bridge) element(n *org.Node) []goorg.Node {
	switch n.Kind() {
	case org.KindHeadline:
		h, _ := n.Headline()
		return []goorg.Node{b.headline(h)}
	case org.KindBlank:
		return slices.Repeat([]goorg.Node{goorg.Paragraph{}}, strings.Count(n.Text(), "\n"))
	case org.KindParagraph:
		return []goorg.Node{goorg.Paragraph{Children: b.objects(n)}}
	case org.KindKeyword:
		k, _ := n.Keyword()
		return []goorg.Node{keyword(k)}
	case org.KindCall:
		key, value, _ := strings.Cut(strings.TrimSpace(b.own(n)), ":")
		return []goorg.Node{goorg.Keyword{Key: strings.ToUpper(strings.TrimPrefix(key, "#+")), Value: strings.TrimSpace(value)}}
	case org.KindRule:
		return []goorg.Node{goorg.HorizontalRule{}}
	case org.KindComment:
		return b.lines(n, func(line string) goorg.Node {
			return goorg.Comment{Content: strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")}
		})
	case org.KindFixedWidth:
		var e goorg.Example
		for _, line := range textLines(b.own(n)) {
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), ":"), " ")
			e.Children = append(e.Children, goorg.Text{Content: line, IsRaw: true})
		}
		return []goorg.Node{e}
	case org.KindLatexEnv:
		return []goorg.Node{goorg.LatexBlock{Content: raw(strings.TrimRight(b.own(n), "\n"))}}
	case org.KindPropertyDrawer:
		return []goorg.Node{b.properties(n)}
	case org.KindDrawer:
		d, _ := n.Drawer()
		return []goorg.Node{goorg.Drawer{Name: strings.ToUpper(d.Label.Text), Children: b.inside(n)}}
	case org.KindTable:
		t, _ := n.Table()
		return b.table(t)
	case org.KindList:
		l, _ := n.List()
		return []goorg.Node{b.list(l)}
	case org.KindFootnote:
		f, _ := n.Footnote()
		return []goorg.Node{goorg.FootnoteDefinition{Name: f.Label.Text, Children: b.inside(n)}}
	case org.KindDynamicBlock:
		k, _ := n.Block()
		begin := goorg.Keyword{Key: "BEGIN", Value: strings.TrimSpace(k.Lang.Text + " " + k.Args.Text)}
		return append(append([]goorg.Node{begin}, b.inside(n)...), goorg.Keyword{Key: "END"})
	}
	if n.Kind().IsBlock() {
		k, _ := n.Block()
		return []goorg.Node{b.block(k)}
	}
	return b.lines(n, func(line string) goorg.Node { return goorg.Paragraph{Children: raw(line)} })
}

// own is the text of an element without what is above it.
func (b *bridge) own(n *org.Node) string {
	start := n.Start()
	for _, k := range n.Affiliated() {
		start = k.End()
	}
	return b.doc.Text(org.Span{Start: start, End: n.End()})
}

func textLines(text string) []string { return strings.Split(strings.TrimRight(text, "\r\n"), "\n") }

// lines makes a node of every line of an element.
func (b *bridge) lines(n *org.Node, node func(string) goorg.Node) (out []goorg.Node) {
	for _, line := range textLines(b.own(n)) {
		out = append(out, node(strings.TrimSpace(line)))
	}
	return out
}

func raw(text string) []goorg.Node { return []goorg.Node{goorg.Text{Content: text, IsRaw: true}} }

// inside are the elements of a container, without the lines that enclose them.
func (b *bridge) inside(n *org.Node) (out []goorg.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case org.KindBlockBegin, org.KindBlockEnd, org.KindDrawerBegin, org.KindDrawerEnd, org.KindItemMarker, org.KindFootnoteMarker, org.KindAffiliated:
			continue
		}
		out = b.append(out, c)
	}
	return out
}

func (b *bridge) properties(n *org.Node) (d goorg.PropertyDrawer) {
	for c := range n.Children() {
		if p, ok := c.Property(); ok {
			key := p.Key.Text
			if p.Append {
				key += "+"
			}
			d.Properties = append(d.Properties, []string{key, p.Value.Text})
		}
	}
	return d
}

func (b *bridge) headline(h org.Headline) goorg.Headline {
	b.count++
	out := goorg.Headline{Index: b.count, Lvl: h.Level, Status: h.Keyword.Text, Priority: h.Priority.Text, Tags: h.LocalTags()}
	out.Title = b.objects(h.Node)
	if h.Comment && b.opts.Readable {
		out.IsComment = true
	} else if h.Comment { // go-org's Org writer forgets it
		out.Title = append([]goorg.Node{goorg.Text{Content: "COMMENT "}}, out.Title...)
	}
	_, planned := h.Planning()
	section := &goorg.Section{Parent: b.section, Headline: &out}
	for section.Parent.Headline != nil && section.Parent.Headline.Lvl >= h.Level {
		section.Parent = section.Parent.Parent
	}
	section.Parent.Children = append(section.Parent.Children, section)
	b.section = section
	for c := range h.Children() {
		switch c.Kind() {
		case org.KindHeadlineLine:
		case org.KindPropertyDrawer:
			d := b.properties(c)
			if planned && !b.opts.Readable { // it would be written above the planning line, where that is none
				out.Children = append(out.Children, d)
				continue
			}
			out.Properties = &d
		default:
			out.Children = b.append(out.Children, c)
		}
	}
	b.section = section.Parent
	kept := out
	section.Headline = &kept
	return out
}

// escaped finds the commas that Org puts before stars and #+ in blocks.
var escaped = lazyregexp.New(`(?m)^([ \t]*),((?:,*)(?:\*|#\+))`)

func (b *bridge) block(k org.Block) goorg.Block {
	name := strings.ToUpper(k.Type.Text)
	out := goorg.Block{Name: name}
	switch k.Kind() {
	case org.KindSrcBlock, org.KindExampleBlock, org.KindExportBlock:
		text := b.doc.Text(k.Body)
		if b.opts.Readable || name == "EXAMPLE" || name == "SRC" && k.Lang.Text == "org" {
			text = escaped.ReplaceAllString(text, "$1$2")
		}
		out.Children = raw(strings.ReplaceAll(text, "\r\n", "\n"))
		if k.Lang.Present() {
			out.Parameters = append(out.Parameters, k.Lang.Text)
		}
		out.Parameters = append(out.Parameters, strings.Fields(k.Switches.Text)...)
		out.Parameters = append(out.Parameters, attributes(k.Args.Text)...)
	case org.KindVerseBlock:
		out.Children = []goorg.Node{goorg.Paragraph{Children: b.objects(k.Node)}}
		out.Parameters = strings.Fields(k.Args.Text)
	case org.KindCommentBlock:
		out.Children = raw(b.doc.Text(k.Body))
	default:
		out.Children = b.inside(k.Node)
		out.Parameters = strings.Fields(k.Args.Text)
	}
	return out
}

func (b *bridge) list(l org.List) goorg.List {
	out := goorg.List{Kind: "unordered"}
	switch {
	case l.Tagged:
		out.Kind = "descriptive"
	case l.Ordered:
		out.Kind = "ordered"
	}
	for _, item := range l.Items {
		status := strings.Trim(item.Checkbox.Text, "[]")
		if l.Tagged || item.Tag.Present() {
			d := goorg.DescriptiveListItem{Bullet: item.Bullet.Text, Status: status, Details: b.inside(item.Node)}
			d.Term = b.objects(item.Node)
			out.Items = append(out.Items, d)
			continue
		}
		out.Items = append(out.Items, goorg.ListItem{Bullet: item.Bullet.Text, Status: status,
			Value: strings.TrimSuffix(strings.TrimPrefix(item.Counter.Text, "[@"), "]"), Children: b.inside(item.Node)})
	}
	return out
}
