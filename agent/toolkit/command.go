package toolkit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/org"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/sandbox/grants"
	"wb/workbook"
)

// readCommand reads a heading :command:, whose first source block is the
// program.
func readCommand(doc *org.Document, file string, h org.Headline) (Command, error) {
	var c Command
	c.Name, _ = h.Property("ID")
	if c.Name == "" {
		c.Name = strings.TrimSpace(h.Title.Text)
	}
	if !slug.MatchString(c.Name) {
		return c, fmt.Errorf("%s: %q cannot be a command's name: use letters, digits, dots and hyphens", at(doc, file, h.Start()), c.Name)
	}
	c.Tagline, _ = h.Property("TAGLINE")
	caps, _ := h.Property("CAPS")
	c.Caps = strings.Fields(caps)
	for _, word := range c.Caps {
		if !slices.Contains(known(), grants.Capability(word)) {
			return c, fmt.Errorf("%s: command %s asks for %s; commands may ask for %s", at(doc, file, h.Start()), c.Name, word, strings.Join(known(), ", "))
		}
	}
	for b := range doc.Blocks(org.KindSrcBlock) {
		if b.Start() < h.Start() || b.Start() >= h.End() {
			continue
		}
		c.Lang = strings.ToLower(b.Lang.Text)
		line, col := doc.Position(b.Body.Start)
		c.source = &compile.Source{Pos: diag.Position{File: file, Line: line, Col: col}, Lang: c.Lang, Body: b.Code(), Shape: compile.ShapeCommand, Args: map[string][]string{}}
		return c, nil
	}
	return c, fmt.Errorf("%s: command %s has no source block", at(doc, file, h.Start()), c.Name)
}

// The capabilities that commands may ask for besides those of the dock. Files is
// the working directory, changes included; it is granted by whoever runs the
// command on one, and stands in the place of the dock's volumes.
const (
	CapFiles  = "vfs"
	CapClock  = "clock"
	CapRandom = "random"
)

// known are the capabilities there are, sorted.
func known() []string {
	all := append(dock.Capabilities(), CapFiles, CapClock, CapRandom)
	slices.Sort(all)
	return slices.Compact(all)
}

// Call is one execution of a command.
type Call struct {
	Args  []string
	Stdin io.Reader
	// Files is the tree for commands that ask for vfs; nil means none.
	Files sandbox.FS
	// Grants are capabilities that the user grants besides vfs.
	Grants []string
	// Docks serve capabilities other than vfs, clock and random; nil serves
	// none.
	Docks workbook.Docks
	// Trace hears what the dock denies; nil drops it.
	Trace  trace.Sink
	Limits sandbox.Limits
}

// DefaultLimits bound a command.
var DefaultLimits = sandbox.Limits{Timeout: 60 * time.Second, Fuel: 50_000_000_000, Memory: 256 << 20}

// NotGrantedError says which capability a command asks for and does not get.
type NotGrantedError struct{ Command, Cap string }

func (e *NotGrantedError) Error() string { return fmt.Sprintf("%s asks for %s", e.Command, e.Cap) }

// Hint says how to grant it.
func (e *NotGrantedError) Hint() string { return "--grant " + e.Cap }

// ExitCode is that of things not permitted.
func (e *NotGrantedError) ExitCode() int { return diag.ExitForbidden }

// NotServedError says which capability a command was granted that nothing here
// serves.
type NotServedError struct{ Command, Cap string }

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%s asks for %s, but only vfs, clock and random are served here", e.Command, e.Cap)
}

// Hint says where it is served.
func (e *NotServedError) Hint() string { return "wb toolkit run serves it" }

// ExitCode is that of things not permitted.
func (e *NotServedError) ExitCode() int { return diag.ExitForbidden }

// Run builds and runs a command in the sandbox.
func (t *Toolkit) Run(ctx context.Context, lanes *compile.Registry, name string, call Call) (*compile.Outcome, error) {
	i := slices.IndexFunc(t.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		var names []string
		for _, c := range t.Commands {
			names = append(names, c.Name)
		}
		return nil, &diag.NotFoundError{What: fmt.Sprintf("no such command: %s/%s", t.ID, name), Help: among(name, names, t.ID+" has no commands")}
	}
	c := t.Commands[i]
	job := &compile.Job{Args: call.Args, Limits: call.Limits, Source: c.source}
	if job.Limits == (sandbox.Limits{}) {
		job.Limits = DefaultLimits
	}
	var docked []string
	for _, word := range c.Caps {
		switch both := grants.Ceiling(call.Grants, []string{word}); {
		case word == CapFiles:
			if call.Files == nil {
				return nil, &NotGrantedError{t.ID + "/" + name, word}
			}
			job.Files = call.Files
		case len(both) == 0:
			return nil, &NotGrantedError{t.ID + "/" + name, word}
		case word == CapClock:
			job.Caps.Clock = true
		case word == CapRandom:
			job.Caps.Random = true
		case call.Docks == nil:
			return nil, &NotServedError{t.ID + "/" + name, word}
		default:
			docked = append(docked, both...)
		}
	}
	if call.Docks != nil {
		job.Dock = call.Docks(ctx, call.request(t.ID+"/"+name, docked, job.Limits))
		defer job.Dock.Close()
	}
	lane, art, err := c.build(ctx, lanes)
	if err != nil {
		return nil, err
	}
	if call.Stdin != nil {
		var in bytes.Buffer
		if _, err := io.Copy(&in, call.Stdin); err != nil {
			return nil, err
		}
		job.Stdin = in.Bytes()
	}
	return lane.Run(ctx, art, job)
}

// request is a command's request to a dock.
func (call *Call) request(command string, granted []string, limits sandbox.Limits) workbook.DockRequest {
	tell := func(e trace.Event) {
		if call.Trace != nil {
			_ = call.Trace.Emit(e) // reported by whoever made the trace
		}
	}
	return workbook.DockRequest{Component: command, Granted: granted, Limits: limits,
		Denied: func(d dock.Denial) {
			tell(trace.Event{Kind: trace.KindDenial, Component: command, Tool: d.Operation, Error: d.Reason})
		},
		Used: func(operation, name string) {
			tell(trace.Event{Kind: trace.KindLog, Component: command, Tool: operation, Output: name})
		}}
}

// build compiles a command; lanes keep what they built.
func (c Command) build(ctx context.Context, lanes *compile.Registry) (compile.Lane, *compile.Artifact, error) {
	lane, ok := lanes.Lookup(c.Lang)
	if !ok {
		return nil, nil, diag.Errorf(c.source.Pos, "unknown language %s", c.Lang)
	}
	if !slices.Contains(lane.Info().Shapes, compile.ShapeCommand) {
		return nil, nil, diag.Errorf(c.source.Pos, "%s blocks cannot be commands", c.Lang)
	}
	art, err := lane.Build(ctx, c.source)
	return lane, art, err
}
