package compile

import "context"

// Citations writes citations and bibliographies by styles of the Citation Style
// Language (CSL).
type Citations interface {
	// Cite writes all citations of one document. An error means that there is no
	// processor here, or that the style is not one.
	Cite(ctx context.Context, doc *CitedDocument) (*Cited, error)
	// Style is the text of a style: own, or where that is "" the one of a name in
	// the repository of styles, such as "apa". One that only points to another is
	// that one.
	Style(ctx context.Context, name, own string) (string, error)
}

// CitedDocument is what a document cites, in the order of its text.
type CitedDocument struct {
	Style     string                    `json:"style"` // XML
	Lang      string                    `json:"lang"`  // of a style that has none of its own: "de"
	Items     map[string]map[string]any `json:"items"` // works in CSL-JSON, by key
	Anchors   map[string]string         `json:"anchors"`
	Citations []Citation                `json:"citations"`
	Uncited   []string                  `json:"uncited"` // keys that only the bibliography has
}

// Citation is one citation of a text. Prefixes and suffixes may have <i>, <b>,
// <sup> and <sub>.
type Citation struct {
	Items []CitedItem `json:"items"`
	// Mode is "", or what is shown of the first item: author, noauthor, year, text,
	// title, bibentry or locators.
	Mode string `json:"mode"`
	Bare bool   `json:"bare"` // without the parentheses of the style
	Caps bool   `json:"caps"` // begins with a capital
	Full bool   `json:"full"` // names all authors
	Note int    `json:"note"` // the number of the footnote it stands in
}

// CitedItem is a work in a citation.
type CitedItem struct {
	ID      string `json:"id"`
	Prefix  string `json:"prefix,omitempty"`
	Suffix  string `json:"suffix,omitempty"`
	Locator string `json:"locator,omitempty"` // "12-14"
	Label   string `json:"label,omitempty"`   // what the locator counts: "page"
}

// Cited is a document's citations and its bibliography as HTML.
type Cited struct {
	Citations []string     `json:"citations"`
	Entries   []CitedEntry `json:"entries"`
	Hanging   bool         `json:"hanging"` // lines of an entry after the first are indented
	Margin    bool         `json:"margin"`  // entries have a label in the margin
}

// CitedEntry is a work in the bibliography.
type CitedEntry struct {
	ID   string `json:"id"`
	HTML string `json:"html"`
}

// Citations writes by styles of CSL; nil where the registry has nothing for it.
func (r *Registry) Citations() Citations {
	if r == nil {
		return nil
	}
	return r.citations
}

// WriteCitations makes c what [Registry.Citations] returns.
func (r *Registry) WriteCitations(c Citations) { r.citations = c }
