package run

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"wb/internal/diag"
	"wb/workbook/plan"
)

// touched says which directories of the workbook a block touches: the one where
// it stands (:dir), and the one that its file goes to; "" for none.
type touched struct{ stands, writes string }

// touches takes a block's directories from its header arguments. Components of
// workflows touch none: their :dir: is where their further sources lie.
func touches(c *plan.Component) touched {
	code := c
	if c.Target().Present() {
		if code = c.Callee(); code == nil {
			return touched{}
		}
	}
	if code.Kind == plan.KindData || code.Dialect == plan.DialectWorkflow {
		return touched{}
	}
	args := argSet{c.Args}
	var t touched
	dir, _, _ := args.text(":dir") // what is wrong with it is said when the block is prepared
	if dir != "" {
		t.stands = path.Clean("/" + dir)
	}
	file, _, _ := args.text(":file")
	out, _, _ := args.text(":output-dir")
	if below := path.Dir(path.Join("/", dir, out, file)); (file != "" || out != "") && below != "/" {
		t.writes = below
	}
	return t
}

// makes is the file of the tree that a component's :file names, "" for none.
func makes(c *plan.Component) string {
	args := argSet{c.Args}
	file, _, _ := args.text(":file")
	code := c
	if callee := c.Callee(); callee != nil {
		code = callee
	}
	if ext, _, _ := args.text(":file-ext"); file == "" && ext != "" && code.Name != "" {
		file = code.Name + "." + ext
	}
	if file == "" {
		return ""
	}
	dir, _, _ := args.text(":dir")
	out, _, _ := args.text(":output-dir")
	return strings.TrimPrefix(path.Join("/", dir, out, file), "/")
}

// overlap reports whether one directory is the other or lies below it.
func overlap(a, b string) bool {
	within := func(dir, name string) bool { return strings.HasPrefix(name+"/", strings.TrimSuffix(dir, "/")+"/") }
	return within(a, b) || within(b, a)
}

// visitors are the blocks that touched a directory so far: the last one that
// stood there, and those that have written there since.
type visitors struct {
	stood   int // -1 for none
	written []int
}

// directoryOrder makes blocks that share a directory take turns in the order of
// the document, as far as what they wait for allows: the result lists whom each
// block lets go first. That is no need: whoever goes first may fail, and does
// not run for this.
func (r *runner) directoryOrder(waits plan.Graph) plan.Graph {
	g := make(plan.Graph, len(r.plan.Components))
	seen := map[string]*visitors{}
	at := func(dir string) *visitors {
		if seen[dir] == nil {
			seen[dir] = &visitors{stood: -1}
		}
		return seen[dir]
	}
	for _, i := range waits.Order() {
		if r.tasks[i] == nil || r.faults[i] != nil {
			continue
		}
		t := touches(r.plan.Components[i])
		for dir, before := range seen {
			stands := t.stands != "" && overlap(t.stands, dir)
			if before.stood >= 0 && (stands || t.writes != "" && overlap(t.writes, dir)) {
				g[i] = append(g[i], before.stood)
			}
			if stands {
				g[i] = append(g[i], before.written...)
			}
		}
		if t.writes != "" {
			v := at(t.writes)
			v.written = append(v.written, i)
		}
		if t.stands != "" {
			*at(t.stands) = visitors{stood: i}
		}
	}
	return g
}

// seenBy is the tree as a component sees it. What the components of a sibling
// workflow make is not there, unless one makes it whose outputs are seen.
func (r *runner) seenBy(c *plan.Component) view {
	v := view{tree: r.files}
	if c.World == nil {
		return v
	}
	v.hidden = map[string]bool{}
	var seen []string
	for _, other := range r.plan.Components {
		switch name := makes(other); {
		case name == "":
		case other.World.Apart(c.World):
			v.hidden[name] = true
		default:
			seen = append(seen, name)
		}
	}
	for _, name := range seen {
		delete(v.hidden, name)
	}
	return v
}

// guest is the tree for one run of a program, whose directory is there: :mkdirp
// yes makes it. Blocks of a session see what those before them wrote.
func (r executor) guest(p *program, s *session) (*guestTree, error) {
	g := r.seenBy(p.owner).guest()
	if err := s.give(g); err != nil {
		return nil, fmt.Errorf("the files of the session: %w", err)
	}
	dir := strings.TrimPrefix(p.job.Dir, "/")
	if dir == "" {
		return g, nil
	}
	for _, there := range []func(string) (fs.FileInfo, error){g.tree.stat, g.overlay.Upper().Stat} {
		if info, err := there(dir); err == nil && info.IsDir() {
			return g, nil
		}
	}
	if !plan.IsSet(p.args.Args, ":mkdirp") && !r.madeAbove(p.owner, "/"+dir) {
		return nil, diag.Errorf(p.owner.Pos, ":dir %s: there is no such directory", p.job.Dir).WithHint(":mkdirp yes makes it")
	}
	return g, g.overlay.Upper().MkdirAll(dir)
}

// madeAbove reports whether a block above one makes a directory with :mkdirp, or one
// below it. What a sibling workflow makes does not count.
func (r executor) madeAbove(owner *plan.Component, dir string) bool {
	for _, c := range r.plan.Components {
		if c == owner {
			break
		}
		if !c.World.Apart(owner.World) && plan.IsSet(c.Args, ":mkdirp") && strings.HasPrefix(touches(c).stands+"/", dir+"/") {
			return true
		}
	}
	return false
}
