package page

import (
	"html"
	"net/url"
	"path"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// head collects what #+HTML_HEAD: and #+HTML_HEAD_EXTRA: put into the page's head: styles,
// what describes the page, links to style sheets and icons beside the workbook. What
// would run, or load something from elsewhere, is left out with a warning.
func (w *writer) head() string {
	var out strings.Builder
	for k := range w.doc.Keywords("HTML_HEAD", "HTML_HEAD_EXTRA") {
		out.WriteString(w.headPart(k.Value.Text, k.Value.Start))
	}
	return out.String()
}

// headElements are the attributes of elements that a head may have.
var headElements = map[string][]string{
	"meta": {"name", "property", "content", "media"},
	"link": {"rel", "href", "title", "type", "media", "hreflang", "sizes"},
}

// lookingOnly are relations of links that load nothing.
var lookingOnly = []string{"alternate", "author", "bookmark", "canonical", "help", "license", "me", "next", "prev", "search"}

// headPart is one line of the head.
func (w *writer) headPart(source string, at int) string {
	var out strings.Builder
	tokens := nethtml.NewTokenizer(strings.NewReader(source))
	skip := ""
	for {
		kind := tokens.Next()
		if kind == nethtml.ErrorToken {
			return out.String()
		}
		token := tokens.Token()
		switch {
		case skip == "style" && kind == nethtml.TextToken:
			out.WriteString(w.ownStyle(token.Data, at))
		case kind == nethtml.EndTagToken && token.Data == skip:
			skip = ""
		case skip != "" || kind == nethtml.TextToken || kind == nethtml.EndTagToken || kind == nethtml.CommentToken || kind == nethtml.DoctypeToken:
		case token.Data == "style":
			skip = "style"
		case token.Data == "meta" && !slices.ContainsFunc(token.Attr, func(a nethtml.Attribute) bool { return a.Key == "http-equiv" }):
			out.WriteString(headElement(token))
		case token.Data == "link":
			out.WriteString(w.headLink(token, at))
		default:
			if token.Data == "script" || token.Data == "title" {
				skip = token.Data
			}
			w.rawComplaint(at, "<"+token.Data+">")
		}
	}
}

// headElement is an element of the head with the attributes that it may have.
func headElement(token nethtml.Token) string {
	var out strings.Builder
	out.WriteString("<" + token.Data)
	for _, a := range token.Attr {
		if slices.Contains(headElements[token.Data], a.Key) {
			out.WriteString(attr(a.Key, a.Val))
		}
	}
	return out.String() + ">\n"
}

// headLink is a <link>. A style sheet or an icon is on the site, or in the page.
func (w *writer) headLink(token nethtml.Token, at int) string {
	values := map[string]string{}
	for _, a := range token.Attr {
		values[a.Key] = strings.TrimSpace(a.Val)
	}
	rel := strings.ToLower(values["rel"])
	if slices.Contains(lookingOnly, rel) {
		return headElement(token)
	}
	u, err := url.Parse(values["href"])
	sheet, icon := rel == "stylesheet", strings.Contains(rel, "icon")
	if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") || !sheet && !icon {
		w.rawComplaint(at, "<link rel=\""+rel+"\"> to elsewhere")
		return ""
	}
	known := Link{Target: values["href"], Kind: "file", Path: w.text.relative(at, u.Path), Image: icon, Pos: w.text.position(at)}
	w.links = append(w.links, known)
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok && !to.Broken {
			return "<link" + attr("rel", rel) + attr("href", to.Href) + ">\n"
		}
	}
	if w.opts.Read == nil {
		return ""
	}
	data, err := w.opts.Read(path.Clean(known.Path))
	switch {
	case err != nil:
		w.report(at, diag.Warning, "missing-file", "", "%s is not there", known.Path)
		return ""
	case sheet:
		return w.ownStyle(string(data), at)
	}
	return "<link" + attr("rel", rel) + attr("href", dataURL(known.Path, data)) + ">\n"
}

// foreignStyle matches what a style would load from elsewhere; the page's policy forbids it.
var foreignStyle = lazyregexp.New(`(?i)@import|(?:url\(\s*|image-set\(\s*)["']?\s*(?:https?:|//)`)

// ownStyle is a style of the author's.
func (w *writer) ownStyle(css string, at int) string {
	if m := foreignStyle.FindString(css); m != "" {
		w.report(at, diag.Warning, "raw-html", "keep a copy beside the workbook", "pages load no styles, fonts or pictures from other hosts: %s has no effect", strings.TrimSpace(html.EscapeString(m)))
	}
	return StyleElement(css)
}

// StyleElement is a style as an element of its own, whatever is in it.
func StyleElement(css string) string {
	if strings.TrimSpace(css) == "" {
		return ""
	}
	return "<style>\n" + strings.ReplaceAll(css, "</", `<\/`) + "\n</style>\n"
}

// ignored are settings of ox-html that mean nothing on wb's pages.
var ignored = []string{"HTML_DOCTYPE", "HTML_CONTAINER", "HTML_LINK_HOME", "HTML_LINK_UP", "HTML_MATHJAX", "HTML_CONTENT_CLASS", "HTML_EQUATION_REFERENCE_FORMAT", "INFOJS_OPT", "HTML_COMPAT"}

// ignoredOptions are keys of #+OPTIONS: that mean nothing on wb's pages.
var ignoredOptions = []string{"html-link-use-abs-url", "html-postamble", "html-preamble", "html-scripts", "html-style", "html5-fancy", "html-self-link-headlines", "inline", "timestamp", "creator", "expand-links", "html-use-infojs"}

// nameIgnored says once for each setting that it is known and has no effect.
func (w *writer) nameIgnored() {
	told := map[string]bool{}
	tell := func(at int, what string) {
		if !told[what] {
			told[what] = true
			w.report(at, diag.Note, "no-effect", "", "%s has no effect on wb's pages", what)
		}
	}
	for k := range w.doc.Keywords(ignored...) {
		tell(k.Key.Start, "#+"+k.Name())
	}
	for k := range w.doc.Keywords("OPTIONS") {
		for _, m := range optionForm.FindAllStringSubmatch(k.Value.Text, -1) {
			if slices.Contains(ignoredOptions, m[1]) {
				tell(k.Value.Start, "#+OPTIONS: "+m[1])
			}
		}
	}
}
