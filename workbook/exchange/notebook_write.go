package exchange

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// ToNotebook translates org into a Jupyter notebook. Source blocks in the
// document's main language, those that do not stand inside a list or quote,
// become code cells; read gives the content of files that results link to.
func ToNotebook(src []byte, read func(name string) ([]byte, error)) ([]byte, error) {
	ends, body := lineEnds(string(src))
	doc := org.ParseString(strings.ReplaceAll(body, "\r\n", "\n"))
	w := &notebookWriter{doc: doc, read: read, lang: mainLanguage(doc), nb: &Notebook{Format: 4, Minor: 4}, born: true}
	for range doc.Keywords("NB_NOTEBOOK") {
		w.born = false
	}
	w.walk(doc.Root())
	w.prose(len(doc.Source()))
	if w.nb.Metadata == nil {
		w.nb.Metadata = metadataOf(w.lang)
	}
	if w.born {
		w.nb.Metadata = withMember(w.nb.Metadata, "wb", docOrigin{Lang: w.lang, Ends: ends, Below: w.blanks})
	}
	return w.nb.bytes()
}

// mainLanguage is the language that the first #+NB_NOTEBOOK: names, else the
// one of most source blocks.
func mainLanguage(doc *org.Document) string {
	for k := range doc.Keywords("NB_NOTEBOOK") {
		if _, meta, ok := strings.Cut(k.Value.Text, " "); ok {
			return (&Notebook{Metadata: json.RawMessage(meta)}).language()
		}
	}
	counts, best := map[string]int{}, "python"
	for b := range doc.Blocks(org.KindSrcBlock) {
		lang := b.Lang.Text
		counts[lang]++
		if counts[lang] > counts[best] {
			best = lang
		}
	}
	return best
}

type notebookWriter struct {
	doc   *org.Document
	read  func(string) ([]byte, error)
	lang  string
	nb    *Notebook
	start int      // of prose that no cell holds yet
	note  cellNote // of the prose cell under way
	noted bool
	// born says that the document was not made of a notebook: its cells note
	// what leads back to the same bytes.
	born   bool
	blanks int // blank lines above the next cell
	passed int // code blocks that are part of the prose under way
}

// walk visits elements that stand by themselves, in source order.
func (w *notebookWriter) walk(n *org.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case org.KindHeadline:
			w.walk(c)
		case org.KindKeyword:
			w.keyword(c)
		case org.KindSrcBlock:
			if b, _ := c.Block(); b.Lang.Text == w.lang {
				if w.noted && w.note.Blocks > w.passed {
					w.passed++
					continue
				}
				w.prose(c.Start())
				w.start = c.End()
				w.code(b)
			}
		case org.KindExportBlock:
			if b, _ := c.Block(); b.Lang.Text == "raw" && attribute(c) != "" {
				w.prose(c.Start())
				w.start = c.End()
				cell := noteCell(attribute(c))
				cell.Source = sourceAsWas(attribute(c), strings.TrimSuffix(org.Unescape(w.doc.Text(b.Body)), "\n"))
				w.add(cell, cellOrigin{})
			}
		}
		if isResult(c) && c.Start() >= w.start && len(w.nb.Cells) > 0 && w.blankSince(c.Start()) {
			w.result(w.doc.Source()[w.start:c.End()])
			w.start = c.End()
		}
	}
}

// blankSince reports whether nothing stands between the last cell and here.
func (w *notebookWriter) blankSince(at int) bool {
	return strings.TrimSpace(w.doc.Source()[w.start:at]) == "" && w.nb.Cells[len(w.nb.Cells)-1].Kind == "code"
}

func isResult(n *org.Node) bool {
	for _, k := range n.Affiliated() {
		if k.Name() == "RESULTS" {
			return true
		}
	}
	if k, ok := n.Keyword(); ok && n.Kind() == org.KindKeyword {
		return strings.EqualFold(k.Key.Text, "RESULTS")
	}
	return false
}

// keyword reads the lines that FromNotebook wrote.
func (w *notebookWriter) keyword(n *org.Node) {
	line := strings.TrimSpace(n.Text())
	switch {
	case strings.HasPrefix(line, headMark):
		w.prose(n.Start())
		format, meta, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, headMark)), " ")
		fmt.Sscanf(format, "%d.%d", &w.nb.Format, &w.nb.Minor)
		if json.Valid([]byte(meta)) {
			w.nb.Metadata = json.RawMessage(meta)
		}
		w.start = n.End()
	case strings.HasPrefix(line, "#+PROPERTY: header-args:"+w.lang+" :session notebook") && strings.TrimSpace(w.doc.Source()[w.start:n.Start()]) == "":
		w.start = n.End()
	case strings.HasPrefix(line, cellMark):
		w.prose(n.Start())
		w.start = n.End()
		w.note, w.noted = cellNote{}, true
		_ = json.Unmarshal([]byte(strings.TrimPrefix(line, cellMark)), &w.note) // a cell without a note is one, too
	}
}

// prose makes a cell of the text up to here.
func (w *notebookWriter) prose(end int) {
	text := w.doc.Source()[w.start:max(w.start, end)]
	note, noted := w.note, w.noted
	w.note, w.noted, w.passed = cellNote{}, false, 0
	w.start = end
	inner := strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" && !noted && (!w.born || inner == "") {
		w.blanks += len(text)
		return
	}
	cell := cellOf(note, "markdown")
	if inner != "" {
		inner += "\n"
	}
	if note.Was != nil && strings.Trim(orgOfCell(*note.Was), "\n") == strings.Trim(inner, "\n") {
		cell.Source = multiline(*note.Was)
	} else {
		cell.Source = multiline(markdownOfCell(inner))
	}
	w.blanks += len(text) - len(strings.TrimLeft(text, "\n"))
	w.add(cell, cellOrigin{})
	if inner != "" {
		w.blanks = len(text) - len(strings.TrimRight(text, "\n")) - 1
	}
}

// add appends a cell, with what leads it back to org.
func (w *notebookWriter) add(cell NotebookCell, o cellOrigin) {
	if w.born {
		o.Above = w.blanks
		cell.Metadata = withMember(cell.Metadata, "wb", o)
	}
	w.blanks = 0
	w.nb.Cells = append(w.nb.Cells, cell)
}

// result notes in the cell of code above what stands below its block.
func (w *notebookWriter) result(text string) {
	if !w.born {
		return
	}
	cell := &w.nb.Cells[len(w.nb.Cells)-1]
	o, meta := takeMember[cellOrigin](cell.Metadata)
	if o == nil {
		return
	}
	o.Result += text
	cell.Metadata = withMember(meta, "wb", *o)
}

// attribute is the value of #+ATTR_NB: above an element.
func attribute(n *org.Node) string {
	for _, k := range n.Affiliated() {
		if k.Name() == "ATTR_NB" {
			return k.Value.Text
		}
	}
	return ""
}

func noteCell(text string) NotebookCell {
	var note cellNote
	_ = json.Unmarshal([]byte(text), &note) // a broken note notes nothing
	return cellOf(note, "raw")
}

func cellOf(note cellNote, kind string) NotebookCell {
	if note.Kind != "" {
		kind = note.Kind
	}
	return NotebookCell{Kind: kind, ID: note.ID, ExecutionCount: note.Count, Metadata: note.Metadata, Attachments: note.Attachments}
}

// code makes a cell of a source block and what stands below it.
func (w *notebookWriter) code(b org.Block) {
	var note cellNote
	_ = json.Unmarshal([]byte(attribute(b.Node)), &note) // no note notes nothing
	cell := cellOf(note, "code")
	source := sourceOf(w.doc, b)
	cell.Source = sourceAsWas(attribute(b.Node), source)
	o := cellOrigin{Args: strings.TrimSpace(b.Args.Text), Name: b.Name().Text}
	if text := w.doc.Text(b.Span()); text != codeBlock(w.lang, source, o.Args, o.Name) {
		o.Block = text
	}
	if !w.born && (o.Args != "" || o.Name != "") {
		cell.Metadata = withMember(cell.Metadata, "wb", cellOrigin{Args: o.Args, Name: o.Name})
	}
	if result, ok := w.doc.ResultOf(b.Node); ok {
		cell.Outputs = w.outputs(result)
	}
	o.Outputs = outputsDigest(cell.Outputs)
	w.add(cell, o)
}

// sourceAsWas is the source of a cell as its notebook had it, unless somebody
// has changed it since.
func sourceAsWas(attribute, source string) multiline {
	var note cellNote
	_ = json.Unmarshal([]byte(attribute), &note) // no note notes nothing
	if note.Was != nil && strings.ReplaceAll(*note.Was, "\r\n", "\n") == source {
		return multiline(*note.Was)
	}
	return multiline(source)
}

// outputs reads what stands below #+RESULTS:.
func (w *notebookWriter) outputs(result org.Result) []json.RawMessage {
	if result.Element == nil {
		text := w.doc.Text(result.Body)
		if m := fileLink.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			return encode(w.picture(m[1], output{Kind: "display_data"}))
		}
		return nil
	}
	if b, ok := result.Element.Block(); ok && result.Element.Kind() == org.KindSpecialBlock && strings.Contains(w.doc.Text(b.Body), outMark) {
		return w.typedOutputs(w.doc.Text(b.Body))
	}
	text := multiline(w.doc.Text(result.Element.Span())[affiliatedLen(result.Element):])
	switch result.Element.Kind() {
	case org.KindFixedWidth:
		text = multiline(fixedWidthMark.ReplaceAllString(string(text), ""))
	case org.KindExampleBlock:
		b, _ := result.Element.Block()
		text = multiline(org.Dedent(org.Unescape(w.doc.Text(b.Body))))
	default:
		plain, _ := marshal(text)
		markdown, _ := marshal(multiline(ToMarkdown([]byte(text), Readable)))
		return encode(output{Kind: "display_data", Data: map[string]json.RawMessage{"text/plain": plain, "text/markdown": markdown}})
	}
	return encode(output{Kind: "stream", Name: "stdout", Text: &text})
}

func encode(outputs ...output) []json.RawMessage {
	var all []json.RawMessage
	for _, o := range outputs {
		if (o.Kind == "execute_result" || o.Kind == "display_data") && o.Metadata == nil {
			o.Metadata = json.RawMessage("{}")
		}
		if o.Kind == "execute_result" && o.Count == nil {
			o.Count = json.RawMessage("null")
		}
		text, err := marshal(o)
		if err != nil {
			continue
		}
		if o.Kind != "stream" && o.Kind != "error" && len(o.Data) == 0 { // an output may show nothing
			text = withMember(text, "data", struct{}{})
		}
		all = append(all, text)
	}
	return all
}

var (
	fileLink  = lazyregexp.New(`^\[\[file:([^\]]+)\](?:\[[^\]]*\])?\]$`)
	blockHead = lazyregexp.New(`^#\+begin_export (\S+)((?: :\S+)*)$`)
)

// typedOutputs reads the outputs that FromNotebook wrote into a block.
func (w *notebookWriter) typedOutputs(body string) []json.RawMessage {
	var all []output
	doc := org.ParseString(body)
	for n := range doc.Root().Children() {
		section := n
		if section.Kind() == org.KindBlank {
			continue
		}
		line := strings.TrimSpace(n.Text())
		if strings.HasPrefix(line, outMark) {
			var o output
			_ = json.Unmarshal([]byte(strings.TrimPrefix(line, outMark)), &o) // an output of no type is kept as text
			all = append(all, o)
			continue
		}
		if len(all) == 0 {
			continue
		}
		o := &all[len(all)-1]
		if n.Kind() == org.KindParagraph {
			for link := range strings.Lines(n.Text()) {
				if m := fileLink.FindStringSubmatch(strings.TrimSpace(link)); m != nil {
					*o = w.picture(m[1], *o)
				}
			}
			continue
		}
		kind, text, isJSON := typedText(doc, n)
		if kind == "text" {
			if isJSON {
				_ = json.Unmarshal([]byte(text), &text) // text that is not JSON stays
			}
			o.Text = &text
			continue
		}
		o.add(kind, text, isJSON)
	}
	return encode(all...)
}

// add puts data of a type into an output.
func (o *output) add(kind string, text multiline, isJSON bool) {
	if o.Data == nil {
		o.Data = map[string]json.RawMessage{}
	}
	if isJSON {
		o.Data[kind] = json.RawMessage(strings.TrimSpace(string(text)))
		return
	}
	if encoded, err := marshal(text); err == nil {
		o.Data[kind] = encoded
	}
}

// typedText reads ": " lines and export blocks.
func typedText(doc *org.Document, n *org.Node) (kind string, text multiline, isJSON bool) {
	if n.Kind() == org.KindFixedWidth {
		return "text", multiline(fixedWidthMark.ReplaceAllString(n.Text(), "")), false
	}
	b, ok := n.Block()
	if !ok {
		return "text/org", multiline(n.Text()), false
	}
	m := blockHead.FindStringSubmatch(strings.TrimSpace(doc.Text(b.Begin)))
	if m == nil {
		return "text/org", multiline(n.Text()), false
	}
	body := org.Unescape(doc.Text(b.Body))
	if strings.Contains(m[2], strings.TrimSpace(unended)) {
		body = strings.TrimSuffix(body, "\n")
	}
	return m[1], multiline(body), strings.Contains(m[2], ":json")
}

// picture adds the content of a file to an output.
func (w *notebookWriter) picture(name string, o output) output {
	data, err := w.read(name)
	kind := ""
	for k, ext := range extensions {
		if strings.EqualFold(path.Ext(name), "."+ext) {
			kind = k
		}
	}
	if err != nil || kind == "" {
		o.add("text/plain", multiline("[[file:"+name+"]]"), false)
		return o
	}
	encoded, _ := marshal(base64.StdEncoding.EncodeToString(data) + "\n")
	if o.Data == nil {
		o.Data = map[string]json.RawMessage{}
	}
	o.Data[kind] = encoded
	return o
}
