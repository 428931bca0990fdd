package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wb/org"
)

// place is the meaning of a position in a request.
type place struct {
	*analysis
	offset int
}

func at(ctx context.Context, p placeParams) (place, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return place{}, err
	}
	return place{a, a.text.offset(p.Position)}, nil
}

// definition leads from a name to where it is defined, from a link to its
// target, from an #+INCLUDE to the file.
func (s *Server) definition(ctx context.Context, p placeParams) (any, error) {
	pl, err := at(ctx, p)
	if err != nil {
		return nil, err
	}
	list := []location{}
	if o, ok := pl.index().at(pl.offset); ok {
		list = s.locations(ctx, pl.analysis, o.symbol, func(o occurrence) bool { return o.def })
		if len(list) == 0 && !o.def { // a session, say, which is defined nowhere: its first use
			if all := pl.index().of(o.symbol); len(all) > 0 && all[0].span != o.span {
				list = append(list, location{pl.uri, pl.text.rangeOf(all[0].span)})
			}
		}
		return list, nil
	}
	for _, l := range pl.fileLinks() {
		if l.span.Start <= pl.offset && pl.offset <= l.span.End {
			list = append(list, s.insideFile(l)...)
		}
	}
	return list, nil
}

// references lists where a symbol stands.
func (s *Server) references(ctx context.Context, p struct {
	placeParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}) (any, error) {
	pl, err := at(ctx, p.placeParams)
	if err != nil {
		return nil, err
	}
	o, ok := pl.index().at(pl.offset)
	if !ok {
		return []location{}, nil
	}
	return s.locations(ctx, pl.analysis, o.symbol, func(o occurrence) bool { return p.Context.IncludeDeclaration || !o.def }), nil
}

// locations are the occurrences of a symbol that are wanted: in the text, and
// for ids in all files of the workspace.
func (s *Server) locations(ctx context.Context, a *analysis, sym symbol, wanted func(occurrence) bool) []location {
	list := []location{}
	for _, b := range s.scope(ctx, a, sym) {
		for _, o := range b.index().of(sym) {
			if wanted(o) {
				list = append(list, location{b.uri, b.text.rangeOf(o.span)})
			}
		}
	}
	return list
}

// scope are the texts in which a symbol means the same.
func (s *Server) scope(ctx context.Context, a *analysis, sym symbol) []*analysis {
	texts := []*analysis{a}
	if sym.kind != symbolID {
		return texts
	}
	for _, snap := range s.workspace.mentioning(ctx, viewed(ctx), sym.key) {
		if snap.uri != a.uri {
			texts = append(texts, snap.analysis())
		}
	}
	return texts
}

// highlight marks the occurrences of what the cursor is on.
func (s *Server) highlight(ctx context.Context, p placeParams) (any, error) {
	pl, err := at(ctx, p)
	if err != nil {
		return nil, err
	}
	marks := []documentHighlight{}
	o, ok := pl.index().at(pl.offset)
	if !ok {
		return marks, nil
	}
	for _, o := range pl.index().of(o.symbol) {
		kind := 2
		if o.def {
			kind = 3
		}
		marks = append(marks, documentHighlight{Range: pl.text.rangeOf(o.span), Kind: kind})
	}
	return marks, nil
}

// prepareRename says what would be renamed at a place.
func (s *Server) prepareRename(ctx context.Context, p placeParams) (any, error) {
	pl, err := at(ctx, p)
	if err != nil {
		return nil, err
	}
	o, ok := pl.index().at(pl.offset)
	if !ok {
		return nil, nil
	}
	return prepareRename{Range: pl.text.rangeOf(o.span), Placeholder: pl.doc.Text(o.span)}, nil
}

// rename gives a symbol another name wherever it stands.
func (s *Server) rename(ctx context.Context, p renameParams) (any, error) {
	pl, err := at(ctx, p.placeParams)
	if err != nil {
		return nil, err
	}
	o, ok := pl.index().at(pl.offset)
	if !ok {
		return nil, failf(codeFailed, "no name stands here")
	}
	if err := checkName(o.symbol.kind, p.NewName); err != nil {
		return nil, err
	}
	if taken(pl.index(), o.symbol, p.NewName) {
		return nil, failf(codeFailed, "%s already names something else in this file", p.NewName)
	}
	edit := &workspaceEdit{}
	for _, a := range s.scope(ctx, pl.analysis, o.symbol) {
		var edits []org.Edit
		for _, o := range a.index().of(o.symbol) {
			edits = append(edits, org.Replace(o.span, o.text(p.NewName)))
		}
		if len(edits) == 0 {
			continue
		}
		var version *int
		if viewed(ctx)[a.uri] != nil {
			version = &a.version
		}
		edit = merge(edit, s.workspaceEdit(a.uri, version, a.text.edits(edits)))
	}
	return edit, nil
}

func merge(a, b *workspaceEdit) *workspaceEdit {
	a.DocumentChanges = append(a.DocumentChanges, b.DocumentChanges...)
	for uri, edits := range b.Changes {
		if a.Changes == nil {
			a.Changes = map[string][]textEdit{}
		}
		a.Changes[uri] = edits
	}
	return a
}

// checkName refuses names that could not be read back.
func checkName(kind symbolKind, name string) error {
	bad := " \t\n\r\"'()[]{}<>,;="
	switch kind {
	case symbolHeadline, symbolTarget:
		bad = "\n\r<>"
	case symbolID, symbolCustomID, symbolFootnote:
		bad = " \t\n\r[]"
	}
	if strings.TrimSpace(name) != name || name == "" || strings.ContainsAny(name, bad) {
		return failf(codeFailed, "%q cannot be a %s", name, kind)
	}
	return nil
}

// taken reports whether a new name means something else already.
func taken(x *index, s symbol, name string) bool {
	other := s
	switch s.kind {
	case symbolName:
		other = nameSymbol(name)
	case symbolHeadline:
		return false // titles may be equal
	case symbolPort:
		component, _, _ := strings.Cut(s.key, "\x00")
		other = portSymbol(component, name)
	case symbolTarget:
		other = symbol{symbolTarget, normalTitle(name)}
	case symbolSession:
		lang, _, _ := strings.Cut(s.key, "\x00")
		other = symbol{symbolSession, lang + "\x00" + name}
	default:
		other = symbol{s.kind, name}
	}
	return other != s && len(x.bySymbol[other]) > 0
}

// fileLink is a place that names a file.
type fileLink struct {
	span   org.Span
	target string // URI
	path   string // "" for what is not a file
	search string // what follows :: in a link
}

// fileLinks are the files and pages that the text links to.
func (a *analysis) fileLinks() []fileLink {
	var links []fileLink
	add := func(span org.Span, path, search string) {
		if path = a.resolve(path); path != "" && span.Len() > 0 {
			links = append(links, fileLink{span, fileURI(path), path, search})
		}
	}
	for n := range a.doc.AllObjects(org.KindLink) {
		l, ok := n.Link()
		if !ok {
			continue
		}
		switch l.Type {
		case "file", "attachment":
			add(l.Target.Span, l.Path, l.Search)
		case "http", "https", "mailto":
			links = append(links, fileLink{span: l.Target.Span, target: l.Target.Text})
		}
	}
	for k := range a.doc.Keywords("INCLUDE", "SETUPFILE", "BIBLIOGRAPHY") {
		if i, ok := k.Include(); ok {
			add(i.File.Span, i.File.Text, "")
		} else if w := words(k.Value, " \t\""); len(w) > 0 {
			add(w[0].Span, w[0].Text, "")
		}
	}
	for _, b := range a.sourceBlocks() {
		if t, ok := a.doc.HeaderArgs(b.Node).Get(":tangle"); ok && t.Value != "yes" && t.Value != "no" && !t.IsLisp() && b.Span().Contains(t.At) {
			add(t.At, t.Text(), "")
		}
	}
	return links
}

// resolve makes a path in a document absolute, "" when it cannot be.
func (a *analysis) resolve(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		return filepath.Join(home, rest)
	}
	switch {
	case path == "" || strings.HasPrefix(path, "/ssh:"):
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case !filepath.IsAbs(a.file):
		return ""
	}
	return filepath.Join(filepath.Dir(a.file), path)
}

// insideFile is the place that a link to a file means: its start, the line or
// what is searched for.
func (s *Server) insideFile(l fileLink) []location {
	info, err := os.Stat(l.path)
	if l.path == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	here := location{URI: l.target}
	if l.search == "" || info.Size() > maxFileSize {
		return []location{here}
	}
	data, err := os.ReadFile(l.path)
	if err != nil {
		return []location{here}
	}
	t := newText(string(data), s.enc)
	if n, err := strconv.Atoi(l.search); err == nil {
		here.Range.Start.Line = min(max(n-1, 0), len(t.lines)-1)
		here.Range.End = here.Range.Start
		return []location{here}
	}
	target := analyze(l.target, l.path, 0, t)
	for _, o := range target.index().of(target.searched(l.search)) {
		if o.def {
			here.Range = t.rangeOf(o.span)
			break
		}
	}
	return []location{here}
}

// searched is the symbol that what follows :: in a file link means.
func (a *analysis) searched(search string) symbol {
	if id, ok := strings.CutPrefix(search, "#"); ok {
		return symbol{symbolCustomID, id}
	}
	if title, ok := strings.CutPrefix(search, "*"); ok {
		return headlineSymbol(title)
	}
	for _, s := range []symbol{{symbolTarget, normalTitle(search)}, nameSymbol(search)} {
		if a.index().defined(s) {
			return s
		}
	}
	return headlineSymbol(search)
}

// documentLinks are the links an editor opens.
func (s *Server) documentLinks(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	links := []documentLink{}
	for _, l := range a.fileLinks() {
		links = append(links, documentLink{Range: a.text.rangeOf(l.span), Target: l.target, Tooltip: l.search})
	}
	return links, nil
}
