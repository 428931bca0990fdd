package lsp

import (
	"context"
	"slices"
	"strings"

	"wb/org"
)

// Semantic tokens: what a name means shows in its colour, which no grammar of
// lines can know.

// tokenType indexes tokenTypes.
type tokenType int

const (
	tokenKeyword tokenType = iota
	tokenLanguage
	tokenArgument
	tokenName
	tokenPort
	tokenNoweb
	tokenString
	tokenTag
	tokenStamp
	tokenProperty
)

var tokenTypes = []string{"keyword", "type", "property", "variable", "parameter", "macro", "string", "decorator", "number", "property"}

// token modifiers, as bits.
const (
	modDefinition = 1 << iota
	modUnknown
	modDone
)

var tokenModifiers = []string{"definition", "deprecated", "readonly"}

func semanticLegend() map[string]any {
	return map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}
}

type semanticToken struct {
	span     org.Span
	kind     tokenType
	modifier int
}

// tokens are the coloured words of a text, in order and apart from each other.
func (a *analysis) tokens() []semanticToken {
	g := &tokenGatherer{analysis: a}
	for _, o := range a.index().all {
		g.occurrence(o)
	}
	for n := range a.doc.All() {
		g.node(n)
	}
	slices.SortStableFunc(g.list, func(x, y semanticToken) int { return x.span.Start - y.span.Start })
	end, kept := 0, g.list[:0]
	for _, t := range g.list {
		if t.span.Start >= end {
			kept = append(kept, t)
			end = t.span.End
		}
	}
	return kept
}

// tokenGatherer collects tokens; of two in one place the one added first stays.
type tokenGatherer struct {
	*analysis
	list []semanticToken
}

func (g *tokenGatherer) add(s org.Span, kind tokenType, modifier int) {
	if s.Len() > 0 && strings.IndexByte(g.text.source[s.Start:s.End], '\n') < 0 {
		g.list = append(g.list, semanticToken{s, kind, modifier})
	}
}

func (g *tokenGatherer) occurrence(o occurrence) {
	modifier := 0
	if o.def {
		modifier = modDefinition
	}
	switch o.symbol.kind {
	case symbolHeadline:
		if !o.def {
			g.add(o.span, tokenString, 0)
		}
	case symbolPort:
		g.add(o.span, tokenPort, modifier)
	case symbolInput:
		g.add(o.span, tokenPort, modUnknown)
	case symbolChunk, symbolMacro:
		g.add(o.span, tokenNoweb, modifier)
	default:
		if !o.def && o.symbol.kind == symbolName && !g.index().defined(o.symbol) {
			modifier = modUnknown
		}
		g.add(o.span, tokenName, modifier)
	}
}

func (g *tokenGatherer) node(n *org.Node) {
	switch n.Kind() {
	case org.KindHeadline:
		h, _ := n.Headline()
		done := 0
		if h.Done {
			done = modDone
		}
		g.add(h.Keyword.Span, tokenKeyword, done)
		g.add(h.TagList.Span, tokenTag, 0)
	case org.KindSrcBlock:
		b, _ := n.Block()
		g.add(b.Lang.Span, tokenLanguage, 0)
		for _, level := range g.doc.ArgLevels(n) {
			g.arguments(level)
		}
	case org.KindCall:
		if c, ok := n.Call(); ok {
			for _, level := range g.doc.CallLevels(c, "") {
				g.arguments(level)
			}
		}
	case org.KindProperty:
		p, _ := n.Property()
		g.add(p.Key.Span, tokenProperty, 0)
	case org.KindPlanning:
		p, _ := n.Planning()
		for _, t := range []org.Timestamp{p.Scheduled, p.Deadline, p.Closed} {
			if t.Present() {
				g.add(t.Span, tokenStamp, 0)
			}
		}
	}
}

// arguments colours the keys of header arguments, and values that are words.
func (g *tokenGatherer) arguments(args []org.Arg) {
	for _, arg := range args {
		if arg.Span.Len() == 0 {
			continue
		}
		key := org.Span{Start: arg.Span.Start, End: arg.Span.Start + len(arg.Key)}
		if key.End > arg.At.Start && arg.At.Len() > 0 {
			continue // a further variable of one :var
		}
		g.add(key, tokenArgument, 0)
		if arg.Key != ":var" && arg.At.Len() > 0 && arg.At.Len() < 200 {
			for _, w := range words(g.doc.Token(arg.At), " \t") {
				g.add(w.Span, tokenString, 0)
			}
		}
	}
}

// encode writes tokens as the protocol has them: five numbers each, relative to
// the token before.
func (a *analysis) encode(tokens []semanticToken) map[string]any {
	data := make([]int, 0, 5*len(tokens))
	var last position
	for _, t := range tokens {
		p := a.text.position(t.span.Start)
		column := p.Character
		if p.Line == last.Line {
			column -= last.Character
		}
		data = append(data, p.Line-last.Line, column, a.text.enc.units(a.text.source[t.span.Start:t.span.End]), int(t.kind), t.modifier)
		last = p
	}
	return map[string]any{"data": data}
}

func (s *Server) semanticTokens(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return a.encode(a.tokens()), nil
}

func (s *Server) semanticTokensIn(ctx context.Context, p struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
}) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	span := a.text.span(p.Range)
	tokens := slices.DeleteFunc(a.tokens(), func(t semanticToken) bool { return t.span.End <= span.Start || t.span.Start >= span.End })
	return a.encode(tokens), nil
}
