package page

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wb/org"
	"wb/workbook"
)

// Anchors are the places of a workbook's page that other pages may lead to.
type Anchors struct{ places map[string]string }

// AnchorsOf finds the places of a page without making it: the ids are those of
// [Fragment] for the same document.
func AnchorsOf(file string, src []byte) (Anchors, error) {
	shown, err := workbook.Exported(context.Background(), file, src)
	if err != nil {
		return Anchors{}, err
	}
	doc := org.Parse(shown)
	w := newWriter(file, doc, doc, workbook.NewPlan(file, src), Options{})
	for h := range doc.Headlines() {
		if hidden(h) {
			w.unreachable(h)
		}
	}
	return Anchors{w.anchors}, nil
}

// unreachable forgets the places of a section that is not on the page.
func (w *writer) unreachable(h org.Headline) {
	id := w.anchors[fmt.Sprint("at ", h.Start())]
	maps.DeleteFunc(w.anchors, func(_, place string) bool { return place == id })
	for sub := range h.Subs() {
		w.unreachable(sub)
	}
}

// ID gives the place of the headline with an :ID:.
func (a Anchors) ID(id string) (string, bool) {
	at, ok := a.places["id "+id]
	return at, ok
}

// Search gives the place that what follows "::" in a file link means: #custom-id,
// *Heading, a name or a target. An empty one is the page.
func (a Anchors) Search(search string) (string, bool) {
	if strings.HasPrefix(search, "#") {
		at, ok := a.places[search]
		return at, ok
	}
	low := strings.ToLower(search)
	if at, ok := a.places[low]; ok {
		return at, true
	}
	at, ok := a.places["name "+search]
	return at, ok
}

// Names are what [Anchors.Search] takes, for messages about what is not there.
func (a Anchors) Names() []string {
	var names []string
	for key := range a.places {
		if !strings.HasPrefix(key, "at ") && !strings.HasPrefix(key, "id ") && !strings.HasPrefix(key, "name ") {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}
