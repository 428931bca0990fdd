package exchange

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"wb/org"
)

// Imported is an org document and the files it refers to, by slash path beside
// it.
type Imported struct {
	Org   []byte
	Files map[string][]byte
}

// FromNotebook translates a Jupyter notebook. Pictures among the outputs become
// files in NAME_files/.
func FromNotebook(data []byte, name string) (*Imported, error) {
	nb, err := parseNotebook(data)
	if err != nil {
		return nil, err
	}
	r := &notebookReader{name: name, lang: nb.language(), files: map[string][]byte{}}
	r.head(nb)
	ends := r.born()
	for i, cell := range nb.Cells {
		if err := r.cell(i+1, cell); err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
	}
	return &Imported{Org: []byte(ends(r.out.String())), Files: r.files}, nil
}

// language is the language of the notebook's code.
func (nb *Notebook) language() string {
	var m struct {
		Info   struct{ Name string } `json:"language_info"`
		Kernel struct{ Language, Name string }
		Spec   struct{ Language, Name string } `json:"kernelspec"`
	}
	_ = json.Unmarshal(nb.Metadata, &m) // no language is not an error
	for _, lang := range []string{m.Info.Name, m.Spec.Language} {
		if lang != "" {
			return strings.ToLower(strings.ReplaceAll(lang, " ", "-"))
		}
	}
	return "python"
}

type notebookReader struct {
	name, lang string
	out        chunks
	files      map[string][]byte
	inProse    bool       // the cell above is prose, which the next one would join
	origin     *docOrigin // of a notebook that was made of org
}

// cellMark is the keyword that begins a cell of prose, and cellAttr the one
// above a code block that keeps what org has no place for.
const (
	headMark = "#+NB_NOTEBOOK:"
	cellMark = "#+NB_CELL:"
	cellAttr = "#+ATTR_NB:"
	outMark  = "#+NB_OUTPUT:"
)

// head keeps the notebook's metadata and says that its cells share one session.
func (r *notebookReader) head(nb *Notebook) {
	if r.origin, nb.Metadata = takeOrigin(nb.Metadata); r.origin != nil {
		if usual := metadataOf(r.origin.Lang); sameValue(nb.Metadata, usual) {
			r.lang = r.origin.Lang
			return
		}
	}
	meta := compactJSON(nb.Metadata, "{}")
	head := fmt.Sprintf("%s %d.%d %s\n", headMark, nb.Format, nb.Minor, meta)
	head += fmt.Sprintf("#+PROPERTY: header-args:%s :session notebook :results output :exports both\n", r.lang)
	r.out.add(head)
}

// cellNote holds the parts of a cell that org has no place for.
type cellNote struct {
	Kind        string          `json:"kind,omitempty"` // raw
	ID          string          `json:"id,omitempty"`
	Count       json.RawMessage `json:"count,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
	// Was is the source of the cell where its translation does not lead back to
	// the same bytes. It counts as long as it has the same translation.
	Was *string `json:"was,omitempty"`
	// Blocks says how many of the next code blocks are part of the prose.
	Blocks int `json:"blocks,omitempty"`

	origin *cellOrigin // of a cell that was made of org
}

func (n cellNote) String() string {
	text, _ := marshal(n)
	if string(text) == "{}" {
		return ""
	}
	return " " + string(text)
}

func noteOf(c NotebookCell) cellNote {
	note := cellNote{ID: c.ID, Attachments: c.Attachments}
	if string(c.ExecutionCount) != "null" {
		note.Count = c.ExecutionCount
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(c.Metadata, &meta) != nil || len(meta) == 0 {
		return note
	}
	if own, ok := meta["wb"]; ok && json.Unmarshal(own, &note.origin) == nil {
		delete(meta, "wb")
	}
	if rest, err := marshal(meta); err == nil && len(meta) > 0 {
		note.Metadata = rest
	}
	return note
}

func (r *notebookReader) cell(number int, c NotebookCell) error {
	note := noteOf(c)
	source := string(c.Source)
	r.above(note.origin)
	if r.origin != nil {
		note.ID = "" // Jupyter's, who gives one to each cell
	}
	switch c.Kind {
	case "code":
		return r.code(number, c, note)
	case "markdown":
		r.prose(source, note)
	default:
		note.Kind = c.Kind
		block := "#+begin_export raw\n" + org.Escape(endLine(source)) + "#+end_export\n"
		if strings.Contains(source, "\r") {
			note.Was = &source
		}
		r.out.add(cellAttr + note.String() + "\n" + block)
		r.inProse = false
	}
	return nil
}

// prose translates a cell of Markdown.
func (r *notebookReader) prose(source string, note cellNote) {
	text := orgOfCell(source)
	if note.origin == nil {
		if markdownOfCell(strings.Trim(text, "\n")+"\n") != source {
			note.Was = &source
		}
		note.Blocks = cellBlocks(org.ParseString(text), r.lang)
	}
	unseen := r.inProse || strings.TrimSpace(text) == "" // without a mark
	if note.String() != "" || unseen && note.origin == nil {
		r.out.add(cellMark + note.String() + "\n")
	}
	r.out.add(text)
	r.inProse = true
}

// orgOfCell and markdownOfCell translate a cell of prose there and back.
func orgOfCell(source string) string { return string(FromMarkdown([]byte(endLine(source)))) }

func markdownOfCell(text string) string {
	return strings.TrimSuffix(string(ToMarkdown([]byte(strings.TrimLeft(text, "\n")), Lossless)), "\n")
}

// cellBlocks counts the blocks of a text that would become cells of code.
func cellBlocks(doc *org.Document, lang string) int {
	count := 0
	var walk func(n *org.Node)
	walk = func(n *org.Node) {
		for c := range n.Children() {
			switch c.Kind() {
			case org.KindHeadline:
				walk(c)
			case org.KindSrcBlock:
				if b, _ := c.Block(); b.Lang.Text == lang {
					count++
				}
			}
		}
	}
	walk(doc.Root())
	return count
}

func endLine(s string) string { return s + "\n" }

func (r *notebookReader) code(number int, c NotebookCell, note cellNote) error {
	r.inProse = false
	source, name := string(c.Source), ""
	var block string
	if o := note.origin; o != nil {
		name = o.Name
		block = o.block(r.lang, source)
	} else {
		block = codeBlock(r.lang, source, "", "")
		if strings.Contains(source, "\r") {
			note.Was = &source
		}
	}
	if text := note.String(); text != "" {
		block = cellAttr + text + "\n" + block
	}
	r.out.add(block)
	if o := note.origin; o != nil && o.Outputs == outputsDigest(c.Outputs) {
		r.out.joined = true
		r.out.add(o.Result)
		return nil
	}
	results, err := r.outputs(number, c.Outputs)
	if err != nil || results == "" {
		return err
	}
	r.out.blanks = 1
	r.out.add(strings.TrimRight("#+RESULTS: "+name, " ") + "\n" + results)
	return nil
}

// codeBlock writes a source block.
func codeBlock(lang, source, args, name string) string {
	body := endLine(source)
	if source == "" {
		body = ""
	}
	switches := ""
	if org.Dedent(body) != body {
		switches = " -i"
	}
	if args != "" {
		switches += " " + args
	}
	block := "#+begin_src " + lang + switches + "\n" + org.Escape(body) + "#+end_src\n"
	if name != "" {
		block = "#+NAME: " + name + "\n" + block
	}
	return block
}

// output is one output of a cell.
type output struct {
	Kind      string                     `json:"output_type"`
	Name      string                     `json:"name,omitempty"` // of a stream
	Text      *multiline                 `json:"text,omitempty"`
	Count     json.RawMessage            `json:"execution_count,omitempty"`
	Data      map[string]json.RawMessage `json:"data,omitempty"`
	Metadata  json.RawMessage            `json:"metadata,omitempty"`
	ErrName   string                     `json:"ename,omitempty"`
	ErrValue  string                     `json:"evalue,omitempty"`
	Traceback []string                   `json:"traceback,omitempty"`
}

// outputs are the elements below #+RESULTS:. A lone stream is plain text; all
// else stands in a block, each piece below a line that says what it is.
func (r *notebookReader) outputs(number int, raw []json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	var body strings.Builder
	for i, one := range raw {
		var o output
		if err := json.Unmarshal(one, &o); err != nil {
			return "", fmt.Errorf("output %d: %w", i+1, err)
		}
		if len(raw) == 1 && o.Kind == "stream" && o.Name == "stdout" && o.Text != nil && isLiteral(string(*o.Text)) && strings.HasSuffix(string(*o.Text), "\n") {
			return literal(string(*o.Text)), nil
		}
		if err := r.output(&body, fmt.Sprintf("%d-%d", number, i+1), o); err != nil {
			return "", fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return "#+begin_results\n" + body.String() + "#+end_results\n", nil
}

// isLiteral reports whether text comes back from ": " lines as it was, but for
// its last line end.
func isLiteral(s string) bool {
	return strings.TrimSpace(s) != "" && !strings.ContainsAny(s, "\r\x00")
}

// literal is text as ": " lines.
func literal(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" {
			line = " " + line
		}
		out.WriteString(":" + line + "\n")
	}
	return out.String()
}

// unended marks text without a line end at its end.
const unended = " :no-newline"

// typedBlock keeps text of a type in an export block, whose backend is that
// type.
func typedBlock(kind, text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		kind += unended
		text += "\n"
	}
	return "#+begin_export " + kind + "\n" + org.Escape(text) + "#+end_export\n"
}

// plainText writes text as people read it where it comes back exactly.
func plainText(kind, text string) string {
	if strings.Contains(text, "\r") { // org files may change their line ends
		quoted, _ := marshal(text) // strings always marshal
		return typedBlock(kind+" :json", string(quoted)+"\n")
	}
	if isLiteral(text) && strings.HasSuffix(text, "\n") {
		return literal(text)
	}
	return typedBlock(kind, text)
}

var extensions = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "application/pdf": "pdf"}

// output writes one output: a line with what it is, then its texts and
// pictures by type.
func (r *notebookReader) output(b *strings.Builder, place string, o output) error {
	data, text := o.Data, o.Text
	o.Data, o.Text = nil, nil
	if string(o.Count) == "null" {
		o.Count = nil
	}
	head, err := marshal(o)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s %s\n", outMark, head)
	if text != nil {
		b.WriteString(plainText("text", string(*text)))
	}
	for _, kind := range slices.Sorted(maps.Keys(data)) {
		piece, err := r.piece(place, kind, data[kind])
		if err != nil {
			return err
		}
		b.WriteString(piece)
	}
	return nil
}

// piece writes an output in one of its types.
func (r *notebookReader) piece(place, kind string, data json.RawMessage) (string, error) {
	var body multiline
	if json.Unmarshal(data, &body) != nil {
		return typedBlock(kind+" :json", compactJSON(data, "null")+"\n"), nil
	}
	if ext := extensions[kind]; ext != "" {
		picture, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(body), "\n", ""))
		if err == nil {
			file := path.Join(r.name+"_files", place+"."+ext)
			r.files[file] = picture
			return "[[file:" + file + "]]\n", nil
		}
	}
	if strings.Contains(string(body), "\r") {
		return typedBlock(kind+" :json", compactJSON(data, "null")+"\n"), nil
	}
	return typedBlock(kind, string(body)), nil
}

// born readies the reader for a notebook that was made of org, and gives what
// ends its text as it was.
func (r *notebookReader) born() func(string) string {
	if r.origin == nil {
		return func(text string) string { return text }
	}
	r.out.exact = true
	_, restore := restoreEnds(r.origin.Ends)
	return func(text string) string {
		for range r.origin.Below {
			text += "\n"
		}
		return restore(text)
	}
}

// above leaves the blank lines above a cell that were there; one where the cell
// is new.
func (r *notebookReader) above(o *cellOrigin) {
	switch {
	case r.origin == nil:
	case o != nil:
		r.out.blanks = o.Above
	case r.out.b.Len() > 0:
		r.out.blanks = 1
	}
}
