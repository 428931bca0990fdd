package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"wb/agent/host"
	"wb/internal/diag"
	"wb/internal/textdiff"
	"wb/internal/trace"
	"wb/internal/trace/activity"
)

type agentShowCmd struct {
	ID    string `arg:"" name:"run" help:"Id of the run."`
	Files bool   `help:"List the files it has written, compared with the directory as it is now." xor:"what"`
	Diff  bool   `help:"Show how the files it has written differ from the directory." xor:"what"`
	Apply bool   `help:"Write them into the directory." xor:"what"`
	Force bool   `help:"With --apply, replace files that were changed since the run began."`
}

func (c *agentShowCmd) Help() string {
	return "Examples:\n  wb agent show 01KA7R2M8T\n  wb agent show 01KA7R2M8T --diff\n  wb agent show 01KA7R2M8T --apply\n\nWrites of a run stay with it unless it was given --write. --diff shows what they would\nchange, --apply changes it."
}

func (c *agentShowCmd) Run(a *terminal) error {
	state, err := userState()
	if err != nil {
		return err
	}
	rt := &host.Runtime{State: state}
	record, err := agentRecord(state, c.ID)
	if err != nil {
		return err
	}
	if c.Files || c.Diff || c.Apply {
		return c.files(a, rt, record)
	}
	text, err := os.ReadFile(record.Events)
	if err != nil {
		return err
	}
	var events []trace.Event
	lines := []activity.Line{}
	for e := range trace.Events(text) {
		if e.Run == c.ID {
			events, lines = append(events, e), append(lines, activity.LineOf(e))
		}
	}
	task, _ := rt.TaskOf(c.ID)
	return a.answer("agent", map[string]any{"run": record, "task": task.Text, "events": lines}, func(w io.Writer) error {
		if task.Text != "" {
			fmt.Fprintf(w, "task %s\n", strings.Join(strings.Fields(task.Text), " "))
		}
		for _, e := range events {
			if e.Kind != trace.KindRun {
				fmt.Fprintf(w, "%s%s\n", eventLine(e), spent(e))
			}
		}
		return nil
	})
}

// agentRecord finds a run.
func agentRecord(state *trace.State, id string) (trace.RunRecord, error) {
	all, err := state.Runs()
	if err != nil {
		return trace.RunRecord{}, err
	}
	for _, r := range all {
		if r.Run == id {
			return r, nil
		}
	}
	return trace.RunRecord{}, &diag.NotFoundError{What: "there is no run " + id, Help: "wb agent list"}
}

// spent is what an event took, in time, tokens and dollars.
func spent(e trace.Event) string {
	var parts []string
	if e.Duration >= time.Millisecond {
		parts = append(parts, e.Duration.Round(time.Millisecond).String())
	}
	if n := e.Usage.TokensIn + e.Usage.TokensOut; n > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", n))
	}
	if e.Usage.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", e.Usage.CostUSD))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  [" + strings.Join(parts, ", ") + "]"
}

// fileJSON is a file of a run for programs.
type fileJSON struct {
	Path   string `json:"path"`
	Change string `json:"change"` // add, change, remove or same
	Bytes  int    `json:"bytes"`
	Diff   string `json:"diff,omitempty"`
}

// files lists, compares or writes what the run has made.
func (c *agentShowCmd) files(a *terminal, rt *host.Runtime, record trace.RunRecord) error {
	files, err := rt.Files(c.ID)
	if err != nil {
		return err
	}
	rows := []fileJSON{}
	for _, f := range files.Changes {
		row := fileJSON{Path: f.Path, Change: f.Kind(), Bytes: len(f.Content)}
		if c.Diff && row.Change != "same" {
			row.Diff = differenceOf(f)
		}
		rows = append(rows, row)
	}
	if c.Apply {
		since := record.Started
		if c.Force {
			since = time.Time{}
		}
		if err := files.Apply(since); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		a.note("wb: run %s wrote no files", c.ID)
	}
	return a.answer("agent", map[string]any{"run": c.ID, "dir": files.Dir, "written": files.Written || c.Apply, "files": rows}, func(w io.Writer) error {
		for _, row := range rows {
			if c.Diff {
				fmt.Fprint(w, row.Diff)
				continue
			}
			fmt.Fprintf(w, "%-6s  %8d  %s\n", row.Change, row.Bytes, row.Path)
		}
		return nil
	})
}

// differenceOf is a change as people read it.
func differenceOf(f host.Change) string {
	if !utf8.Valid(f.Now) || !utf8.Valid(f.Content) {
		return fmt.Sprintf("%s: %d bytes become %d\n", f.Path, len(f.Now), len(f.Content))
	}
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.Missing {
		from = "/dev/null"
	}
	if f.Removed {
		to = "/dev/null"
	}
	return textdiff.Unified(from, to, string(f.Now), string(f.Content))
}
