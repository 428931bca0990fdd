package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wb/compile/place/tier"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/workbook"
)

// componentLine tells a person that a component's turn ended; what was cached
// or is mere data is only told with -v.
func (a *app) componentLine(d workbook.Done) {
	say := a.note
	if d.Status == workbook.StatusFailed {
		say = a.complain
	}
	if d.Status == workbook.StatusCancelled && !a.verbose {
		return // the last line counts them
	}
	quietly := d.Status == workbook.StatusCached || d.Status == workbook.StatusData || d.Status == workbook.StatusSkipped
	if a.json || quietly && !a.verbose {
		return
	}
	mark, shade := "✓", "\x1b[32m"
	switch d.Status {
	case workbook.StatusFailed:
		mark, shade = "✗", "\x1b[31m"
	case workbook.StatusBlocked, workbook.StatusCancelled:
		mark, shade = "–", "\x1b[33m"
	case workbook.StatusCached, workbook.StatusData, workbook.StatusSkipped:
		mark, shade = "·", "\x1b[2m"
	}
	if colour(a.std.Err) {
		mark = shade + mark + "\x1b[0m"
	}
	detail := string(d.Status)
	if d.Status == workbook.StatusOK {
		detail = fmt.Sprintf("%v, %s fuel", d.Duration.Round(100*time.Microsecond), thousands(d.Usage.Fuel))
	}
	say("%s %-28s %-10s %s", mark, d.ID, d.Lang, detail)
	for _, w := range d.Warnings {
		say("    %s", w)
		if w.Hint != "" {
			say("    hint: %s", w.Hint)
		}
	}
	if d.Err == nil && d.Status == workbook.StatusOK {
		a.stderrOf(d)
	}
	if d.Err != nil {
		say("    %s", strings.ReplaceAll(d.Err.Error(), "\n", "\n    "))
		if hint := hintOf(d.Err); hint != "" {
			say("    hint: %s", hint)
		}
		a.printedBefore(d)
	}
}

// printedBefore shows what a program that failed had printed: all of its standard
// error beyond the line that the error shows, and the end of its standard output
// when it was stopped.
func (a *app) printedBefore(d workbook.Done) {
	if said := strings.TrimSpace(d.Stderr); strings.Contains(said, "\n") || !strings.Contains(d.Err.Error(), said) {
		a.streamOf("stderr", d.Stderr, false)
	}
	var limit *sandbox.LimitError
	if errors.As(d.Err, &limit) {
		a.streamOf("stdout", d.Stdout, true)
	}
}

// maxStderr is how many lines of a program's standard error are shown.
const maxStderr = 20

// stderrOf shows what a program that succeeded wrote to standard error.
func (a *app) stderrOf(d workbook.Done) { a.streamOf("stderr", d.Stderr, false) }

// streamOf shows the beginning of what a program wrote, or the end.
func (a *app) streamOf(name, text string, end bool) {
	said := strings.TrimRight(string(sandbox.Neutralize([]byte(text))), " \r\n")
	if said == "" {
		return
	}
	lines := strings.Split(said, "\n")
	more := max(0, len(lines)-maxStderr)
	if end {
		if more > 0 {
			a.note("    %s: … %d lines before these: wb run --json has them", name, more)
		}
		lines, more = lines[more:], 0
	}
	for _, line := range lines[:len(lines)-more] {
		a.note("    %s: %s", name, line)
	}
	if more > 0 {
		a.note("    %s: … %d more lines: wb run --json has them", name, more)
	}
}

// thousands writes a count so that its size can be read: 1.2M.
func thousands(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// findings shows what lint found before a run that could not start. One mistake
// alone is what the run ends with.
func (a *app) findings(r *workbook.Report) {
	if r == nil || a.json {
		return
	}
	mistakes := slices.DeleteFunc(slices.Clone(r.Findings), func(d diag.Finding) bool { return d.Severity != diag.Error })
	if len(mistakes) < 2 {
		return
	}
	for _, d := range mistakes {
		a.complain("%s", d)
	}
}

// runJSON is a run as --json answers it.
type runJSON struct {
	Components []componentJSON            `json:"components"`
	Exports    map[string]json.RawMessage `json:"exports"`
	Wrote      bool                       `json:"wrote"`
	Edits      []editJSON                 `json:"edits,omitempty"` // of a text on standard input
	DurMS      int64                      `json:"dur_ms"`
	Lint       []diag.Finding             `json:"lint,omitempty"`
	Tier       string                     `json:"tier"`
	TierNotes  []string                   `json:"tier_notes,omitempty"`
}

type componentJSON struct {
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

// reportRun prints exports and a summary, and fails when a component failed.
func (a *app) reportRun(r *workbook.Report) error {
	if a.json {
		return a.reportData(r, runData(r))
	}
	for _, e := range r.Exports {
		fmt.Fprintf(a.std.Out, "%s = %s\n", e.Name, clipLine(e.Value.String()))
	}
	for _, n := range r.Notes {
		a.note("%s:%s", r.Plan.File, n)
	}
	a.tierNotes(r)
	a.ending(r)
	a.moved(r)
	return failure(r)
}

// ending tells how many components ran and why the others did not, a line for
// each reason.
func (a *app) ending(r *workbook.Report) {
	a.note("%s", summary(r))
	for _, line := range r.Reasons() {
		a.note("  %s", line)
	}
	if n := r.Idle(); n > 0 {
		a.note("  %s: wb lint %s", idle(n), r.Plan.File)
	}
}

func idle(n int) string {
	if n == 1 {
		return "1 mistake that stops nothing"
	}
	return fmt.Sprintf("%d mistakes that stop nothing", n)
}

// moved says where errors are now that results stand above them. They were told
// while the run went on, with the places that they had then.
func (a *app) moved(r *workbook.Report) {
	said := false
	for _, d := range r.Components {
		if d.Err == nil || d.Status == workbook.StatusBlocked {
			continue
		}
		for line := range strings.SplitSeq(d.Err.Error(), "\n") {
			now := r.Relocated(line)
			if now == line {
				continue
			}
			if !said {
				a.complain("results have moved lines; the errors are now at")
				said = true
			}
			a.complain("    %s", now)
		}
	}
}

// reportText prints the text that was read from standard input, with results.
func (a *app) reportText(src []byte, r *workbook.Report) error {
	if err := a.printText(src, r); err != nil {
		return err
	}
	a.ending(r)
	return failure(r)
}

// reportData answers with the envelope.
func (a *app) reportData(r *workbook.Report, data runJSON) error {
	if err := a.answer("run", data, nil); err != nil {
		return err
	}
	return failure(r)
}

// failure is the error of a run in which a component failed, which was told.
func failure(r *workbook.Report) error {
	if r.Failed() != nil {
		return alreadyReported(failedCode(r))
	}
	return nil
}

// failedCode is the exit code of a run in which components failed: that of a
// missing toolchain where nothing else went wrong.
func failedCode(r *workbook.Report) int {
	for _, d := range r.Components {
		if d.Status == workbook.StatusFailed && exitCode(d.Err) != diag.ExitUnavailable {
			return diag.ExitFailed
		}
	}
	return diag.ExitUnavailable
}

func runData(r *workbook.Report) runJSON {
	data := runJSON{Components: []componentJSON{}, Exports: map[string]json.RawMessage{}, Wrote: r.Wrote, DurMS: r.Duration.Milliseconds(), Lint: r.Findings,
		Tier: r.Tier, TierNotes: r.TierNotes}
	for _, e := range r.Exports {
		data.Exports[e.Name] = e.Value.AppendJSON(nil)
	}
	for _, d := range r.Components {
		data.Components = append(data.Components, componentData(d))
	}
	return data
}

func componentData(d workbook.Done) componentJSON {
	c := componentJSON{ID: d.ID, Lang: d.Lang, Status: d.Status, Why: d.Why, Value: d.Value, Exit: d.Exit, Fuel: d.Usage.Fuel,
		Memory: d.Usage.Memory, DurMS: float64(d.Duration.Microseconds()) / 1000, Queued: float64(d.Queued.Milliseconds()), Stderr: d.Stderr, File: d.Pos.File, Line: d.Pos.Line}
	if d.Err != nil {
		c.Error, c.Hint, c.Stdout = d.Err.Error(), hintOf(d.Err), d.Stdout
	}
	return c
}

// summary is the last line of a run: how many ran, were cached, failed.
func summary(r *workbook.Report) string {
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
	if len(parts) == 0 {
		parts = []string{"nothing to run"}
	}
	text := fmt.Sprintf("%s in %v", strings.Join(parts, ", "), r.Duration.Round(time.Millisecond))
	if r.Tier == string(tier.Process) || r.Tier == string(tier.Container) {
		text += ", tier " + r.Tier
	}
	return text
}

// tierNotes tells of walls that a tier lacks on this system.
func (a *app) tierNotes(r *workbook.Report) {
	for _, n := range r.TierNotes {
		a.note("tier %s: %s", r.Tier, n)
	}
}

// clipLine keeps an export on one readable line; --json has all of it.
func clipLine(s string) string {
	const longest = 500
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}

// answerText prints lines through the envelope or plainly.
func (a *app) answerText(verb string, data any, lines ...string) error {
	return a.answer(verb, data, func(w io.Writer) error {
		for _, l := range lines {
			if _, err := fmt.Fprintln(w, l); err != nil {
				return err
			}
		}
		return nil
	})
}
