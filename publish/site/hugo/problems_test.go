package hugo

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"wb/proof/manifest"
)

// problems are what breaks a rule that holds for every site, in the order of its
// files: all its links lead somewhere, it asks nobody for anything, and its pages have
// the landmarks that readers without eyes or mice find their way by.
func problems(files manifest.Files) []string {
	c := checker{files: files, ids: map[string]map[string]bool{}, pages: map[string]*html.Node{}}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if !manifest.IsPage(name) {
			continue
		}
		doc, err := html.Parse(bytes.NewReader(files[name]))
		if err != nil {
			c.say(name, "%v", err)
			continue
		}
		c.pages[name], c.ids[name] = doc, map[string]bool{}
		for n := range doc.Descendants() {
			if id := attr(n, "id"); id != "" {
				if c.ids[name][id] {
					c.say(name, "id %s twice", id)
				}
				c.ids[name][id] = true
			}
		}
	}
	for _, name := range names {
		if doc := c.pages[name]; doc != nil {
			c.links(name, doc)
			c.landmarks(name, doc)
		}
	}
	return c.problems
}

type checker struct {
	files    manifest.Files
	pages    map[string]*html.Node
	ids      map[string]map[string]bool // by page
	problems []string
}

func (c *checker) say(name, format string, args ...any) {
	c.problems = append(c.problems, name+": "+fmt.Sprintf(format, args...))
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && n.Type == html.ElementNode {
			return a.Val
		}
	}
	return ""
}

// loads are the attributes with which a page loads something by itself.
var loads = map[string]string{"img": "src", "script": "src", "source": "src", "iframe": "src", "video": "src", "audio": "src", "object": "data", "embed": "src"}

func (c *checker) links(name string, doc *html.Node) {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if at := attr(n, loads[n.Data]); at != "" {
			c.follow(name, n.Data, at, true)
		}
		href := attr(n, "href")
		switch {
		case href == "":
		case n.Data == "a":
			c.follow(name, "a", href, false)
		case n.Data == "link":
			rel := attr(n, "rel")
			c.follow(name, "link "+rel, href, rel != "canonical" && attr(n, "hreflang") == "")
		}
	}
}

// follow finds where an address leads. What a page loads must be of the site.
func (c *checker) follow(name, what, address string, load bool) {
	u, err := url.Parse(address)
	if err != nil {
		c.say(name, "%s: %v", what, err)
		return
	}
	if u.Scheme != "" || u.Host != "" {
		if load && u.Scheme != "data" {
			c.say(name, "%s asks %s", what, address)
		}
		return
	}
	if strings.HasPrefix(u.Path, "/") && path.Base(name) == "404.html" {
		return // it may be shown at any path
	}
	to := path.Join(path.Dir(name), u.Path)
	if u.Path == "" {
		to = name
	}
	if _, ok := c.files[to]; !ok {
		c.say(name, "%s leads to %s, which is not there", what, address)
		return
	}
	if u.Fragment != "" && manifest.IsPage(to) && !c.ids[to][u.Fragment] {
		c.say(name, "%s leads to %s, which has no such place", what, address)
	}
}

// landmarks: one main, one first heading, a language, named navigation, and a
// link over it all.
func (c *checker) landmarks(name string, doc *html.Node) {
	count := map[string]int{}
	level := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		switch n.Data {
		case "html":
			if attr(n, "lang") == "" {
				c.say(name, "no language")
			}
		case "nav":
			if attr(n, "aria-label") == "" && attr(n, "aria-labelledby") == "" {
				c.say(name, "navigation without a name")
			}
		case "img":
			if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
				c.say(name, "picture without a text")
			}
		case "a":
			if attr(n, "class") == "skip" && !c.ids[name][strings.TrimPrefix(attr(n, "href"), "#")] {
				c.say(name, "the skip link leads nowhere")
			}
		case "h1", "h2", "h3", "h4", "h5", "h6":
			if to := int(n.Data[1] - '0'); inMain(n) {
				if to > level+1 {
					c.say(name, "heading of level %d after one of level %d", to, level)
				}
				level = to
			}
		}
	}
	for what, want := range map[string]int{"main": 1, "h1": 1, "title": 1} {
		if count[what] != want {
			c.say(name, "%d of %s", count[what], what)
		}
	}
}

func inMain(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.Data == "main" {
			return true
		}
	}
	return false
}
