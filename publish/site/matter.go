package site

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/org"
	"wb/proof/manifest"
)

// matter is what hugo calls front matter: what a document says about its page, besides
// what Org's exporters read. Each keyword may have hugo's own spelling for org files,
// #+ALIASES[]:, or that of ox-hugo, #+HUGO_ALIASES:.
type matter struct {
	draft   bool
	from    time.Time // the page is for readers from then on; zero is always
	until   time.Time // and not from then on; zero is for ever
	noindex bool      // search engines are asked to leave it out
	silent  bool      // no comments below it
	series  string
	part    int // its number in the series, 0 when dates say it
	terms   map[string][]string
	aliases []placed
}

// matterKeywords are those that [readMatter] knows, but for DATE.
var matterKeywords = []string{"DRAFT", "PUBLISHDATE", "EXPIRYDATE", "NOINDEX", "COMMENTS", "SERIES", "SERIES_PART", "ALIASES"}

// readMatter reads a document's front matter. taxonomies are the keywords that group
// pages besides; now is when the page is made, in the time zone that dates are in.
func readMatter(file string, src []byte, taxonomies []string, now time.Time) (m matter) {
	if !mayHaveMatter(src, taxonomies, now) {
		return m
	}
	doc := org.Parse(src)
	for k := range doc.Keywords() {
		name, value := matterName(k.Name()), strings.TrimSpace(k.Value.Text)
		switch name {
		case "DRAFT":
			m.draft = isYes(value)
		case "DATE":
			if m.from.IsZero() {
				m.from = dayOf(value, now)
			}
		case "PUBLISHDATE":
			m.from = dayOf(value, now)
		case "EXPIRYDATE":
			m.until = dayOf(value, now)
		case "NOINDEX":
			m.noindex = isYes(value)
		case "COMMENTS":
			m.silent = !isYes(value)
		case "SERIES":
			m.series = strings.Trim(value, `"`)
		case "SERIES_PART":
			m.part, _ = strconv.Atoi(value) // what is no number leaves it to the dates
		case "ALIASES":
			m.alias(value, position(file, doc, k.Value.Start))
		default:
			if slices.Contains(taxonomies, name) {
				if m.terms == nil {
					m.terms = map[string][]string{}
				}
				m.terms[name] = append(m.terms[name], listOf(value)...)
			}
		}
	}
	for _, name := range []string{"ALIASES", "EXPORT_HUGO_ALIASES"} {
		if value, ok := doc.Property(doc.Root(), name); ok {
			m.alias(value, diag.Position{File: file, Line: 1, Col: 1})
		}
	}
	return m
}

func (m *matter) alias(value string, at diag.Position) {
	for _, name := range listOf(value) {
		m.aliases = append(m.aliases, placed{name, at})
	}
}

// mayHaveMatter is what is asked before a document is parsed for its front matter.
// Nearly every document has a date, so one that is past does not count.
func mayHaveMatter(src []byte, taxonomies []string, now time.Time) bool {
	if containsAny(src, ":ALIASES:", ":aliases:", ":EXPORT_HUGO_ALIASES:") {
		return true
	}
	for name, value := range keywordLines(src) {
		name = matterName(strings.ToUpper(name))
		if slices.Contains(matterKeywords, name) || slices.Contains(taxonomies, name) || name == "DATE" && dayOf(value, now).After(now) {
			return true
		}
	}
	return false
}

// keywordLines are the names and values of what looks like keywords, be they in blocks.
func keywordLines(src []byte) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := src; ; {
			_, after, found := bytes.Cut(rest, []byte("#+"))
			if !found {
				return
			}
			line, next, _ := bytes.Cut(after, []byte("\n"))
			name, value, isKeyword := bytes.Cut(line, []byte(":"))
			if isKeyword && len(name) < maxKeyword && !yield(string(name), string(value)) {
				return
			}
			rest = next
		}
	}
}

// maxKeyword is longer than the name of any keyword that matters here.
const maxKeyword = 40

// matterName is the name of a keyword without what hugo's org files and ox-hugo add.
func matterName(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "HUGO_"), "[]")
}

func isYes(value string) bool {
	return slices.Contains([]string{"t", "true", "yes"}, strings.ToLower(value))
}

// dayOf reads a date in the time zone of now; zero when it is none.
func dayOf(text string, now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, isoDate(text))
	if err != nil {
		return time.Time{}
	}
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
}

// listOf reads values separated by commas or, without any, by blanks; "quoted ones"
// may have blanks.
func listOf(text string) (out []string) {
	quoted, comma := false, strings.Contains(text, ",")
	for _, v := range strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ',' || !comma && r <= ' ')
	}) {
		if v = strings.Trim(v, "\" \t"); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// Ask says which documents become pages.
type Ask struct {
	// Now is the time at which documents are due; zero asks no document for its date.
	Now time.Time `json:"now,omitzero"`
	// Drafts, Future and Expired take documents that are left out otherwise.
	Drafts  bool `json:"drafts,omitempty"`
	Future  bool `json:"future,omitempty"`
	Expired bool `json:"expired,omitempty"`
}

// Why documents are left out.
const (
	notText   = "no text"
	notListed = "not in " + NavFile
	aDraft    = "a draft"
	tickets   = "tickets, which a line of " + NavFile + " publishes"
)

// leftOut says why a document is not for readers now, "" if it is, and notes when that
// changes.
func (p *Project) leftOut(m *matter) string {
	day := func(t time.Time) string {
		if t.Hour()+t.Minute() > 0 {
			return t.Format("2006-01-02 15:04")
		}
		return t.Format(time.DateOnly)
	}
	switch now := p.ask.Now; {
	case m.draft && !p.ask.Drafts:
		return aDraft
	case now.IsZero():
	case now.Before(m.from) && !p.ask.Future:
		p.changes(m.from)
		return "not before " + day(m.from)
	case !m.until.IsZero() && !now.Before(m.until) && !p.ask.Expired:
		return "expired on " + day(m.until)
	case now.Before(m.until) && !p.ask.Expired:
		p.changes(m.until)
	}
	return ""
}

// changes notes that other documents are for readers from a time on.
func (p *Project) changes(at time.Time) {
	if p.Until.IsZero() || at.Before(p.Until) {
		p.Until = at
	}
}

// readAliases finds the addresses that pages had before: each becomes a page that
// leads to the present one.
func (p *Project) readAliases() {
	taken := map[string]string{}
	for _, d := range p.Documents {
		d.aliases = nil
		taken[strings.ToLower(d.Page)] = d.Path
	}
	for _, d := range p.Documents {
		for _, a := range d.matter.aliases {
			name := aliasPath(d, p.Config.prefixOf(d.Lang), a.value)
			low := strings.ToLower(name)
			switch {
			case low == strings.ToLower(d.Page) || slices.Contains(d.aliases, name):
			case !manifest.SafePath(name) || manifest.Private(name) || Generated(name):
				p.mind(a.pos, diag.Warning, "alias", "#+ALIASES: /old/name.html", "%s cannot be an address of a page", a.value)
			case taken[low] != "":
				p.mind(a.pos, diag.Warning, "alias", "an address leads to one page", "%s is already the address of %s", a.value, taken[low])
			default:
				taken[low] = d.Path
				d.aliases = append(d.aliases, name)
			}
		}
	}
}

// aliasPath is the file of an alias, as hugo names it: from the directory of the pages
// in its language or, without a slash in front, from the page's; a directory's is its
// index.html.
func aliasPath(d *Document, prefix, alias string) string {
	name := path.Join(path.Dir(d.Page), alias)
	if strings.HasPrefix(alias, "/") {
		name = strings.TrimPrefix(path.Join("/", prefix, alias), "/")
	}
	if ext := path.Ext(name); ext != ".html" && ext != ".htm" {
		name = path.Join(name, HomePage)
	}
	return name
}
