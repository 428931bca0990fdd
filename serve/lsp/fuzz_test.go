package lsp

import (
	"context"
	"testing"

	"wb/org"
)

// FuzzDocument asks everything about any text: places lie within it, tokens are
// in order, fixes and formatting can be made, and a renamed symbol is renamed
// everywhere.
func FuzzDocument(f *testing.F) {
	f.Add(bakery, 40)
	f.Add("* a\r\n:PROPERTIES:\r\n:in: x\r\n:END:\r\n#+begin_src js :reslts\r\n", 12)
	f.Add("#+begin_src js :var a=b(c=d(e=f\n<<g>>\n#+end_src\n[[*x", 30)
	f.Add("* WAITING ä\nDEADLINE: <2026-01-01 Thu>\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:END:\n#+end_x\n#+begin_y", 9)
	server := New(testConfig(f))
	server.enc, server.workspace = utf16Positions, newWorkspace(nil, utf16Positions)
	f.Fuzz(func(t *testing.T, source string, offset int) {
		if len(source) > 20_000 {
			return
		}
		snap := newDocument("file:///f.org", source, 1, utf16Positions).snapshot()
		a := snap.analysis()
		offset = min(max(offset, 0), len(source))
		ctx := context.WithValue(context.Background(), viewKey{}, view{snap.uri: snap})
		at := placeAt(snap.uri, a.text.position(offset))

		end := 0
		for _, token := range a.tokens() {
			if token.span.Start < end || token.span.End > len(source) || token.span.Len() <= 0 {
				t.Fatalf("token at %v after %d", token.span, end)
			}
			end = token.span.End
		}
		for _, x := range a.index().all {
			if x.span.Start < 0 || x.span.End > len(source) || x.span.Len() <= 0 {
				t.Fatalf("%+v lies outside", x)
			}
		}
		for _, finding := range a.findings(server.config.Languages) {
			if span := a.extent(finding); span.Start < 0 || span.End > len(source) || span.Len() < 0 {
				t.Fatalf("%v stands at %v", finding, span)
			}
			for _, fix := range a.fixes(finding) {
				if _, err := org.Apply([]byte(source), fix.edits); err != nil {
					t.Fatalf("%s: %v", fix.title, err)
				}
			}
		}
		if _, err := org.Apply([]byte(source), a.tidied()); err != nil {
			t.Fatal(err)
		}
		answer, err := server.completion(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range answer.(completionList).Items {
			textOf(t, a.text, []textEdit{*item.TextEdit})
		}
		for _, ask := range []func(context.Context, placeParams) (any, error){server.definition, server.highlight, server.prepareRename,
			server.documentSymbols, server.folding, server.codeLenses, server.documentLinks, server.semanticTokens} {
			if _, err := ask(ctx, at); err != nil {
				t.Fatal(err)
			}
		}
		if o, ok := a.index().at(offset); ok {
			_, _ = server.rename(ctx, renameParams{at, "renamed"})
			if o.span.Start > offset || offset > o.span.End {
				t.Fatalf("%v is not at %d", o, offset)
			}
		}
	})
}
