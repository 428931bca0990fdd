package page

import (
	"html"
	"maps"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// attributes are the #+ATTR_HTML: attributes of an element, reduced to those that may
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
	blockAttributes   = []string{"class", "dir", "id", "lang", "open", "role", "style", "title"}
	pictureAttributes = []string{"alt", "class", "height", "lang", "style", "title", "width"}
	mediaAttributes   = []string{"class", "controls", "height", "loop", "muted", "style", "title", "width"}
	linkAttributes    = []string{"class", "download", "hreflang", "lang", "rel", "style", "target", "title"}
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
			case value == "nil" || !slices.Contains(allowed, name) && !isFreeAttribute(name):
				delete(out, name)
			case name == "id":
				if id := w.ownID(value, k.Value.Start); id != "" {
					out[name] = id
				}
			case name == "style" && !safeStyle(value):
				w.report(k.Value.Start, warning, "attribute", "pages load nothing from other hosts", "the style %q is left out", value)
			default:
				out[name] = value
			}
		}
	}
	return out
}

// isFreeAttribute reports whether an attribute may stand on any element and does
// nothing by itself.
func isFreeAttribute(name string) bool {
	return strings.HasPrefix(name, "aria-") || strings.HasPrefix(name, "data-") && name != "data-wb"
}

// ownID is an id that the author gives, "" when it is taken. The same line is read
// for the paragraph and for the link in it.
func (w *writer) ownID(value string, at int) string {
	if w.given[at] == value {
		return value
	}
	if value == "" || cleanID(value) != value || w.ids[value] {
		w.report(at, warning, "duplicate-id", "links would lead only to the first one", "the id %s is used twice", value)
		return ""
	}
	if w.given == nil {
		w.given = map[int]string{}
	}
	w.given[at] = value
	return w.take(value)
}

// decorated puts what #+ATTR_HTML: says into the first tag of an element's HTML. A
// class comes on top of those that are there; the element's own id stays.
func (w *writer) decorated(n *org.Node, body string) string {
	a := w.attributes(n, blockAttributes)
	at := firstTag.FindStringSubmatchIndex(body)
	if len(a) == 0 || at == nil {
		return body
	}
	tag := body[at[0] : at[1]-1]
	if class := a["class"]; class != "" && strings.Contains(tag, " class=\"") {
		tag = strings.Replace(tag, " class=\"", " class=\""+html.EscapeString(class)+" ", 1)
		a = a.without("class")
	}
	for name := range a {
		if strings.Contains(tag, " "+name+"=\"") {
			a = a.without(name)
		}
	}
	return body[:at[0]] + tag + a.String() + body[at[1]-1:]
}

var firstTag = lazyregexp.New(`^<[a-z][a-z0-9]*(?:\s[^<>]*)?>`)

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
