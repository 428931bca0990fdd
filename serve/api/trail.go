package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"wb/agent"
	"wb/internal/trace"
)

// node is one row of a run's page, and those below it: a turn of the model with the
// calls it made, a call of an agent with that one's turns, a component, or a note. A
// call and its end are one row.
type node struct {
	ID   int // stable while the run goes on: the frame that began it
	Last int // the frame that ended it
	Kind string
	Step int
	// Turn is which turn of the run it is, from 1, as forks count; 0 for everything else,
	// and for turns of agents that were asked.
	Turn   int
	Agent  string
	Tool   string
	Args   json.RawMessage
	Text   string
	Output string
	Error  string
	Status string
	Lang   string
	Cache  string
	Exit   *int
	Millis int64
	Model  string
	Usage  *trace.Usage
	Going  bool
	Whole  bool // Output and Args are all there is
	Kids   []*node
	// From and W are its place on the time axis, in thousandths of the run.
	From, W int
	Link    string // the page of the run
	Fork    bool   // a fork may begin here
	at      int64
}

// Told reports whether the output says more than the error does.
func (n *node) Told() bool { return n.Output != "" && n.Output != n.Error }

// Failed reports whether the row is one of something that went wrong.
func (n *node) Failed() bool { return n.Error != "" || n.Exit != nil && *n.Exit != 0 }

// Arguments are the arguments of a call.
func (n *node) Arguments() []argument { return argumentsOf(n.Args) }

// Gist summarises the row in a line.
func (n *node) Gist() string {
	switch {
	case n.Kind == "thinking" && n.Text != "":
		return inLine(n.Text)
	case n.Kind == "thinking":
		var names []string
		for _, k := range n.Kids {
			names = append(names, k.Tool)
		}
		return strings.Join(names, ", ")
	case n.Kind == "component":
		return strings.TrimSpace(n.Lang + " " + n.Cache)
	case n.Kind == "call":
		return gist(n.Args)
	}
	return inLine(n.Text + n.Output)
}

// Name is the row's title.
func (n *node) Name() string {
	switch n.Kind {
	case "thinking":
		if n.Turn > 0 {
			return fmt.Sprintf("turn %d", n.Turn)
		}
		return n.Agent
	case "call", "component":
		return n.Tool
	case "review":
		return strings.TrimSpace("approval " + n.Status)
	}
	return strings.TrimSpace(n.Kind + " " + n.Tool)
}

// Said is the model's text.
func (n *node) Said() shown { return showProse(n.Text) }

// Shown is its output.
func (n *node) Shown() shown {
	if n.Tool == "done" || len(n.Kids) > 0 && n.Kids[0].Kind == "thinking" { // an agent wrote it
		return showProse(n.Output)
	}
	name := fileIn(n.Args)
	if n.Kind != "call" || strings.Contains(n.Tool, "write") {
		name = ""
	}
	return showOutput(n.Output, name)
}

// Picture is the picture that a call looked at, as a path of the run.
func (n *node) Picture() string {
	name := fileIn(n.Args)
	if n.Kind == "call" && n.Error == "" && !n.Going && pictureType(name) != "" {
		return name
	}
	return ""
}

// Inner counts the calls below it.
func (n *node) Inner() (calls int) {
	for _, k := range n.Kids {
		if k.Kind != "thinking" {
			calls++
		}
		calls += k.Inner()
	}
	return calls
}

// trail makes rows of a run's frames, those of what happened within a row below it.
func trail(frames []Frame, began, now time.Time) []*node {
	g := &grower{turns: map[string]*node{}}
	for _, f := range frames {
		g.take(f)
	}
	place(g.roots, began.UnixMilli(), max(now.Sub(began).Milliseconds(), 1))
	return g.roots
}

// grower makes a tree of frames, which come in the order things happened.
type grower struct {
	roots []*node
	open  []*node          // what is under way, innermost last
	turns map[string]*node // the latest turn of each agent
	count int              // turns of the run itself
}

func (g *grower) take(f Frame) {
	n := &node{ID: f.N, Last: f.N, Kind: f.Type, Step: f.Step, Agent: f.Agent, Tool: f.Tool, Args: f.Args, Text: f.Text, Output: f.Output, Error: f.Error,
		Status: f.Status, Exit: f.Exit, Millis: f.Millis, Model: f.Model, Usage: f.Usage, Lang: f.Lang, Cache: f.Cache, at: f.At,
		Whole: f.OutputSHA256 == "" && f.ArgsSHA256 == ""}
	if f.Component != "" && n.Tool == "" {
		n.Tool = f.Component
	}
	switch f.Type {
	case "thinking":
		above := g.caller(f.Agent)
		if above == nil {
			g.count++
			n.Turn = g.count
		}
		g.turns[f.Agent] = n
		g.under(above, n)
	case "tool_start", "component_start":
		n.Kind, n.Going = "call", true
		if f.Type == "component_start" {
			n.Kind = "component"
		}
		g.under(g.asker(f), n)
		g.open = append(g.open, n)
	case "step", "component":
		n.Kind = "call"
		if f.Type == "component" {
			n.Kind = "component"
		}
		if at := g.begun(n, f); at >= 0 {
			old := g.open[at]
			g.open = append(g.open[:at:at], g.open[at+1:]...)
			n.ID, n.Kids = old.ID, old.Kids
			if f.ArgsSHA256 != "" || len(n.Args) == 0 { // the beginning told all of them
				n.Args = old.Args
				n.Whole = f.OutputSHA256 == ""
			}
			*old = *n
			return
		}
		g.under(g.asker(f), n)
	case "done", "error": // what was under way is no longer
		for _, n := range g.open {
			n.Going = false
		}
		g.open = nil
	default:
		g.under(g.asker(f), n)
	}
}

// under puts a row below another, or at the top.
func (g *grower) under(above, n *node) {
	if above == nil {
		g.roots = append(g.roots, n)
		return
	}
	above.Kids = append(above.Kids, n)
}

// caller is the call in which an agent takes a turn, nil for the run's own agent: calls
// of agents are made one after the other, so that it is the innermost of another's.
func (g *grower) caller(agent string) *node {
	for i := len(g.open) - 1; i >= 0; i-- {
		if n := g.open[i]; n.Agent != agent || n.Kind == "component" {
			return n
		}
	}
	return nil
}

// asker is the turn that a call or note belongs to.
func (g *grower) asker(f Frame) *node {
	if f.Component != "" || f.Agent == "" { // of a workbook that a call runs
		for i := len(g.open) - 1; i >= 0; i-- {
			if g.open[i].Kind == "call" {
				return g.open[i]
			}
		}
	}
	return g.turns[f.Agent]
}

// begun is which of the rows under way a frame ends, -1 for none.
func (g *grower) begun(n *node, f Frame) int {
	for i, o := range g.open {
		if o.Kind == n.Kind && o.Tool == n.Tool && o.Agent == n.Agent && o.Step == n.Step &&
			(f.ArgsSHA256 != "" || n.Kind == "component" || bytes.Equal(compact(o.Args), compact(f.Args))) {
			return i
		}
	}
	return -1
}

// place gives rows their places on the time axis.
func place(rows []*node, began, end int64) {
	for _, n := range rows {
		from, to := n.at-began-n.Millis, n.at-began
		if n.Going {
			from, to = to, end
		}
		if n.at > 0 && to >= 0 {
			from, to = max(from, 0), min(to, end)
			n.From = int(min(from*1000/end, 996))
			n.W = int(max((to-from)*1000/end, 4))
		}
		place(n.Kids, began, end)
	}
}

// each visits rows and those below them.
func each(rows []*node, visit func(*node)) {
	for _, n := range rows {
		visit(n)
		each(n.Kids, visit)
	}
}

func compact(text json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// The words for how a run stands.
const (
	wordWaits = "waiting for you"
	wordDone  = "done"
	wordBound = "stopped at a bound"
)

// statusWord is how a run stands, in words.
func statusWord(status string, waits bool) string {
	switch status {
	case statusRunning:
		if waits {
			return wordWaits
		}
		return "running"
	case agent.StatusDone, agent.StatusText, agent.StatusSilent:
		return wordDone
	case agent.StatusMaxSteps, agent.StatusTimeout, agent.StatusBudget:
		return wordBound
	case agent.StatusError:
		return "failed"
	case agent.StatusBlocked:
		return "refused by the guard"
	}
	return strings.ReplaceAll(status, "_", " ")
}

// statusClass is the class of a status on the page.
func statusClass(status string, waits bool) string {
	switch word := statusWord(status, waits); word {
	case wordWaits:
		return "waiting"
	case wordDone:
		return "done"
	case wordBound:
		return "bound"
	default:
		return status
	}
}
