package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wb/compile/place/tier"
	"wb/internal/clip"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/workbook"
)

// RunFlags say how a workbook is run, from any door.
type RunFlags struct {
	Only    []string         `help:"Run only these components and what they need." placeholder:"ID" complete:"names"`
	Lines   string           `help:"Run only the components in these lines, 12 or 12:40, and what they need." placeholder:"LINES"`
	Set     map[string]Given `help:"Give an input: name=value (JSON or text) or name=@file." placeholder:"NAME=VALUE" mapsep:"none"`
	Input   Given            `help:"Input of a workflow's first components: text, @file, or - for standard input."`
	NoWrite bool             `help:"Do not write results into the files."`
	Force   bool             `help:"Run components even if nothing changed."`
	Jobs    int              `on:"terminal" short:"j" help:"The most components to run at once; one per processor by default."`
	Grant   []string         `on:"terminal" help:"Grant a capability, such as clock or net:api.example.com." placeholder:"CAP"`
	Profile string           `on:"terminal" enum:"compute,minimal,network,posix" default:"compute" help:"Profile of the components (${enum})."`
	Limits  string           `help:"The highest limits a component may ask for: timeout=60s,memory=512MiB,fuel=1e11,output=64MiB." placeholder:"LIMITS"`
	Expect  bool             `help:"Fail when a #+EXPECT: line of the workbook does not hold."`
	Strict  bool             `help:"Run nothing when lint finds an error anywhere in the workbook."`

	TierFlags
}

// TierFlags choose how far from this process programs run.
type TierFlags struct {
	Tier      string `on:"terminal" enum:"instance,process,container,node" default:"instance" help:"Where programs run: in this process, in a child of it, in a container, or at the workers of --nats (${enum})."`
	TrustTier string `on:"terminal" enum:"auto,instance,process,container,node" default:"auto" help:"The same for third-party documents; auto is one tier above, instance accepts the risk, with no grants (${enum})."`
}

// Choose puts the choice into a run's options.
func (f TierFlags) Choose(opts *workbook.Options) {
	if f.Tier != string(tier.Instance) {
		opts.Tier = f.Tier
	}
	if f.TrustTier != "auto" {
		opts.TrustTier = f.TrustTier
	}
}

// Options returns the run's options from the flags.
func (f RunFlags) Options(h *Home) (workbook.Options, error) {
	if f.Jobs < 0 {
		return workbook.Options{}, diag.Usagef("", "--jobs takes a positive number, not \"%d\"", f.Jobs)
	}
	opts := workbook.Options{
		Selection: workbook.Selection{Only: f.Only, Force: f.Force},
		Authority: workbook.Authority{Grants: f.Grant, Profile: f.Profile},
		Venue:     workbook.Venue{Jobs: f.Jobs},
		Checks:    workbook.Checks{Strict: f.Strict},
		Write:     workbook.WriteIf(!f.NoWrite),
	}
	var err error
	if opts.Set, err = h.Values(f.Set); err != nil {
		return opts, err
	}
	if opts.Input, err = h.input(f.Input); err != nil {
		return opts, err
	}
	if opts.Limits, err = ParseLimits(f.Limits); err != nil {
		return opts, err
	}
	f.Choose(&opts)
	return opts, nil
}

// RunIn holds the arguments of wb run from programs and agents.
type RunIn struct {
	File string `arg:"" help:"Path of a workbook."`
	Text string `kong:"-" json:"text" help:"Org text to run in place of the file's text."`
	RunFlags
}

var run = Verb[RunIn, *RunOut]{
	Name: "run", Help: "Compile and run what changed, write results, record events.",
	Model: "Run a workbook in the sandbox, with only the capabilities that this server was started with, and get its exports and the outcome of each component.",
	Doors: Tools | Agents | Editors, Changes: true, Runs: true,
	Do: func(ctx context.Context, h *Home, in *RunIn) (*RunOut, error) { return in.Run(ctx, h) },
	Text: func(p *Page, out *RunOut) error {
		if p.Reader == Model {
			return out.model(p)
		}
		return out.Text(p)
	},
}

// Run runs the workbook. An error that stopped the run comes with the output so
// far, if any.
func (in *RunIn) Run(ctx context.Context, h *Home) (*RunOut, error) {
	name, path, src, err := in.read(h)
	if err != nil {
		return nil, err
	}
	opts, err := in.Options(h)
	if err != nil {
		return nil, err
	}
	opts.File, opts.Source = path, src
	if !h.Write {
		opts.Write = workbook.WriteNothing
	}
	if in.Lines != "" {
		if opts.Only, err = ComponentsIn(path, src, in.Lines); err != nil {
			return nil, err
		}
	}
	if h.Options != nil {
		h.Options(&opts)
	}
	ran, err := h.Run(ctx, opts)
	out := NewRunOut(ran)
	if err != nil || !in.Expect {
		return out, err
	}
	for _, u := range ran.CheckExpectations() {
		out.Unmet = append(out.Unmet, u.Error())
	}
	if len(out.Unmet) > 0 {
		out.Status, out.File = "failed", name
	}
	return out, nil
}

func (in *RunIn) read(h *Home) (name, path string, src []byte, err error) {
	if in.Text == "" {
		return h.Read(in.File)
	}
	return in.File, filepath.Join(h.Dir, in.File), []byte(in.Text), nil
}

// RunOut is a run as programs read it.
type RunOut struct {
	ID         string                     `json:"run,omitempty"`
	Status     string                     `json:"status"`
	Components []ComponentOut             `json:"components"`
	Exports    map[string]json.RawMessage `json:"exports"`
	Wrote      bool                       `json:"wrote"`
	Edits      []EditOut                  `json:"edits,omitempty"` // of a text on standard input
	DurMS      int64                      `json:"dur_ms"`
	Lint       []diag.Finding             `json:"lint,omitempty"`
	Tier       string                     `json:"tier"`
	TierNotes  []string                   `json:"tier_notes,omitempty"`
	Unmet      []string                   `json:"unmet,omitempty"` // expectations that do not hold
	File       string                     `json:"-"`
	Ran        *Ran                       `json:"-"`
}

// ComponentOut is a component of a run as programs read it.
type ComponentOut struct {
	ID     string          `json:"id"`
	Lang   string          `json:"lang"`
	Status workbook.Status `json:"status"`
	Why    string          `json:"why,omitempty"`
	Value  value.Value     `json:"value"`
	Exit   int             `json:"exit"`
	Fuel   int64           `json:"fuel"`
	Memory int64           `json:"memory"`
	DurMS  float64         `json:"dur_ms"`
	Queued float64         `json:"queued_ms,omitempty"`
	Stdout string          `json:"stdout,omitempty"` // of what was stopped
	Stderr string          `json:"stderr,omitempty"`
	Error  string          `json:"error,omitempty"`
	Hint   string          `json:"hint,omitempty"`
	File   string          `json:"file"`
	Line   int             `json:"line"`
}

// EditOut replaces the bytes from start to end of the text that was run.
type EditOut struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// NewRunOut is a run as programs read it; nil for one that did not begin.
func NewRunOut(ran *Ran) *RunOut {
	if ran == nil || ran.Report == nil {
		return nil
	}
	r := ran.Report
	out := &RunOut{ID: ran.ID, Status: ran.Outcome.Status, Components: []ComponentOut{}, Exports: map[string]json.RawMessage{}, Wrote: r.Wrote,
		DurMS: r.Duration.Milliseconds(), Lint: r.Findings, Tier: r.Tier, TierNotes: r.TierNotes, Ran: ran}
	for _, e := range r.Exports {
		out.Exports[e.Name] = e.Value.AppendJSON(nil)
	}
	for _, d := range r.Components {
		out.Components = append(out.Components, NewComponentOut(d))
	}
	return out
}

// NewComponentOut is a component that has ended, as programs read it.
func NewComponentOut(d workbook.Done) ComponentOut {
	c := ComponentOut{ID: d.ID, Lang: d.Lang, Status: d.Status, Why: d.Why, Value: d.Value, Exit: d.Exit, Fuel: d.Usage.Fuel,
		Memory: d.Usage.Memory, DurMS: float64(d.Duration.Microseconds()) / 1000, Queued: float64(d.Queued.Milliseconds()), Stderr: d.Stderr, File: d.Pos.File, Line: d.Pos.Line}
	if d.Err != nil {
		c.Error, c.Hint, c.Stdout = d.Err.Error(), diag.HintOf(d.Err), d.Stdout
	}
	return c
}

// EditsOut are edits of a text as programs read them.
func EditsOut(edits []org.Edit) []EditOut {
	list := make([]EditOut, len(edits))
	for i, e := range edits {
		list[i] = EditOut{e.Start, e.End, e.New}
	}
	return list
}

// Exit is 1 when a component failed or an expectation does not hold.
func (out *RunOut) Exit() int {
	if len(out.Unmet) > 0 {
		return diag.ExitFailed
	}
	return out.Ran.Exit()
}

// longestLine keeps an export on one readable line; JSON has all of it.
const longestLine = 500

// Text writes the exports, one a line.
func (out *RunOut) Text(p *Page) error {
	for _, e := range out.Ran.Exports {
		if _, err := fmt.Fprintf(p, "%s = %s\n", e.Name, clip.Bytes(e.Value.String(), longestLine)); err != nil {
			return err
		}
	}
	return nil
}

// model writes what failed, what was not granted, and the exports as JSON.
func (out *RunOut) model(p *Page) error {
	for _, d := range out.Ran.Components {
		if d.Status == workbook.StatusFailed {
			fmt.Fprintf(p, "%s failed: %v\n", d.ID, d.Err)
		}
		for _, w := range d.Warnings {
			if w.Code == "not-granted" {
				fmt.Fprintf(p, "note: %s\n", w.Message)
			}
		}
	}
	for _, u := range out.Unmet {
		fmt.Fprintln(p, u)
	}
	_, err := fmt.Fprintln(p, value.OfObject(out.Ran.Exports...))
	return err
}

// Summary is how many components ran, were cached, failed.
func Summary(r *workbook.Report) string {
	var parts []string
	for _, s := range []struct {
		status workbook.Status
		word   string
	}{{workbook.StatusOK, "ran"}, {workbook.StatusCached, "cached"}, {workbook.StatusSkipped, "skipped"},
		{workbook.StatusFailed, "failed"}, {workbook.StatusBlocked, "blocked"}, {workbook.StatusCancelled, "cancelled"}} {
		if n := r.Count(s.status); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.word))
		}
	}
	if len(r.Components) == 0 {
		return "nothing to run: blocks stand between #+begin_src LANGUAGE and #+end_src"
	}
	if len(parts) == 0 {
		parts = []string{"nothing to run"}
	}
	text := fmt.Sprintf("%s in %v", strings.Join(parts, ", "), r.Duration.Round(time.Millisecond))
	if r.Tier == string(tier.Process) || r.Tier == string(tier.Container) {
		text += ", tier " + r.Tier
	}
	return text
}

// ComponentsIn are the ids of the components in lines, 12 or 12:40.
func ComponentsIn(file string, src []byte, lines string) ([]string, error) {
	first, last, err := linesRange(lines)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, comp := range workbook.NewPlan(file, src).Within(first, last) {
		ids = append(ids, comp.ID)
	}
	if len(ids) == 0 {
		return nil, diag.NotFoundf("", "%s:%d: nothing to run here", file, first)
	}
	return ids, nil
}

func linesRange(text string) (first, last int, err error) {
	from, to, ranged := strings.Cut(text, ":")
	if !ranged {
		to = from
	}
	first, err = strconv.Atoi(from)
	if err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, diag.Usagef("--lines 12 or --lines 12:40", "--lines %s: no range of lines", text)
	}
	return first, last, nil
}
