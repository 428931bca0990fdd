package page

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/proof/manifest"
	"wb/workbook"
)

// maxIncludes bounds how deep files include files, maxIncluded how much text
// that may give.
const (
	maxIncludes = 30
	maxIncluded = 64 << 20
)

// includer carries out #+INCLUDE and #+SETUPFILE, as ox does: before anything
// else, on the text.
type includer struct {
	source
	found []diag.Finding
	notes map[string]int // files included so far: their footnotes get labels of their own
	size  int
}

// source is where included files come from.
type source struct {
	read  func(name string) ([]byte, error) // nil reads nothing
	above bool                              // it knows directories above the workbook's, too
}

// expand is the text with its includes carried out; chain are the files being
// included.
func (x *includer) expand(t *text, chain []string) *text {
	if !mentions(t.data, "#+include:") && !mentions(t.data, "#+setupfile:") {
		return t
	}
	doc := org.Parse([]byte(t.data))
	var splices []splice
	for k := range doc.Keywords("INCLUDE", "SETUPFILE") {
		if doc.Commented(k.Node) {
			continue
		}
		// A caption above stays, for what is included.
		start := k.Value.Start - len(lineBefore(t.data, k.Value.Start))
		with := t.literal(start, "")
		var err error
		if i, ok := k.Include(); ok {
			with, err = x.include(t, doc, i, chain)
		} else if k.Name() == "SETUPFILE" {
			with, err = x.setup(t, k, chain)
		}
		if err != nil {
			hint := ""
			if n, ok := err.(*noteworthy); ok {
				hint = n.hint
			}
			x.found = append(x.found, diag.Finding{Pos: t.position(k.Value.Start), Severity: diag.Warning, Code: "include", Message: err.Error(), Hint: hint})
			with = t.literal(start, "")
			if k.Name() == "INCLUDE" { // readers see that something is missing
				with = t.literal(start, ": #+INCLUDE: "+missingName(k.Value.Text)+"\n")
			}
		}
		if x.size += len(with.data); x.size > maxIncluded {
			with = t.literal(start, "")
		}
		splices = append(splices, splice{start, k.End(), with})
	}
	return t.spliced(splices)
}

// lineBefore is what stands before an offset on its line.
func lineBefore(text string, offset int) string {
	return text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
}

// missingName is the file of an #+INCLUDE: that was not carried out, without the
// author's directories.
func missingName(value string) string {
	name := value
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		name, _, _ = strings.Cut(quoted, `"`)
	} else if words := strings.Fields(value); len(words) > 0 {
		name = words[0]
	}
	return path.Base(name)
}

// noteworthy is an error with a hint.
type noteworthy struct{ message, hint string }

func (n *noteworthy) Error() string { return n.message }

// mentions reports whether a keyword may stand in a text, whatever its case.
func mentions(text, keyword string) bool {
	for rest := text; ; {
		i := strings.Index(rest, "#+")
		if i < 0 {
			return false
		}
		rest = rest[i:]
		if len(rest) >= len(keyword) && strings.EqualFold(rest[:len(keyword)], keyword) {
			return true
		}
		rest = rest[2:]
	}
}

// open reads a file that stands at offset of a text.
func (x *includer) open(t *text, offset int, name string, chain []string) (*origin, error) {
	switch {
	case strings.Contains(name, "://"):
		return nil, &noteworthy{name + " is not on this machine", "pages are made without a network: keep a copy beside the workbook"}
	case path.IsAbs(name) || strings.HasPrefix(name, "~"):
		return nil, &noteworthy{name + " lies outside the workbook's directory", "name it relative to the workbook"}
	}
	file := path.Clean(t.relative(offset, name))
	switch {
	case !x.above && (file == ".." || strings.HasPrefix(file, "../")):
		return nil, &noteworthy{name + " lies outside the workbook's directory", "keep what a page includes below it"}
	case manifest.Private(below(file)):
		return nil, fmt.Errorf("%s never leaves this machine", name)
	case len(chain) > maxIncludes:
		return nil, fmt.Errorf("files include files more than %d levels deep", maxIncludes)
	case x.read == nil:
		return nil, fmt.Errorf("%s cannot be read here", name)
	}
	data, err := x.read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there", name)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if bad, is := workbook.NotText(file, data); is {
		return nil, &noteworthy{fmt.Sprintf("%s:%d:%d: %s", name, bad.Pos.Line, bad.Pos.Col, bad.Message), "save it as UTF-8; a link leads to files that are not text"}
	}
	dir := path.Dir(file)
	if dir == "." {
		dir = ""
	}
	from, _ := t.place(offset)
	base := path.Dir(from.name)
	if from.dir != "" {
		base = strings.TrimSuffix(base, from.dir)
	}
	return &origin{name: path.Join(base, file), dir: dir, src: strings.ReplaceAll(string(data), "\r\n", "\n")}, nil
}

// below is a path without the steps up that it begins with.
func below(file string) string {
	for strings.HasPrefix(file, "../") {
		file = file[len("../"):]
	}
	return file
}

// longer is the chain with one more link: a file, or a part of it. Different parts of a
// file may include one another, as in Org.
func longer(chain []string, file, part string) ([]string, error) {
	if part = strings.TrimSpace(part); part != "" {
		file += " " + part
	}
	if i := slices.Index(chain, file); i >= 0 {
		return nil, &noteworthy{strings.Join(append(slices.Clone(chain[i:]), file), " includes "), "a file cannot include itself"}
	}
	return append(slices.Clone(chain), file), nil
}

// include is the text that replaces one #+INCLUDE line.
func (x *includer) include(t *text, doc *org.Document, i org.Include, chain []string) (*text, error) {
	args := map[string]string{}
	for _, a := range i.Args {
		args[strings.ToLower(a.Key)] = strings.Trim(a.Value, `"`)
	}
	var err error
	if !i.Block.Present() { // a block shows text, and includes nothing
		if chain, err = longer(chain, path.Clean(t.relative(i.File.Start, i.File.Text)), i.Search.Text+" "+args[":lines"]); err != nil {
			return nil, err
		}
	}
	from, err := x.open(t, i.File.Start, i.File.Text, chain)
	if err != nil {
		return nil, err
	}
	part := newText(from)
	only := args[":only-contents"] != "" && args[":only-contents"] != "nil"
	if i.Search.Present() && i.Search.Text != "" {
		if part, err = x.find(part, i.Search.Text, only); err != nil {
			return nil, err
		}
	} else if only {
		part = withoutTop(part)
	}
	if lines := args[":lines"]; lines != "" {
		if part, err = someLines(part, lines); err != nil {
			return nil, err
		}
	}
	if i.Block.Present() {
		return wrapped(t, i, part), nil
	}
	part = withNotes(trimmed(part), from)
	part = x.relabel(part, from.name)
	level := 1
	if h, ok := doc.Headline(i.Node); ok {
		level = h.Level + 1
	}
	if min := args[":minlevel"]; min != "" {
		if level, err = strconv.Atoi(min); err != nil || level < 1 || level > 100 {
			return nil, fmt.Errorf(":minlevel %s is not a level", min)
		}
	}
	return x.expand(shifted(part, level), chain), nil
}

// setup is the content of a #+SETUPFILE: its keywords, without visible text.
func (x *includer) setup(t *text, k org.Keyword, chain []string) (*text, error) {
	name := strings.Trim(k.Value.Text, `"`)
	chain, err := longer(chain, path.Clean(t.relative(k.Value.Start, name)), "")
	if err != nil {
		return nil, err
	}
	from, err := x.open(t, k.Value.Start, name, chain)
	if err != nil {
		return nil, err
	}
	part := x.expand(newText(from), chain)
	doc := org.Parse([]byte(part.data))
	var splices []splice
	pos := 0
	for k := range doc.Keywords() {
		splices = append(splices, splice{pos, k.Start(), &text{}})
		pos = k.End()
	}
	return part.spliced(append(splices, splice{pos, len(part.data), &text{}})), nil
}

// find is the subtree or element that follows "::" in a file's name.
func (x *includer) find(t *text, search string, only bool) (*text, error) {
	doc := org.Parse([]byte(t.data))
	n := findTarget(doc, search)
	if n == nil {
		return nil, fmt.Errorf("%s has no %s", t.segs[0].from.name, search)
	}
	start, end := n.Start(), n.End()
	if only {
		if h, ok := n.Headline(); ok {
			start = h.Body().Start
		} else if b, ok := n.Block(); ok {
			start, end = b.Body.Start, b.Body.End
		} else {
			for _, k := range n.Affiliated() {
				start = k.End()
			}
		}
	}
	return t.slice(start, end), nil
}

// findTarget resolves "*Heading", "#custom-id", a name or a heading's text.
func findTarget(doc *org.Document, search string) *org.Node {
	custom, isCustom := strings.CutPrefix(search, "#")
	title, isTitle := strings.CutPrefix(search, "*")
	if !isCustom && !isTitle {
		if n, ok := doc.Named(search); ok {
			return n
		}
	}
	for h := range doc.Headlines() {
		switch {
		case isCustom:
			if id, _ := h.Property("CUSTOM_ID"); id == custom {
				return h.Node
			}
		case sameTitle(h.Title.Text, title):
			return h.Node
		}
	}
	return nil
}

// sameTitle compares headings as links do.
func sameTitle(a, b string) bool { return foldTitle(a) == foldTitle(b) }

// withoutTop leaves out what stands before the contents proper: the file's own
// keywords are kept, a first property drawer goes.
func withoutTop(t *text) *text {
	doc := org.Parse([]byte(t.data))
	if c := doc.Root().FirstChild(); c != nil && c.Kind() == org.KindPropertyDrawer {
		return t.slice(c.End(), len(t.data))
	}
	return t
}

// someLines keeps the lines from a to b, without b: "5-10", "-10" or "5-".
func someLines(t *text, lines string) (*text, error) {
	from, to, ok := strings.Cut(lines, "-")
	first, last := 1, 1<<30
	var err error
	if from != "" {
		if first, err = strconv.Atoi(from); err != nil {
			ok = false
		}
	}
	if to != "" {
		if last, err = strconv.Atoi(to); err != nil {
			ok = false
		}
	}
	if !ok || first < 1 {
		return nil, &noteworthy{":lines " + lines + " is not a range", `write "5-10", "-10" or "5-"; the last line is left out`}
	}
	start, end, line, pos := len(t.data), len(t.data), 1, 0
	for pos < len(t.data) {
		if line == first {
			start = pos
		}
		if line == last {
			end = pos
			break
		}
		next := strings.IndexByte(t.data[pos:], '\n')
		if next < 0 {
			break
		}
		pos += next + 1
		line++
	}
	return t.slice(min(start, end), end), nil
}

// wrapped puts included text into a block.
func wrapped(t *text, i org.Include, part *text) *text {
	name := i.Block.Text
	head := "#+begin_" + name
	if i.Lang.Present() {
		head += " " + i.Lang.Text
	}
	for _, a := range i.Args {
		switch strings.ToLower(a.Key) {
		case ":lines", ":minlevel", ":only-contents", ":coding":
		default:
			head += " " + a.Key + " " + a.Value
		}
	}
	lower := strings.ToLower(name)
	body := part
	if lower == "src" || lower == "example" || lower == "export" {
		if escaped := org.Escape(part.data); escaped != part.data {
			body = &text{data: escaped, segs: part.segs}
		}
	}
	end := "#+end_" + name + "\n"
	if body.data != "" && !strings.HasSuffix(body.data, "\n") {
		end = "\n" + end
	}
	at := i.Start()
	out := t.literal(at, head+"\n"+end)
	return out.spliced([]splice{{len(head) + 1, len(head) + 1, body}})
}

// trimmed leaves out blank lines at both ends, and ends with a newline.
func trimmed(t *text) *text {
	start := 0
	for start < len(t.data) {
		line, _, found := strings.Cut(t.data[start:], "\n")
		if strings.TrimSpace(line) != "" || !found {
			break
		}
		start += len(line) + 1
	}
	end := start + len(strings.TrimRight(t.data[start:], " \t\r\n"))
	return t.spliced([]splice{{0, start, &text{}}, {end, len(t.data), t.literal(end, "\n")}})
}

// withNotes adds the footnotes that a part of a file refers to and that are
// defined elsewhere in it. A definition at the end is kept from taking what
// follows the include for its own.
func withNotes(t *text, from *origin) *text {
	if !strings.Contains(t.data, "[fn:") {
		return t
	}
	doc := org.Parse([]byte(t.data))
	defined, last := map[string]bool{}, false
	for n := range doc.Nodes(org.KindFootnote) {
		if f, ok := n.Footnote(); ok {
			defined[f.Label.Text] = true
			last = strings.TrimSpace(t.data[n.End():]) == ""
		}
	}
	missing := map[string]bool{}
	for n := range doc.AllObjects(org.KindFootnoteRef) {
		if f, ok := n.FootnoteRef(); ok && !f.Inline && !defined[f.Label.Text] {
			missing[f.Label.Text] = true
		}
	}
	end := len(t.data)
	var splices []splice
	whole := newText(from)
	if len(missing) > 0 && t.data != from.src {
		for n := range org.Parse([]byte(from.src)).Nodes(org.KindFootnote) {
			if f, ok := n.Footnote(); ok && missing[f.Label.Text] {
				last = true
				splices = append(splices, splice{end, end, t.literal(end, "\n")}, splice{end, end, whole.slice(n.Start(), n.End())})
			}
		}
	}
	if last {
		splices = append(splices, splice{end, end, t.literal(end, "\n\n")})
	}
	return t.spliced(splices)
}

// relabel gives the footnotes of an included file labels of their own.
func (x *includer) relabel(t *text, file string) *text {
	if !strings.Contains(t.data, "[fn:") {
		return t
	}
	if x.notes == nil {
		x.notes = map[string]int{}
	}
	if x.notes[file] == 0 {
		x.notes[file] = len(x.notes) + 1
	}
	prefix := fmt.Sprintf("%d-", x.notes[file])
	doc := org.Parse([]byte(t.data))
	var at []int
	for n := range doc.Nodes(org.KindFootnote) {
		if f, ok := n.Footnote(); ok {
			at = append(at, f.Label.Start)
		}
	}
	for n := range doc.AllObjects(org.KindFootnoteRef) {
		if f, ok := n.FootnoteRef(); ok && f.Label.Present() && f.Label.Text != "" {
			at = append(at, f.Label.Start)
		}
	}
	slices.Sort(at)
	var splices []splice
	for _, i := range slices.Compact(at) {
		splices = append(splices, splice{i, i, t.literal(i, prefix)})
	}
	return t.spliced(splices)
}

// shifted moves headlines so that the highest has the given level.
func shifted(t *text, level int) *text {
	doc := org.Parse([]byte(t.data))
	highest := 0
	for h := range doc.Headlines() {
		if highest == 0 || h.Level < highest {
			highest = h.Level
		}
	}
	by := level - highest
	if highest == 0 || by == 0 {
		return t
	}
	var splices []splice
	for h := range doc.Headlines() {
		if by > 0 {
			splices = append(splices, splice{h.Start(), h.Start(), t.literal(h.Start(), strings.Repeat("*", by))})
		} else {
			splices = append(splices, splice{h.Start(), h.Start() - by, &text{}})
		}
	}
	return t.spliced(splices)
}
