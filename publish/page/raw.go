package page

import (
	"cmp"
	"html"
	"net/url"
	"path"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"wb/internal/diag"
)

// HTML that the author writes (#+begin_export html, #+HTML:, @@html:…@@) may
// do what org cannot say, and no more: elements that structure and mark up
// text, with attributes that neither run nor load anything. A page is signed
// and its readers trust what signed it, so scripts, styles for the whole page,
// frames, forms, event handlers and whatever comes from elsewhere are left
// out, with a warning. Tags need not be balanced in one piece (an opening and
// a closing snippet may stand around org text): a page with HTML of its
// author's is parsed and written anew, so that it nests.

// allowedElements are those an author may write.
var allowedElements = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup data dd del details dfn div dl dt em
		figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark meter nav ol p picture pre progress q rp rt ruby s samp section small span strong
		sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr video audio source track
		svg g path rect circle ellipse line polyline polygon text tspan defs marker lineargradient radialgradient stop desc clippath use
		math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd`) {
		m[name] = true
	}
	return m
}()

// dropped are elements whose content goes with them.
var dropped = map[string]bool{"script": true, "style": true, "title": true, "textarea": true, "noscript": true, "iframe": true, "object": true, "embed": true,
	"noembed": true, "noframes": true, "xmp": true, "plaintext": true, "template": true, "select": true, "foreignobject": true}

// allowedAttributes are those of any element; aria-… and data-… too.
var allowedAttributes = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`abbr align alt cite class colspan controls datetime dir height headers hidden id lang loop max min muted open reversed role rowspan scope span start style
		tabindex title translate type value width display mathvariant stretchy displaystyle scriptlevel fence form lspace rspace minsize maxsize movablelimits accent linethickness encoding
		viewbox d x y x1 y1 x2 y2 cx cy r rx ry points transform fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray opacity
		text-anchor dominant-baseline font-size font-family font-weight offset stop-color stop-opacity gradientunits preserveaspectratio marker-end marker-start refx refy orient markerwidth markerheight clip-path dx dy kind srclang label xmlns`) {
		m[name] = true
	}
	return m
}()

// rawHTML is the author's HTML without what may not stand in a page.
func (w *writer) rawHTML(source string, offset int) string {
	if w.quiet {
		return ""
	}
	w.raw = true
	var out strings.Builder
	tokens := nethtml.NewTokenizer(strings.NewReader(source))
	skip, depth := "", 0
	at := offset
	for {
		kind := tokens.Next()
		if kind == nethtml.ErrorToken {
			return out.String()
		}
		here := at
		at += len(tokens.Raw())
		token := tokens.Token()
		if skip != "" {
			switch {
			case kind == nethtml.StartTagToken && token.Data == skip:
				depth++
			case kind == nethtml.EndTagToken && token.Data == skip:
				if depth--; depth == 0 {
					skip = ""
				}
			}
			continue
		}
		switch kind {
		case nethtml.TextToken:
			out.WriteString(html.EscapeString(token.Data))
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			switch {
			case dropped[token.Data]:
				w.rawComplaint(here, "<"+token.Data+">")
				if kind == nethtml.StartTagToken && token.Data != "embed" {
					skip, depth = token.Data, 1
				}
			case !allowedElements[token.Data]:
				w.rawComplaint(here, "<"+token.Data+">")
			default:
				w.rawTag(&out, token, kind == nethtml.SelfClosingTagToken, here)
			}
		case nethtml.EndTagToken:
			if allowedElements[token.Data] {
				out.WriteString("</" + token.Data + ">")
			}
			if token.Data == "a" {
				w.rawLink = false
			}
		}
	}
}

func (w *writer) rawComplaint(at int, what string) {
	w.report(at, diag.Warning, "raw-html", "pages run and load nothing but what the workbook itself makes", "%s is left out of the author's HTML", what)
}

// rawTag writes a start tag with the attributes that may stay.
func (w *writer) rawTag(out *strings.Builder, token nethtml.Token, closed bool, at int) {
	if token.Data == "img" && w.rawElsewhere(out, token, at) {
		return
	}
	if token.Data == "a" {
		w.rawLink = true
	}
	out.WriteString("<" + token.Data)
	for _, a := range token.Attr {
		value, ok := w.rawAttribute(token.Data, strings.ToLower(a.Key), a.Val, at)
		if ok {
			out.WriteString(attr(strings.ToLower(a.Key), value))
		}
	}
	if closed {
		out.WriteString("/")
	}
	out.WriteString(">")
}

// rawAttribute is the value that an attribute may have.
func (w *writer) rawAttribute(element, name, value string, at int) (string, bool) {
	switch {
	case name == "id":
		if w.ids[value] || cleanID(value) != value || value == "" {
			w.report(at, diag.Warning, "duplicate-id", "links would lead only to the first one", "the id %s is used twice", value)
			return "", false
		}
		if w.rawIDs == nil {
			w.rawIDs = map[string]bool{}
		}
		w.rawIDs[value] = true
		return w.take(value), true
	case name == "style" && !safeStyle(value):
	case (name == "fill" || name == "stroke" || name == "clip-path" || strings.HasPrefix(name, "marker")) && strings.Contains(strings.ToLower(value), "url(") && !strings.HasPrefix(strings.TrimSpace(value), "url(#"):
	case name == "href" && element == "a":
		if u, err := url.Parse(strings.TrimSpace(value)); err == nil && (u.Scheme == "" || schemes[u.Scheme]) {
			return w.rawAddress(u, value, at)
		}
	case name == "href" && element == "use" && strings.HasPrefix(value, "#"):
		return value, true
	case name == "src" || name == "poster":
		return w.rawSource(value, at)
	case element == "a" && (name == "rel" || name == "target" && value != "_blank"):
		return value, true
	case allowedAttributes[name] || strings.HasPrefix(name, "aria-") || strings.HasPrefix(name, "data-") && name != "data-wb":
		return value, true
	}
	w.rawComplaint(at, name+" of <"+element+">")
	return "", false
}

// rawElsewhere writes a picture of another server as a link to it, as org's own
// are: pages ask nobody else for anything. In a link it is its text.
func (w *writer) rawElsewhere(out *strings.Builder, token nethtml.Token, at int) bool {
	var source, alt string
	for _, a := range token.Attr {
		switch a.Key {
		case "src":
			source = strings.TrimSpace(a.Val)
		case "alt":
			alt = strings.TrimSpace(a.Val)
		}
	}
	u, err := url.Parse(source)
	if err != nil || u.Host == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	w.report(at, diag.Warning, "raw-html", "save it beside the document: pages load nothing from elsewhere", "%s is a picture of another server: a link leads to it", source)
	text := cmp.Or(alt, path.Base(u.Path))
	if w.rawLink || w.inLink {
		out.WriteString("<span class=\"elsewhere\">" + html.EscapeString(text) + "</span>")
		return true
	}
	w.links = append(w.links, Link{Target: source, Kind: cmp.Or(u.Scheme, "https"), Path: source, Pos: w.text.position(at)})
	out.WriteString("<a class=\"elsewhere\"" + attr("href", source) + ">" + html.EscapeString(text) + "</a>")
	return true
}

// rawAddress is where a link of the author's HTML leads. A file of the site is
// published with it.
func (w *writer) rawAddress(u *url.URL, value string, at int) (string, bool) {
	known := Link{Target: value, Kind: cmp.Or(u.Scheme, "https"), Path: value, Pos: w.text.position(at)}
	here := u.Scheme == "" && u.Host == "" && u.Path != ""
	if here {
		known.Kind, known.Path = "html", w.rawPath(u, at)
	}
	w.links = append(w.links, known)
	if !here || w.opts.Resolve == nil {
		return value, true
	}
	to, ok := w.opts.Resolve(known)
	if !ok {
		return value, true
	}
	rest := url.URL{RawQuery: u.RawQuery, Fragment: u.Fragment, RawFragment: u.RawFragment}
	return to.Href + rest.String(), !to.Broken
}

// rawPath is the path in an address, from the document or, with a slash, from
// the host.
func (w *writer) rawPath(u *url.URL, at int) string {
	if path.IsAbs(u.Path) {
		return u.Path
	}
	return w.text.relative(at, u.Path)
}

// rawSource is a picture's address when it is beside the workbook or in the
// page already.
func (w *writer) rawSource(value string, at int) (string, bool) {
	for _, kind := range []string{"data:image/", "data:audio/", "data:video/"} {
		if strings.HasPrefix(value, kind) {
			return value, true
		}
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "" || u.Host != "" {
		w.rawComplaint(at, "src from elsewhere")
		return "", false
	}
	known := Link{Target: value, Kind: "html", Path: w.rawPath(u, at), Image: true, Pos: w.text.position(at)}
	w.links = append(w.links, known)
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok {
			return to.Href, !to.Broken
		}
	}
	if w.opts.Read == nil {
		return value, !path.IsAbs(known.Path)
	}
	data, err := w.opts.Read(path.Clean(known.Path))
	if err != nil || path.IsAbs(known.Path) {
		w.report(at, diag.Warning, "missing-image", "", "%s is not there", known.Path)
		return "", false
	}
	return dataURL(known.Path, data), true
}

// balanced parses HTML and writes it anew, so that it nests.
func balanced(body string) string {
	context := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := nethtml.ParseFragment(strings.NewReader(body), context)
	if err != nil {
		return "<pre tabindex=\"0\">" + html.EscapeString(body) + "</pre>\n"
	}
	var out strings.Builder
	for _, n := range nodes {
		if err := nethtml.Render(&out, n); err != nil {
			return "<pre tabindex=\"0\">" + html.EscapeString(body) + "</pre>\n"
		}
	}
	return out.String()
}
