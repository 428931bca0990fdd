package run

import (
	"path"
	"strings"

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
