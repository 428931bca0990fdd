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
	doc := org.Parse([]byte(strings.ReplaceAll(string(src), "\r\n", "\n")))
	w := &notebookWriter{doc: doc, read: read, lang: mainLanguage(doc), nb: &Notebook{Format: 4, Minor: 5}}
	w.walk(doc.Root())
	w.prose(len(doc.Source()))
	if w.nb.Metadata == nil {
		w.nb.Metadata = w.metadata()
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

func (w *notebookWriter) metadata() json.RawMessage {
	names := map[string]string{"python": "Python 3", "bash": "Bash", "sh": "Bash", "js": "JavaScript", "R": "R", "julia": "Julia"}
	kernels := map[string]string{"python": "python3", "sh": "bash", "js": "javascript", "R": "ir"}
	kernel, display := w.lang, w.lang
	if k := kernels[w.lang]; k != "" {
		kernel = k
	}
	if d := names[w.lang]; d != "" {
		display = d
	}
	meta, _ := marshal(map[string]any{ // strings always marshal
		"kernelspec":    map[string]string{"display_name": display, "language": w.lang, "name": kernel},
		"language_info": map[string]string{"name": w.lang},
	})
	return meta
}

type notebookWriter struct {
	doc   *org.Document
	read  func(string) ([]byte, error)
	lang  string
	nb    *Notebook
	start int      // of prose that no cell holds yet
	note  cellNote // of the prose cell under way
	noted bool
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
				w.prose(c.Start())
				w.start = c.End()
				w.code(b)
			}
		case org.KindExportBlock:
			if b, _ := c.Block(); b.Lang.Text == "raw" && attribute(c) != "" {
				w.prose(c.Start())
				w.start = c.End()
				cell := noteCell(attribute(c))
				cell.Source = multiline(strings.TrimSuffix(org.Unescape(w.doc.Text(b.Body)), "\n"))
				w.nb.Cells = append(w.nb.Cells, cell)
			}
		}
		if isResult(c) && c.Start() >= w.start && len(w.nb.Cells) > 0 && w.blankSince(c.Start()) {
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
	w.note, w.noted = cellNote{}, false
	w.start = end
	if strings.TrimSpace(text) == "" && !noted {
		return
	}
	cell := cellOf(note, "markdown")
	cell.Source = multiline(strings.TrimSuffix(string(ToMarkdown([]byte(strings.TrimLeft(text, "\n")), Lossless)), "\n"))
	w.nb.Cells = append(w.nb.Cells, cell)
}

// attribute is what #+ATTR_NB: says above an element.
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
	body := strings.TrimSuffix(org.Unescape(w.doc.Text(b.Body)), "\n")
	if !b.HasSwitch("-i") {
		body = org.Dedent(body)
	}
	cell.Source = multiline(body)
	cell.Metadata = withOrgArgs(cell.Metadata, b)
	if result, ok := w.doc.ResultOf(b.Node); ok {
		cell.Outputs = w.outputs(result)
	}
	w.nb.Cells = append(w.nb.Cells, cell)
}

// withOrgArgs notes header arguments and name of a block in a cell's metadata.
func withOrgArgs(meta json.RawMessage, b org.Block) json.RawMessage {
	args := strings.TrimSpace(b.Args.Text)
	name := b.Name().Text
	if args == "" && name == "" {
		return meta
	}
	all := map[string]any{}
	_ = json.Unmarshal(meta, &all) // empty metadata are no object
	all["wb"] = cellNote{Args: args, Name: name}
	text, err := marshal(all)
	if err != nil {
		return meta
	}
	return text
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
		if text, err := marshal(o); err == nil {
			all = append(all, text)
		}
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
