package page

import (
	"context"
	"slices"
	"strings"
)

// Anchors are the places of a workbook's page that other pages may lead to.
type Anchors struct{ w *writer }

// AnchorsOf finds the places of a page without making it: the ids are those of
// [Fragment] for the same document. Included files are not read.
func AnchorsOf(file string, src []byte) (Anchors, error) {
	p, err := prepare(context.Background(), file, src, nil)
	if err != nil {
		return Anchors{}, err
	}
	return Anchors{newWriter(p, file, Options{})}, nil
}

// anchorIn finds the id that another workbook's page gives to what a link's
// search names.
func anchorIn(file string, src []byte, search string) (id string, ok bool) {
	a, err := AnchorsOf(file, src)
	if err != nil {
		return "", false
	}
	return a.Search(search)
}

// ID gives the place of the headline with an :ID:.
func (a Anchors) ID(id string) (string, bool) {
	at, ok := a.w.anchors["id "+id]
	return at.id, ok
}

// Search gives the place that what follows "::" in a file link means: #custom-id,
// *Heading, a name or a target. An empty one is no place.
func (a Anchors) Search(search string) (string, bool) {
	at, ok := a.w.search(search)
	return at.id, ok
}

// Names are what [Anchors.Search] takes, for messages about what is not there.
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
