package tangle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// Output is the result of tangling a document, before anything is written.
type Output struct {
	Source   string    // absolute path of the document
	Files    []File    // in the order of their first block
	Blocks   int       // how many blocks go into files
	Warnings []Warning // in document order

	name string // of the document, as errors call it
}

// File is one file to be written.
type File struct {
	Path    string      // absolute, with slashes
	Content []byte      // always ends with a newline
	Mode    fs.FileMode // permission bits to set; 0 leaves them to the system
	Mkdir   bool        // parent directories may be made (:mkdirp)
	// Sections say which bytes came from which block, in order. Bytes between
	// them are padding, comments and shebang lines.
	Sections []Section
}

// Section is one block's share of a file.
type Section struct {
	// Name, Heading and Number identify the block: its #+NAME, the heading it
	// stands below and its number among the blocks there, from 1.
	Name    string `json:"name,omitempty"`
	Heading string `json:"heading,omitempty"`
	Number  int    `json:"number"`
	Lang    string `json:"lang"`
	Line    int    `json:"line"` // of the block's begin line
	// Start and End delimit the expanded body in the file's content, the final
	// newline excluded.
	Start, End int `json:"-"`
	// Verbatim says that the body stands in the file as it does in the block,
	// but for indentation and quoting: nothing was expanded into it.
	Verbatim bool `json:"verbatim"`

	marks [][]mark // of each line of the body, when asked for
}

// Plan works out a document: it decides every file and every byte. Nothing is
// written and nothing is run except through opts.
func Plan(ctx context.Context, doc *org.Document, opts Options) (*Output, error) {
	p := newPlanner(doc, opts)
	defer p.closeEmacs()
	if err := p.collectFiles(ctx); err != nil {
		return nil, err
	}
	if opts.trace {
		if err := p.trace(ctx); err != nil {
			return nil, err
		}
	}
	plan := &Output{Source: opts.File, Warnings: p.warnings, name: p.at.file}
	for _, target := range p.targets {
		file, err := p.assemble(target)
		if err != nil {
			return nil, err
		}
		plan.Files = append(plan.Files, file)
		plan.Blocks += len(target.parts)
	}
	return plan, nil
}

// planner holds what one run of Plan knows.
type planner struct {
	doc      *org.Document
	opts     Options
	at       place
	file     string   // absolute path of the document
	dir      string   // its directory with a final slash
	all      []*block // every block
	blocks   []*block // those that org-babel's search meets
	warnings []Warning
	library  *library
	noweb    *Expander
	wrap     Wrap // of noweb references
	marking  bool // bodies carry line numbers; see trace.go

	targets []*destination
	byPath  map[string]*destination

	// point is where Emacs stands while it expands a block: on the block, or on
	// the heading whose text a noweb reference has fetched last.
	point    spot
	wandered bool // point has left the block
	begins   []int
	ends     []endMarker

	emacs    Emacs       // for forms that the small evaluator refuses; nil until there is one
	running  []*org.Node // blocks being run, to see circles
	resolved map[string]elisp.Value
	others   map[string]*org.Document
	names    map[*org.Document]map[string][]*org.Node
	ids      map[*org.Document]map[string]org.Headline
}

// destination is a file and the parts that go into it.
type destination struct {
	path  string
	parts []part
}

// part is one block, expanded and ready to be put into its file.
type part struct {
	block     *block
	body      string
	verbatim  bool
	marks     [][]mark
	comments  string // value of :comments
	prose     string // org text above the block, for :comments org and both
	data      linkData
	padding   bool
	shebang   string
	mode      uint32
	hasMode   bool
	makesDirs bool
}

func newPlanner(doc *org.Document, opts Options) *planner {
	doc = readable(doc)
	if opts.Name == "" {
		opts.Name = opts.File
	}
	p := &planner{
		doc: doc, opts: opts,
		at:     place{opts.Name, doc},
		file:   opts.File,
		dir:    opts.File[:strings.LastIndexByte(opts.File, '/')+1],
		byPath: map[string]*destination{},
	}
	p.all, p.blocks, p.warnings = collect(doc, p.at)
	p.library = &library{p: p}
	p.wrap = WrapOf(doc)
	p.noweb = &Expander{Context: ForTangle, Library: p.library, Wrap: p.wrap, Call: p.call, Delimit: p.delimit, Missing: p.missing}
	return p
}

// readable is the document as Emacs would show it: without a byte order mark
// and, if its first lines end with CRLF, with plain newlines. Lines and columns
// stay the same.
func readable(doc *org.Document) *org.Document {
	text := strings.TrimPrefix(doc.Source(), "\uFEFF")
	if dosLineEnds(text) {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if len(text) == len(doc.Source()) {
		return doc
	}
	return org.ParseString(text)
}

// dosLineEnds looks at the first three line ends, as Emacs does: one plain
// newline among them, and the carriage returns are text.
func dosLineEnds(text string) bool {
	seen := 0
	for i := 0; i < len(text) && seen < 3; i++ {
		if text[i] != '\n' {
			continue
		}
		if i == 0 || text[i-1] != '\r' {
			return false
		}
		seen++
	}
	return seen > 0
}

// collectFiles expands every block that names a file and sorts them by it.
func (p *planner) collectFiles(ctx context.Context) error {
	for _, b := range p.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b.heading.silenced {
			continue
		}
		path, err := p.destinationOf(ctx, b)
		if err != nil {
			return err
		}
		if path == "" {
			continue
		}
		piece, err := p.expand(ctx, b)
		if err != nil {
			return err
		}
		target := p.byPath[path]
		if target == nil {
			target = &destination{path: path}
			p.byPath[path] = target
			p.targets = append(p.targets, target)
		}
		target.parts = append(target.parts, piece)
	}
	return nil
}

// destinationOf is the absolute path of the file a block goes into, "" for
// none.
func (p *planner) destinationOf(ctx context.Context, b *block) (string, error) {
	arg, ok := p.argsOf(b).Get(":tangle")
	if !ok || arg.Value == "" || arg.Value == "no" {
		return "", nil
	}
	v, err := p.read(ctx, b, arg)
	if err != nil {
		return "", err
	}
	name, ok := v.(elisp.String)
	if symbol, is := v.(elisp.Symbol); is && (symbol == elisp.Nil || symbol == "yes" || symbol == "no") {
		name, ok = elisp.String(strings.TrimPrefix(string(symbol), "nil")), true
	}
	if !ok {
		return "", p.at.errorf(arg.At.Start, nil, ":tangle must be yes, no or a file name, found %s", elisp.Print(v))
	}
	switch name {
	case "", "no":
		return "", nil
	case "yes":
		if b.Lang.Text == "" {
			return "", nil
		}
		path := elisp.SansExtension(p.file) + "." + babel.Extension(b.Lang.Text)
		if path == p.file {
			return "", p.at.errorf(arg.At.Start, nil, ":tangle yes would overwrite the document itself")
		}
		return path, nil
	}
	path := elisp.Expand(string(name), p.dir, p.opts.Machine.Home)
	if strings.HasPrefix(string(name), "~") && p.opts.Machine.Home == "" {
		return "", p.at.errorf(arg.At.Start, nil, ":tangle %s: the home directory is not known here", string(name))
	}
	if path == p.file {
		return "", p.at.errorf(arg.At.Start, nil, ":tangle %s would overwrite the document itself", string(name))
	}
	if strings.HasSuffix(path, "/") {
		return "", p.at.errorf(arg.At.Start, nil, ":tangle %s names a directory", string(name))
	}
	return path, nil
}

// expand makes the part a block contributes.
func (p *planner) expand(ctx context.Context, b *block) (part, error) {
	p.point, p.wandered = b.spot(), false
	piece := part{block: b, padding: true}
	chunk := p.library.chunk(b)
	body := chunk.Body
	noweb, err := p.text(ctx, b, ":noweb")
	if err != nil {
		return piece, err
	}
	switch {
	case !NowebWanted(noweb, ForTangle):
	case noweb == "strip-tangle":
		body = p.wrap.Strip(body)
	default:
		if body, err = p.noweb.Expand(ctx, chunk); err != nil {
			return piece, p.nowebError(b, err)
		}
	}
	if _, asIs := p.argsOf(b).Get(":no-expand"); !asIs {
		if body, err = p.expandInLanguage(ctx, b, body); err != nil {
			return piece, err
		}
	}
	if strings.Contains(b.Switches.Text, "-r") {
		if labels := coderefs(b.Switches.Text); labels != nil {
			body = labels.ReplaceAllString(body, "$1")
		}
	}
	if b.preserved() {
		piece.body = trimLines(body)
	} else {
		piece.body = trim(Dedent(body))
	}
	piece.verbatim = body == chunk.Body || piece.body == trim(chunk.Body)
	return piece, p.dress(ctx, b, &piece)
}

// expandInLanguage adds variables, prologue and epilogue.
func (p *planner) expandInLanguage(ctx context.Context, b *block, body string) (string, error) {
	params, err := p.langParams(ctx, b)
	if err != nil {
		return "", err
	}
	body, err = babel.Expand(b.Lang.Text, body, params)
	if err == nil {
		return body, nil
	}
	offset := b.Begin.Start
	if bad, ok := errors.AsType[*babel.VarError](err); ok {
		for _, v := range p.argsOf(b).Vars() {
			if v.Name == bad.Var {
				offset = v.At.Start
			}
		}
	}
	return "", p.at.wrap(offset, b.Lang.Text, err)
}

// dress reads the arguments that decide what stands around the body.
func (p *planner) dress(ctx context.Context, b *block, piece *part) error {
	var err error
	read := func(key string) string {
		text, e := p.text(ctx, b, key)
		if err == nil {
			err = e
		}
		return text
	}
	piece.comments = read(":comments")
	piece.padding = read(":padline") != "no"
	piece.shebang = read(":shebang")
	mkdirp := read(":mkdirp")
	piece.makesDirs = mkdirp != "" && mkdirp != "no"
	tangle := read(":tangle")
	if err != nil {
		return err
	}
	mode, ok, err := p.param(ctx, b, ":tangle-mode")
	if err != nil {
		return err
	}
	if ok && !elisp.IsNil(mode) {
		arg, _ := p.argsOf(b).Get(":tangle-mode")
		if piece.mode, err = ParseMode(mode); err != nil {
			return p.at.wrap(arg.At.Start, ":tangle-mode", err)
		}
		piece.hasMode = true
	} else if piece.shebang != "" {
		piece.mode, piece.hasMode = 0o755, true
	}
	if piece.comments == "" || piece.comments == "no" {
		return nil
	}
	line, _ := p.doc.Position(b.Begin.Start)
	name := b.Name().Text
	if name == "" {
		title := b.heading.title
		if title == "" {
			title = "No heading"
		}
		name = title + ":" + strconv.Itoa(b.number)
	}
	piece.data = linkData{
		name: name, line: strconv.Itoa(line + 1),
		file: elisp.Relative(p.file, p.dir),
		link: p.linkTo(b.spot(), tangle),
	}
	if piece.comments == "both" || piece.comments == "org" {
		piece.prose = Dedent(p.proseAbove(b))
		if p.wandered { // Emacs takes the text above point: the heading's stars
			h, _ := p.point.heading.node.Headline()
			piece.prose = strings.Repeat("*", h.Level) + " "
		}
	}
	return nil
}

// labelFormat is the form of coderef labels, which end a line: `(ref:name)`, or what -l says.
var labelFormat = lazyregexp.New(`-l +"([^"\n]+)"`)

// coderefs matches the labels of a block; group 1 is a line mark, which stays.
// It is nil when -l holds bytes that are not text.
func coderefs(switches string) *regexp.Regexp {
	format := "(ref:%s)"
	if m := labelFormat.FindStringSubmatch(switches); m != nil {
		format = m[1]
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(format), "%s", "[-a-zA-Z0-9_][-a-zA-Z0-9_ ]*")
	marks := string([]rune{'[', markDigit, '-', markStop, ']'})
	labels, err := regexp.Compile(`(?im)[ \t]*` + pattern + `(` + marks + `*)[ \t]*$`)
	if err != nil {
		return nil
	}
	return labels
}

// proseAbove is the org text between a block and the heading or block before
// it.
func (p *planner) proseAbove(b *block) string {
	start := 0
	if b.heading.node != nil {
		h, _ := b.heading.node.Headline()
		start = h.Line.Start + h.Level + 1
	}
	start = max(start, p.endOfBlockBefore(b.Begin.Start))
	return p.doc.Source()[start:b.Begin.Start]
}

// endOfBlockBefore is the place behind the nearest #+end_src above an offset
// whose #+begin_src stands above it too.
func (p *planner) endOfBlockBefore(offset int) int {
	before := p.doc.Source()[:offset]
	begins, ends := p.markers()
	last := sort.Search(len(ends), func(i int) bool { return ends[i].after > len(before) })
	for i := sort.SearchInts(begins, offset) - 1; i >= 0; i-- {
		first := sort.Search(last, func(j int) bool { return ends[j].start > begins[i] })
		if first < last {
			return ends[first].after
		}
	}
	return 0
}

// markers are the begin and end lines of the document.
func (p *planner) markers() (begins []int, ends []endMarker) {
	if p.begins == nil && p.ends == nil {
		p.begins, p.ends = markers(p.doc.Source())
	}
	return p.begins, p.ends
}

// blockAround is the block whose lines include an offset, nil for none.
func (p *planner) blockAround(offset int) *block {
	i := sort.Search(len(p.all), func(i int) bool { return p.all[i].Begin.Start >= offset }) - 1
	if i < 0 || p.all[i].EndLine.End < offset {
		return nil
	}
	return p.all[i]
}

// missing warns of a reference to nothing.
func (p *planner) missing(id string, in *Chunk) {
	b := in.Source.(*block)
	offset := b.Body.Start
	if i := strings.Index(p.doc.Text(b.Body), p.wrap.Around(id)); i >= 0 {
		offset += i
	}
	p.warnings = append(p.warnings, p.at.warning(offset, "<<%s>> names no block; it expands to nothing", id))
}

// nowebError gives an error from expanding a block its place.
func (p *planner) nowebError(b *block, err error) error {
	offset := b.Begin.Start
	for _, id := range p.wrap.References(p.doc.Text(b.Body)) {
		if IsCall(id) || strings.Contains(err.Error(), "<<"+id+">>") {
			offset = b.Body.Start + strings.Index(p.doc.Text(b.Body), p.wrap.Around(id))
			break
		}
	}
	placed := p.at.wrap(offset, "", err)
	if e, ok := errors.AsType[*Error](placed); ok && errors.Is(err, ErrRun) && e.Advice == "" {
		e.Advice = "only wb tangle can run it"
	}
	return placed
}

// delimit makes the comments around a reference inside a block with `:comments
// noweb`. A chunk found by name links to itself; one remembered from before
// links to the block that is being tangled, as in Emacs.
func (p *planner) delimit(into, chunk *Chunk, remembered bool) (open, end string, err error) {
	mode, known := babel.Mode(into.Lang)
	comments, ok := babel.Comment(mode)
	if !known || !ok {
		return "", "", fmt.Errorf(":comments noweb: no comment syntax is known for %s", into.Lang)
	}
	b := chunk.Source.(*block)
	data := linkData{name: chunk.Name, file: p.file}
	line, _ := p.doc.Position(b.Begin.Start)
	data.line = strconv.Itoa(line)
	if chunk.Comments != "no" {
		at := b.spot()
		if remembered {
			at = p.point
		}
		data.link = p.linkTo(at, p.literal(b, ":tangle"))
	}
	return trim(comments.Region(data.open())), trim(comments.Region(data.end())), nil
}
