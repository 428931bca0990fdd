package tangle

import (
	"context"
	"fmt"
	"strings"

	"wb/internal/textdiff"
	"wb/org"
)

// Edited is a tangled file that may have been edited since.
type Edited struct {
	Path string // absolute, as in [File]
	Text []byte // what it holds now
	// Base is the text tangling wrote last; HasBase says that it is known. Without
	// it the file counts as edited wherever it differs from what the document
	// would tangle to now, unless DocNewer says that the document is the later
	// of the two: then it is unknown which side changed.
	Base     []byte
	HasBase  bool
	DocNewer bool
}

// Detangled is the result of bringing edits back.
type Detangled struct {
	// Text is the document with the edits in it; the document's own bytes when
	// there are none.
	Text []byte
	// Applied are the edits that Text holds, Conflicts those that it does not.
	Applied   []Returned
	Conflicts []Conflict
}

// Returned is one edit that came back to its block.
type Returned struct {
	File  string `json:"file"`     // path of the tangled file
	Line  int    `json:"line"`     // where the edit begins there
	Block string `json:"block"`    // name or heading of the block
	Doc   int    `json:"doc_line"` // first line that it changed in the document as it was
}

// Conflict is an edit that needs a person: both sides changed, or the text
// belongs to no block.
type Conflict struct {
	File   string   `json:"file"`
	Line   int      `json:"line"` // first line in the edited file
	Reason string   `json:"reason"`
	Doc    []string `json:"document"` // what the document says there
	Edit   []string `json:"edited"`   // what the edited file says
}

// Detangle brings the edits of tangled files back into the blocks they came
// from: into the referenced block where noweb put the text, with the block's
// own indentation and org's commas. An edit is accepted only if tangling the
// new document gives the edited text again; everything else is a conflict, and
// stays in the edited file.
func Detangle(ctx context.Context, doc *org.Document, opts Options, files []Edited) (*Detangled, error) {
	d := &detangler{ctx: ctx, opts: opts, source: doc.Source()}
	d.opts.trace = true
	var err error
	if d.views, d.doc, err = d.planned(doc); err != nil {
		return nil, err
	}
	for _, file := range files {
		d.compare(file)
	}
	if err := d.accept(); err != nil {
		return nil, err
	}
	d.joinMoves()
	return &Detangled{Text: []byte(d.source), Applied: d.applied, Conflicts: d.conflicts}, nil
}

// detangler holds one run of Detangle.
type detangler struct {
	ctx    context.Context
	opts   Options
	source string // the document, with the edits accepted so far
	doc    docLines
	views  map[string]*fileView // by path, of the document as it is now

	changes   []*change
	applied   []Returned
	conflicts []Conflict
}

// fileView is a planned file line by line.
type fileView struct {
	doc   docLines
	lines []string
	info  []lineInfo
}

// lineInfo is where a line of a planned file comes from.
type lineInfo struct {
	section *Section
	first   bool // the section's first line
	marks   []mark
}

// change is an edit in terms of the file as planned: lines [from,to) are to
// become text.
type change struct {
	path     string
	from, to int
	text     []string
	line     int // where it begins in the edited file, from 1

	settled bool // another change has brought it about
	clash   bool // another change wants something else for the same lines
}

// planned plans a document and cuts its files into lines.
func (d *detangler) planned(doc *org.Document) (map[string]*fileView, docLines, error) {
	out, err := Plan(d.ctx, doc, d.opts)
	if err != nil {
		return nil, docLines{}, err
	}
	lines := docLines{readable(doc)}
	views := map[string]*fileView{}
	for i := range out.Files {
		views[out.Files[i].Path] = viewOf(&out.Files[i], lines)
	}
	return views, lines, nil
}

func viewOf(file *File, doc docLines) *fileView {
	text := string(file.Content)
	v := &fileView{doc: doc, lines: textdiff.Lines(text)}
	v.info = make([]lineInfo, len(v.lines))
	for i := range file.Sections {
		s := &file.Sections[i]
		at := strings.Count(text[:s.Start], "\n")
		for j, marks := range s.marks {
			v.info[at+j] = lineInfo{section: s, first: j == 0, marks: marks}
		}
	}
	return v
}

// marksAt is where a line comes from. A blank line carries no mark; it comes
// from the line of the document behind that of the line above, if that is
// blank too.
func (v *fileView) marksAt(k int) []mark {
	at := k
	for len(v.info[at].marks) == 0 {
		if v.info[at].section == nil || v.info[at].first {
			return nil
		}
		at--
	}
	if at == k {
		return v.info[k].marks
	}
	first := v.info[at].marks[0].line
	for line := first + 1; line <= first+k-at; line++ {
		if text, ok := v.doc.line(line); !ok || strings.TrimSpace(text) != "" {
			return nil
		}
	}
	if !v.doc.sameBlock(first, first+k-at) {
		return nil
	}
	return []mark{{len(v.lines[k]), first + k - at}}
}

// stems reports whether a line comes from one of the given lines of the
// document.
func (v *fileView) stems(k int, lines map[int]bool) bool {
	for _, m := range v.marksAt(k) {
		if lines[m.line] {
			return true
		}
	}
	return false
}

// docLines is a document as its numbered lines, from 1.
type docLines struct{ *org.Document }

func (d docLines) line(number int) (string, bool) {
	span, ok := d.Line(number)
	if !ok {
		return "", false
	}
	return d.Text(span), true
}

// blockOf is the source block around a line, nil for none.
func (d docLines) blockOf(number int) *org.Node {
	span, ok := d.Line(number)
	if !ok {
		return nil
	}
	for n := d.At(span.Start); n != nil; n = n.Parent() {
		if n.Kind() == org.KindSrcBlock {
			return n
		}
	}
	return nil
}

func (d docLines) sameBlock(a, b int) bool { return a <= b && d.blockOf(a) == d.blockOf(b) }

// compare finds the edits of one file: what changed since the base and did not
// change in the document too.
func (d *detangler) compare(file Edited) {
	edited := textdiff.Lines(string(file.Text))
	view := d.views[file.Path]
	if view == nil {
		d.conflicts = append(d.conflicts, Conflict{File: file.Path, Line: 1, Edit: edited,
			Reason: "the document no longer tangles to this file"})
		return
	}
	base := view.lines
	if file.HasBase {
		base = textdiff.Lines(string(file.Base))
	}
	ours := textdiff.Compare(base, view.lines)
	for _, m := range merge(textdiff.Compare(base, edited), ours) {
		theirs, mine := edited[m.theirs0:m.theirs1], view.lines[m.ours0:m.ours1]
		switch {
		case !m.theirsChanged || equalLines(theirs, mine):
		case m.oursChanged:
			d.refuse(file.Path, m.theirs0+1, mine, theirs, "both sides changed here since the file was tangled")
		case !file.HasBase && file.DocNewer:
			d.refuse(file.Path, m.theirs0+1, mine, theirs,
				"the document is newer than the file and nothing is known of the last tangling, so either side may have changed")
		default:
			d.changes = append(d.changes, &change{path: file.Path, from: m.ours0, to: m.ours1, text: theirs, line: m.theirs0 + 1})
		}
	}
}

func (d *detangler) refuse(path string, line int, doc, edit []string, format string, args ...any) {
	d.conflicts = append(d.conflicts, Conflict{File: path, Line: line, Doc: doc, Edit: edit, Reason: fmt.Sprintf(format, args...)})
}

func equalLines(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// merged is a region that changed on at least one side, in lines of both sides.
type merged struct {
	theirs0, theirs1, ours0, ours1 int
	theirsChanged, oursChanged     bool
}

// merge aligns the changes of two descendants of one text. Changes that overlap,
// and insertions at the same place, fall into one region.
func merge(theirs, ours []textdiff.Hunk) []merged {
	var regions []merged
	offTheirs, offOurs := 0, 0 // how far each side has moved so far
	for len(theirs) > 0 || len(ours) > 0 {
		lo, hi := 0, 0
		if len(ours) == 0 || len(theirs) > 0 && theirs[0].A0 <= ours[0].A0 {
			lo, hi = theirs[0].A0, theirs[0].A1
		} else {
			lo, hi = ours[0].A0, ours[0].A1
		}
		var region merged
		startTheirs, startOurs := offTheirs, offOurs
		for grown := true; grown; {
			grown = false
			if len(theirs) > 0 && meets(theirs[0], lo, hi) {
				hi = max(hi, theirs[0].A1)
				offTheirs = theirs[0].B1 - theirs[0].A1
				region.theirsChanged, grown, theirs = true, true, theirs[1:]
			}
			if len(ours) > 0 && meets(ours[0], lo, hi) {
				hi = max(hi, ours[0].A1)
				offOurs = ours[0].B1 - ours[0].A1
				region.oursChanged, grown, ours = true, true, ours[1:]
			}
		}
		region.theirs0, region.theirs1 = lo+startTheirs, hi+offTheirs
		region.ours0, region.ours1 = lo+startOurs, hi+offOurs
		regions = append(regions, region)
	}
	return regions
}

// meets reports whether a change overlaps the lines [lo,hi) or begins where an
// empty range stands.
func meets(h textdiff.Hunk, lo, hi int) bool {
	return h.A0 < hi || h.A0 == lo && (h.A0 == h.A1 || lo == hi)
}

// joinMoves turns a deletion and an insertion of the same lines, both refused,
// into one conflict that says what happened.
func (d *detangler) joinMoves() {
	var kept []Conflict
	gone := map[int]bool{}
	for i, from := range d.conflicts {
		if gone[i] {
			continue
		}
		for j, to := range d.conflicts {
			if i != j && !gone[j] && from.File == to.File && len(from.Edit) == 0 && len(to.Doc) == 0 &&
				len(from.Doc) > 1 && equalLines(trimBlankLines(from.Doc), trimBlankLines(to.Edit)) {
				from.Edit, from.Line = to.Edit, to.Line
				from.Reason = "these lines were moved; move the block in the document instead"
				gone[j] = true
				break
			}
		}
		kept = append(kept, from)
	}
	d.conflicts = kept[:0]
	for i, c := range kept { // a partner found later than its own turn
		duplicate := false
		for j, other := range kept {
			duplicate = duplicate || j < i && other.Reason == c.Reason && other.File == c.File && other.Line == c.Line && equalLines(other.Edit, c.Edit)
		}
		if !duplicate {
			d.conflicts = append(d.conflicts, c)
		}
	}
}

func trimBlankLines(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
