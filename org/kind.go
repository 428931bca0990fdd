package org

// Kind says what a [Node] is. Kinds come in three groups: containers have
// children that tile them, leaves own bytes, and objects appear only in the
// trees that [Document.Objects] returns.
type Kind uint8

// Containers and elements. An element marked "leaf" has no children unless
// affiliated keywords stand above it; then its children are those keywords
// and one [KindText] leaf with the element's own lines.
const (
	KindDocument       Kind = iota // the root: everything
	KindHeadline                   // a headline, its body and its sub-headlines
	KindPropertyDrawer             // :PROPERTIES: directly below a headline or at the top of the file
	KindDrawer                     // any other :NAME: … :END:, LOGBOOK included
	KindSrcBlock                   // #+begin_src
	KindExampleBlock               // #+begin_example
	KindExportBlock                // #+begin_export
	KindCommentBlock               // #+begin_comment
	KindVerseBlock                 // #+begin_verse; its body holds objects
	KindQuoteBlock                 // #+begin_quote; its body holds elements
	KindCenterBlock                // #+begin_center; its body holds elements
	KindSpecialBlock               // #+begin_ANYTHING; its body holds elements
	KindDynamicBlock               // #+begin: NAME; its body holds elements
	KindTable                      // rows, rules and #+TBLFM: lines
	KindTableEl                    // a table.el table: leaf
	KindList                       // items, and blank lines between them
	KindItem                       // a marker, then elements
	KindFootnote                   // a footnote definition: a marker, then elements
	KindParagraph                  // leaf
	KindKeyword                    // #+KEY: value that belongs to no element: leaf
	KindCall                       // #+call: leaf
	KindFixedWidth                 // lines that start with ": ": leaf
	KindComment                    // lines that start with "# ": leaf
	KindRule                       // -----: leaf
	KindLatexEnv                   // \begin{x} … \end{x}: leaf
	KindDiarySexp                  // %%(…): leaf
	KindClock                      // CLOCK: line: leaf
	KindPlanning                   // SCHEDULED, DEADLINE, CLOSED below a headline: leaf
)

// Leaves that are parts of an element.
const (
	KindBlank          Kind = iota + 40 // one or more blank lines between elements
	KindHeadlineLine                    // the line of a headline, stars to line end
	KindAffiliated                      // #+NAME:, #+CAPTION:, #+HEADER:, #+RESULTS:, #+ATTR_X: above an element
	KindText                            // the element's own lines, or plain text between objects
	KindBlockBegin                      // #+begin_… line
	KindBlockBody                       // raw body of a src, example, export, comment or verse block
	KindBlockEnd                        // #+end_… line
	KindDrawerBegin                     // :NAME: line
	KindDrawerEnd                       // :END: line
	KindProperty                        // :KEY: value line of a property drawer
	KindTableRow                        // | a | b | line
	KindTableRule                       // |---+---| line
	KindTableFormula                    // #+TBLFM: line
	KindItemMarker                      // bullet, counter, checkbox and tag of an item
	KindFootnoteMarker                  // [fn:label] of a definition
)

// Objects: parsed on request by [Document.Objects].
const (
	KindObjects       Kind = iota + 70 // root of an object tree
	KindBold                           // *x*
	KindItalic                         // /x/
	KindUnderline                      // _x_
	KindStrike                         // +x+
	KindVerbatim                       // =x=
	KindCode                           // ~x~
	KindLink                           // [[x][y]], <http:x>, http://x
	KindTarget                         // <<x>>
	KindRadioTarget                    // <<<x>>>
	KindTimestamp                      // <2026-01-01 Thu>, [2026-01-01 Thu], ranges
	KindFootnoteRef                    // [fn:x], [fn:x:text], [fn::text]
	KindMacro                          // {{{name(args)}}}
	KindCitation                       // [cite:…]
	KindCitationRef                    // @key in a citation
	KindEntity                         // \alpha
	KindLatexFragment                  // $x$, \(x\), \[x\], \cmd{x}
	KindCookie                         // [1/3], [33%]
	KindLineBreak                      // \\ at the end of a line
	KindSubscript                      // a_b
	KindSuperscript                    // a^b
	KindInlineSrc                      // src_lang[args]{code}
	KindInlineCall                     // call_name[args](args)[args]
	KindExportSnippet                  // @@backend:x@@
	KindCitationText                   // common prefix or suffix of a citation
	KindTableCell                      // one field of a table row, up to and with its bar
	KindMarkup                         // leaf: the delimiters of an object that holds others
)

var kindNames = map[Kind]string{
	KindDocument: "document", KindHeadline: "headline", KindPropertyDrawer: "property-drawer",
	KindDrawer: "drawer", KindSrcBlock: "src-block", KindExampleBlock: "example-block",
	KindExportBlock: "export-block", KindCommentBlock: "comment-block", KindVerseBlock: "verse-block",
	KindQuoteBlock: "quote-block", KindCenterBlock: "center-block", KindSpecialBlock: "special-block",
	KindDynamicBlock: "dynamic-block", KindTable: "table", KindTableEl: "table.el", KindList: "plain-list",
	KindItem: "item", KindFootnote: "footnote-definition", KindParagraph: "paragraph",
	KindKeyword: "keyword", KindCall: "babel-call", KindFixedWidth: "fixed-width",
	KindComment: "comment", KindRule: "horizontal-rule", KindLatexEnv: "latex-environment",
	KindDiarySexp: "diary-sexp", KindClock: "clock", KindPlanning: "planning",

	KindBlank: "blank", KindHeadlineLine: "headline-line", KindAffiliated: "affiliated", KindText: "text",
	KindBlockBegin: "block-begin", KindBlockBody: "block-body", KindBlockEnd: "block-end",
	KindDrawerBegin: "drawer-begin", KindDrawerEnd: "drawer-end", KindProperty: "node-property",
	KindTableRow: "table-row", KindTableRule: "table-rule", KindTableFormula: "table-formula",
	KindItemMarker: "item-marker", KindFootnoteMarker: "footnote-marker",

	KindObjects: "objects", KindBold: "bold", KindItalic: "italic", KindUnderline: "underline",
	KindStrike: "strike-through", KindVerbatim: "verbatim", KindCode: "code", KindLink: "link",
	KindTarget: "target", KindRadioTarget: "radio-target", KindTimestamp: "timestamp",
	KindFootnoteRef: "footnote-reference", KindMacro: "macro", KindCitation: "citation",
	KindCitationRef: "citation-reference", KindEntity: "entity", KindLatexFragment: "latex-fragment",
	KindCookie: "statistics-cookie", KindLineBreak: "line-break", KindSubscript: "subscript",
	KindSuperscript: "superscript", KindInlineSrc: "inline-src-block",
	KindInlineCall: "inline-babel-call", KindExportSnippet: "export-snippet",
	KindCitationText: "citation-text", KindTableCell: "table-cell", KindMarkup: "markup",
}

// String returns the name org-element gives the kind where it has one, such
// as "src-block" or "plain-list".
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return "unknown"
}

// IsBlock reports whether k is one of the #+begin … #+end constructs.
func (k Kind) IsBlock() bool { return k >= KindSrcBlock && k <= KindDynamicBlock }

// IsElement reports whether k is an element: something that stands on lines
// of its own and may be a child of a headline, an item or a quote block.
func (k Kind) IsElement() bool { return k >= KindPropertyDrawer && k <= KindPlanning && k != KindItem }

// IsObject reports whether k appears inside lines of text only.
func (k Kind) IsObject() bool { return k > KindObjects }

// holdsRaw reports whether a block's body is one raw leaf.
func (k Kind) holdsRaw() bool { return k >= KindSrcBlock && k <= KindVerseBlock }
