package page

import (
	"maps"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// attributes are what #+ATTR_HTML: says of an element, cut down to what may
// stand in a page.
type attributes map[string]string

// String writes them, sorted by name.
func (a attributes) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a)) {
		out.WriteString(attr(name, a[name]))
	}
	return out.String()
}

func (a attributes) without(names ...string) attributes {
	out := maps.Clone(a)
	for _, n := range names {
		delete(out, n)
	}
	return out
}

// What #+ATTR_HTML: may set, by what it stands above. None of them loads
// anything or runs anything.
var (
	blockAttributes     = []string{"class", "dir", "lang", "open", "style", "title"}
	paragraphAttributes = []string{"dir", "lang"}
	pictureAttributes   = []string{"alt", "class", "height", "lang", "style", "title", "width"}
	mediaAttributes     = []string{"class", "controls", "height", "loop", "muted", "style", "title", "width"}
	linkAttributes      = []string{"class", "download", "hreflang", "lang", "rel", "style", "target", "title"}
)

// attributes reads :name value pairs. A value may be quoted; "nil" takes an
// attribute away.
func (w *writer) attributes(n *org.Node, allowed []string) attributes {
	var out attributes
	for _, k := range n.Affiliated() {
		if k.Name() != "ATTR_HTML" {
			continue
		}
		if out == nil {
			out = attributes{}
		}
		for name, value := range attributePairs(k.Value.Text) {
			switch {
			case value == "nil" || !slices.Contains(allowed, name):
				delete(out, name)
			case name == "style" && !safeStyle(value):
				w.report(k.Value.Start, warning, "attribute", "pages load nothing from elsewhere", "the style %q is left out", value)
			default:
				out[name] = value
			}
		}
	}
	return out
}

// attributePairs cuts ":a b c :d e" at its keys.
func attributePairs(text string) map[string]string {
	out := map[string]string{}
	at := attributeKey.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		value := strings.TrimSpace(text[m[1]:end])
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		out[strings.ToLower(text[m[2]:m[3]])] = value
	}
	return out
}

var attributeKey = lazyregexp.New(`(?:^|\s):([A-Za-z][A-Za-z0-9_-]*)(?:\s|$)`)

// safeStyle reports whether a style loads nothing.
func safeStyle(css string) bool {
	lower := strings.ToLower(css)
	return !strings.ContainsAny(lower, `\@<>`) && !strings.Contains(lower, "url(") && !strings.Contains(lower, "image(") && !strings.Contains(lower, "image-set(") && !strings.Contains(lower, "/*")
}
