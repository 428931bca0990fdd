package page

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Anchors are the places of a workbook's page that other pages may lead to.
type Anchors struct{ w *writer }

// AnchorsOf finds the places of a page without making it: the ids are those of
// [Fragment] for the same document, given the same way to read what it
// includes, which is that of [Options.Include]. nil reads nothing.
func AnchorsOf(ctx context.Context, file string, src []byte, include func(name string) ([]byte, error)) (Anchors, error) {
	p, err := prepare(ctx, file, src, source{read: include, above: true}, nil)
	if err != nil {
		return Anchors{}, err
	}
	return Anchors{newWriter(p, file, Options{})}, nil
}

// anchorIn finds the id that another workbook's page gives to what a link's
// search names.
func anchorIn(file string, src []byte, search string, from source) (id string, ok bool) {
	beside := source{}
	if from.read != nil {
		beside.read = func(name string) ([]byte, error) { return from.read(path.Join(path.Dir(file), name)) }
	}
	p, err := prepare(context.Background(), file, src, beside, nil)
	if err != nil {
		return "", false
	}
	return Anchors{newWriter(p, file, Options{})}.Search(search)
}

// ID gives the place of the headline with an :ID:.
func (a Anchors) ID(id string) (string, bool) {
	at, ok := a.w.anchors["id "+id]
	return at.id, ok
}

// IDs are the :ID:s of its headlines, sorted.
func (a Anchors) IDs() []string {
	var ids []string
	for key := range a.w.anchors {
		if id, ok := strings.CutPrefix(key, "id "); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Search gives the place that what follows "::" in a file link means: #custom-id,
// *Heading, a name or a target. An empty one is not a place.
func (a Anchors) Search(search string) (string, bool) {
	at, ok := a.w.search(search)
	return at.id, ok
}

// Names are the searches that [Anchors.Search] resolves, for hints in messages.
func (a Anchors) Names() []string {
	var names []string
	for key := range a.w.anchors {
		for _, kind := range []string{"heading ", "name ", "target "} {
			if name, ok := strings.CutPrefix(key, kind); ok {
				names = append(names, name)
			}
		}
		if strings.HasPrefix(key, "#") {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
