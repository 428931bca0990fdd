package page

import (
	"encoding/base64"
	"html"
	"mime"
	"net/url"
	"path"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/proof/manifest"
)

// schemes are those that links may have; others, javascript: above all, are
// shown as text.
var schemes = map[string]bool{"http": true, "https": true, "mailto": true, "ftp": true, "tel": true, "did": true, "news": true, "irc": true}

var (
	pictureName = lazyregexp.New(`(?i)\.(png|jpe?g|gif|svg|webp|avif)$`)
	videoName   = lazyregexp.New(`(?i)\.(mp4|webm|ogv|m4v)$`)
	audioName   = lazyregexp.New(`(?i)\.(mp3|ogg|oga|opus|wav|m4a|flac)$`)
)

// link writes a link and takes note of it.
func (w *writer) link(n *org.Node) string {
	l, ok := n.Link()
	if !ok {
		return html.EscapeString(n.Text())
	}
	known := w.note(l)
	described := l.Form == org.BracketLink && l.Desc.Present()
	text := html.EscapeString(l.Target.Text)
	switch {
	case l.Type == "file" && path.IsAbs(l.Path): // that of this machine is seen to be one
		text = html.EscapeString("file://" + strings.TrimPrefix(l.Path, "//"))
	case l.Type == "file":
		text = strings.TrimPrefix(text, "file:")
	}
	switch {
	case described:
		text = w.description(l)
	case schemes[l.Type] && !strings.HasPrefix(l.Target.Text, l.Type+":"): // an abbreviation that #+LINK: declares
		text = html.EscapeString(l.Type + ":" + l.Path)
	}
	switch l.Type {
	case "file", "attachment":
		return w.fileLink(l, known, text, described)
	case "id":
		return w.idLink(l, known, text, described)
	case "fuzzy", "custom-id", "coderef":
		return w.internal(n, l, text, described)
	case "radio":
		if a, ok := w.anchors["radio "+foldTitle(l.Path)]; ok {
			return w.anchorElement("#"+a.id, w.inline(n))
		}
		return w.inline(n)
	case "doi":
		address := "https://doi.org/" + strings.TrimPrefix(l.Path, "//")
		if !described {
			text = html.EscapeString(address)
		}
		return w.anchorElement(address, text)
	case "info":
		if !described {
			text = html.EscapeString(l.Path)
		}
		if manual, ok := infoManual(l.Path); ok {
			return w.anchorElement(manual, text)
		}
		return text
	}
	if !schemes[l.Type] {
		return text
	}
	return w.anchorElement(l.Type+":"+l.Path, text) // a picture from elsewhere would be a request: it stays a link
}

// note adds to the page's links.
func (w *writer) note(l org.Link) Link {
	known := Link{Target: l.Target.Text, Kind: l.Type, Path: l.Path, Search: l.Search, Image: w.isPicture(l), Pos: w.text.position(l.Start())}
	if l.Type == "file" {
		known.Path = w.text.relative(l.Start(), l.Path)
	}
	if !w.quiet {
		w.links = append(w.links, known)
	}
	return known
}

// description is a link's text; the name of a picture there is the picture.
func (w *writer) description(l org.Link) string {
	inside := strings.TrimSpace(l.Desc.Text)
	if name, ok := strings.CutPrefix(inside, "file:"); ok || strings.HasPrefix(inside, "./") {
		if pictureName.MatchString(inside) && !strings.ContainsAny(inside, " \n[]") {
			if !ok {
				name = inside
			}
			return w.pictureElement(l.Node, Link{Target: inside, Kind: "file", Path: w.text.relative(l.Start(), name), Image: true, Pos: w.text.position(l.Start())})
		}
	}
	outer := w.inLink
	w.inLink = true
	text := w.inline(l.Node) // in which addresses are text
	w.inLink = outer
	return stripLinks(text)
}

// anchorElement is an <a>, with what #+ATTR_HTML: says of a link.
func (w *writer) anchorElement(href, text string) string {
	if w.inLink {
		return text
	}
	attrs := ""
	if w.current != nil && w.current.Kind() == org.KindParagraph {
		a := w.attributes(w.current, linkAttributes)
		if a["target"] == "_blank" {
			a["rel"] = strings.TrimSpace(a["rel"] + " noopener")
		}
		attrs = a.String()
	}
	text, notes := withoutNotes(text)
	if id, ok := strings.CutPrefix(href, "#"); ok {
		w.led = append(w.led, id)
	}
	return "<a" + attr("href", href) + attrs + ">" + text + "</a>" + notes
}

func anchorTo(href, text string) string {
	return "<a" + attr("href", href) + ">" + text + "</a>"
}

// isPicture reports whether a link is shown as a picture: one beside the
// workbook, without a description.
func (w *writer) isPicture(l org.Link) bool {
	described := l.Form == org.BracketLink && l.Desc.Present()
	return (l.Type == "file" || l.Type == "attachment") && !described && pictureName.MatchString(l.Path)
}

// isMedia reports whether a link is shown rather than followed.
func (w *writer) isMedia(l org.Link) bool {
	described := l.Form == org.BracketLink && l.Desc.Present()
	return w.isPicture(l) || l.Type == "file" && !described && (videoName.MatchString(l.Path) || audioName.MatchString(l.Path))
}

// fileLink leads to the page of another workbook or to a file, or shows a
// picture.
func (w *writer) fileLink(l org.Link, known Link, text string, described bool) string {
	file := path.Clean(known.Path)
	inside := file
	if w.opts.Resolve != nil {
		inside = below(file) // a site may have it there
	}
	switch { // stays with the author
	case manifest.Private(inside) && described:
		return text
	case manifest.Private(inside):
		return "<code>" + text + "</code>"
	}
	switch {
	case known.Image:
		return w.pictureElement(l.Node, known)
	case !described && videoName.MatchString(l.Path):
		return w.media("video", l, known)
	case !described && audioName.MatchString(l.Path):
		return w.media("audio", l, known)
	}
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok {
			if name, isOrg := strings.CutSuffix(text, ".org"); isOrg && !described && !to.Broken {
				text = name + ".html" // what readers get
			}
			return w.toPlace(to, text)
		}
		return w.broken(l.Start(), text, "%s leads nowhere", l.Target.Text)
	}
	if file == baseName(w.file) && l.Search != "" { // [[file:self.org::*Heading]]
		if a, ok := w.search(l.Search); ok {
			return w.anchorElement("#"+a.id, text)
		}
	}
	if w.opts.Read != nil && !path.IsAbs(file) && !strings.HasPrefix(file, "~") && !strings.HasSuffix(file, "/") {
		data, err := w.opts.Read(file)
		if err != nil {
			return w.broken(l.Start(), text, "%s is not there", known.Path)
		}
		if a, ok := w.foreign(file, data, l.Search); ok {
			return w.anchorElement(pageURL(known.Path)+a, text)
		}
		return w.broken(l.Start(), text, "%s has no %s", known.Path, l.Search)
	}
	return w.anchorElement(pageURL(known.Path)+fragmentOf(l.Search), text)
}

// broken reports a link that leads nowhere, unless broken-links: says that such
// are known, and shows its text as one that cannot be followed.
func (w *writer) broken(at int, text, format string, args ...any) string {
	severity := diag.Warning
	if w.set.broken != "nil" {
		severity = diag.Note
	}
	w.report(at, severity, "broken-link", "", format, args...)
	if w.inLink {
		return text
	}
	text, notes := withoutNotes(text)
	return "<a class=\"broken\" role=\"link\" aria-disabled=\"true\"" + attr("title", w.word("This link leads nowhere")) + ">" + text + "</a>" + notes
}

// customType is how links of kinds begin that Emacs packages define.
var customType = lazyregexp.New(`^[a-z][a-z0-9+-]*:[^\s:]`)

// custom shows the text of a link whose kind is not known here.
func (w *writer) custom(l org.Link, text string) string {
	kind, _, _ := strings.Cut(l.Path, ":")
	w.report(l.Start(), diag.Warning, "link-type", "define such links: #+LINK: "+kind+" https://example.org/%s", "unknown kind of link %s", kind)
	return "<span class=\"custom-link\">" + text + "</span>"
}

// toPlace leads to another page. The title says when the place on it is
// missing.
func (w *writer) toPlace(to Destination, text string) string {
	if !to.Broken {
		return w.anchorElement(to.Href, text)
	}
	if w.inLink {
		return text
	}
	text, notes := withoutNotes(text)
	return "<a class=\"broken\"" + attr("href", to.Href) + attr("title", w.word("The page has no such place")) + ">" + text + "</a>" + notes
}

// pageURL is where the page of a workbook, or a file, is found.
func pageURL(file string) string {
	if doc, ok := strings.CutSuffix(file, ".org"); ok {
		file = doc + ".html"
	}
	return (&url.URL{Path: file}).String()
}

// fragmentOf is the anchor that a search makes without a look at the file.
func fragmentOf(search string) string {
	switch {
	case search == "":
		return ""
	case strings.HasPrefix(search, "#"):
		return "#" + url.PathEscape(cleanID(search[1:]))
	}
	return ""
}

// foreign is the anchor of a search in another workbook.
func (w *writer) foreign(file string, data []byte, search string) (fragment string, ok bool) {
	if search == "" || !strings.HasSuffix(file, ".org") {
		return "", true
	}
	id, ok := anchorIn(file, data, search, source{read: w.opts.Read})
	if !ok {
		return "", false
	}
	return "#" + url.PathEscape(id), true
}

// idLink leads to the section that has an ID.
func (w *writer) idLink(l org.Link, known Link, text string, described bool) string {
	if a, ok := w.anchors["id "+l.Path]; ok {
		if !described {
			text = w.undescribed(a, l)
		}
		return w.anchorElement("#"+a.id, text)
	}
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok {
			if name, isOrg := strings.CutSuffix(text, ".org"); isOrg && !described && !to.Broken {
				text = name + ".html" // what readers get
			}
			return w.toPlace(to, text)
		}
	}
	if !described {
		text = html.EscapeString(l.Path)
	}
	return w.broken(l.Start(), text, "no section has the id %s", l.Path)
}

// search finds what follows "::" or stands in a link by itself.
func (w *writer) search(text string) (anchor, bool) {
	if custom, ok := strings.CutPrefix(text, "#"); ok {
		a, ok := w.anchors["#"+custom]
		return a, ok
	}
	folded := foldTitle(strings.TrimPrefix(text, "*"))
	kinds := []string{"target ", "name ", "heading "}
	if strings.HasPrefix(text, "*") {
		kinds = kinds[2:]
	}
	for _, kind := range kinds {
		if a, ok := w.anchors[kind+folded]; ok {
			return a, true
		}
	}
	return anchor{}, false
}

// internal leads to a place of the page; one that is not there is a mistake.
func (w *writer) internal(n *org.Node, l org.Link, text string, described bool) string {
	var a anchor
	var ok bool
	switch l.Type {
	case "custom-id":
		if a, ok = w.anchors["#"+l.Path]; !ok && w.rawIDs[l.Path] {
			a, ok = anchor{id: l.Path}, true
		}
	case "coderef":
		if a, ok = w.anchors["code "+l.Path]; ok {
			label := a.text
			if described { // the label in the description stands for the line
				label = strings.ReplaceAll(text, "("+html.EscapeString(l.Path)+")", a.text)
			}
			return w.anchorElement("#"+a.id, label)
		}
	default:
		a, ok = w.search(l.Path)
		if !ok {
			if label, found := w.equations.Label(strings.TrimSpace(l.Path)); found {
				a, ok = anchor{id: label.ID, text: html.EscapeString(label.Tag)}, true
			}
		}
	}
	if !ok {
		if l.Type == "fuzzy" && customType.MatchString(l.Path) {
			return w.custom(l, text)
		}
		return w.broken(l.Start(), text, "%s leads nowhere", l.Target.Text)
	}
	if !described {
		text = w.undescribed(a, l)
	}
	return w.anchorElement("#"+a.id, text)
}

// undescribed is the text of a link without a description: the number of what
// it leads to, else the heading, else the name.
func (w *writer) undescribed(a anchor, l org.Link) string {
	if a.text != "" {
		return a.text
	}
	if a.node != nil && a.node.Kind() == org.KindHeadline && !w.inLink {
		var title string
		w.silent(func() { title = w.inline(w.doc.Objects(a.node)) })
		return stripNotes(stripLinks(title))
	}
	return a.shownText(l.Path)
}

// pictureElement shows a picture, from the page itself where it can be read.
func (w *writer) pictureElement(n *org.Node, known Link) string {
	element := w.elementOf(n)
	attrs := attributes{}
	if element != nil {
		if a := w.attributes(element, pictureAttributes); a != nil {
			attrs = a
		}
	}
	if _, ok := attrs["alt"]; !ok {
		alt := ""
		if element != nil {
			w.silent(func() { alt = plainText(w.caption(element)) })
		}
		if alt == "" {
			alt = path.Base(known.Path)
			if element == nil || !isResult(element) {
				w.report(n.Start(), diag.Warning, "image-alt", `describe it: #+ATTR_HTML: :alt …`, "the picture %s has no text for readers who cannot see it", known.Path)
			}
		}
		attrs["alt"] = alt
	}
	src, ok := w.picture(known, n)
	if !ok {
		return "<span class=\"missing\" role=\"img\"" + attr("aria-label", attrs["alt"]) + attr("title", w.word("This picture is not there")) + ">" + html.EscapeString(attrs["alt"]) + "</span>"
	}
	return "<img" + attr("src", src) + attrs.String() + ">"
}

// elementOf is the element that an object stands in.
func (w *writer) elementOf(n *org.Node) *org.Node {
	if w.current != nil {
		return w.current
	}
	for a := n; a != nil; a = a.Parent() {
		if a.Kind().IsElement() {
			return a
		}
	}
	return nil
}

// picture is where an image's bytes are: on the site, or in the page. ok is
// false where there are none.
func (w *writer) picture(known Link, n *org.Node) (src string, ok bool) {
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok {
			return to.Href, !to.Broken
		}
	}
	file := path.Clean(known.Path)
	if w.opts.Read == nil { // a site knows what it has
		return (&url.URL{Path: path.Clean(known.Path)}).String(), w.opts.Resolve == nil
	}
	data, err := w.opts.Read(file)
	if err != nil {
		w.complain(n, "missing-image", "%s is not there", known.Path)
		return "", false
	}
	return dataURL(file, data), true
}

func dataURL(file string, data []byte) string {
	kind := mediaTypes[strings.ToLower(path.Ext(file))]
	if kind == "" {
		kind = mime.TypeByExtension(strings.ToLower(path.Ext(file)))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// mediaTypes are the same on every machine, whatever its own tables say.
var mediaTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".webp": "image/webp", ".avif": "image/avif",
	".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav", ".m4a": "audio/mp4", ".flac": "audio/flac"}

// maxMedia is the size up to which sounds and films become part of a page.
const maxMedia = 8 << 20

// media is a film or a sound with controls.
func (w *writer) media(tag string, l org.Link, known Link) string {
	file := path.Clean(known.Path)
	src := ""
	if w.opts.Resolve != nil {
		if to, ok := w.opts.Resolve(known); ok {
			src = to.Href
		}
	}
	if src == "" && w.opts.Read != nil {
		data, err := w.opts.Read(file)
		if err != nil {
			w.complain(l.Node, "missing-image", "%s is not there", known.Path)
			return html.EscapeString(known.Path)
		}
		if len(data) > maxMedia {
			w.report(l.Start(), diag.Warning, "large-media", "a site keeps it beside the page", "%s is larger than %d MiB and stays a link", known.Path, maxMedia>>20)
			return w.anchorElement(known.Path, html.EscapeString(known.Path))
		}
		src = dataURL(file, data)
	}
	if src == "" {
		src = (&url.URL{Path: path.Clean(known.Path)}).String()
	}
	attrs := attributes{}
	if w.current != nil {
		if a := w.attributes(w.current, mediaAttributes); a != nil {
			attrs = a
		}
	}
	if attrs["title"] == "" {
		attrs["title"] = path.Base(known.Path)
	}
	return "<" + tag + attr("src", src) + attrs.without("controls", "loop", "muted").String() + flags(attrs, "loop", "muted") + " controls preload=\"none\"></" + tag + ">"
}

func flags(a attributes, names ...string) string {
	out := ""
	for _, n := range names {
		if _, ok := a[n]; ok {
			out += " " + n
		}
	}
	return out
}
