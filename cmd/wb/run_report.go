package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wb/app"
	"wb/internal/diag"
	"wb/sandbox"
	"wb/workbook"
)

// componentLine tells a person that a component's turn ended; what was cached
// or is mere data is only told with -v.
func (a *terminal) componentLine(d workbook.Done) {
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
	var below strings.Builder
	under := diag.Printer{W: &below, Indent: "    "}
	for _, w := range d.Warnings {
		under.Finding(w)
	}
	if d.Err == nil && d.Status == workbook.StatusOK {
		stderrOf(&below, d)
	}
	if d.Err != nil {
		under.Error("", d.Err)
		printedBefore(&below, d)
	}
	if below.Len() > 0 {
		say("%s", strings.TrimSuffix(below.String(), "\n"))
	}
}

// maxStderr is how many lines of a program's standard error are shown.
const maxStderr = 20

// stderrOf shows what a program that succeeded wrote to standard error.
func stderrOf(w io.Writer, d workbook.Done) { streamOf(w, "stderr", d.Stderr, false) }

// printedBefore shows what a program that failed had printed: all of its standard
// error beyond the line that the error shows, and the end of its standard output
// when it was stopped.
func printedBefore(w io.Writer, d workbook.Done) {
	if said := strings.TrimSpace(d.Stderr); strings.Contains(said, "\n") || !strings.Contains(d.Err.Error(), said) {
		streamOf(w, "stderr", d.Stderr, false)
	}
	var limit *sandbox.LimitError
	if errors.As(d.Err, &limit) {
		streamOf(w, "stdout", d.Stdout, true)
	}
}

// streamOf shows the beginning of what a program wrote, or the end.
func streamOf(w io.Writer, name, text string, end bool) {
	said := strings.TrimRight(string(sandbox.Neutralize([]byte(text))), " \r\n")
	if said == "" {
		return
	}
	lines := strings.Split(said, "\n")
	more := max(0, len(lines)-maxStderr)
	if end {
		if more > 0 {
			fmt.Fprintf(w, "    %s: … %d lines before these: wb run --json has them\n", name, more)
		}
		lines, more = lines[more:], 0
	}
	for _, line := range lines[:len(lines)-more] {
		fmt.Fprintf(w, "    %s: %s\n", name, clipped(line))
	}
	if more > 0 {
		fmt.Fprintf(w, "    %s: … %d more lines: wb run --json has them\n", name, more)
	}
}

// maxLine is how many bytes of a program's line are shown.
const maxLine = 1000

// clipped is a line, or its beginning and how much it has beyond.
func clipped(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return fmt.Sprintf("%s… %s more bytes", strings.ToValidUTF8(line[:maxLine], ""), thousands(int64(len(line)-maxLine)))
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

// findings shows what lint found before a run that could not start. A single
// mistake is the run's own error.
func (a *terminal) findings(out *app.RunOut) {
	if out == nil || a.json {
		return
	}
	mistakes := slices.DeleteFunc(slices.Clone(out.Lint), func(d diag.Finding) bool { return d.Severity != diag.Error })
	if len(mistakes) < 2 {
		return
	}
	for _, d := range mistakes {
		a.complain("%s", d)
	}
}

// reportRun prints exports, notes and a summary.
func (a *terminal) reportRun(out *app.RunOut) error {
	r := out.Ran.Report
	if err := out.Text(a.page()); err != nil {
		return err
	}
	for _, n := range r.Notes {
		a.note("%s:%s", r.Plan.File, n)
	}
	for _, n := range r.TierNotes {
		a.note("tier %s: %s", r.Tier, n)
	}
	a.ending(r)
	a.moved(r)
	return nil
}

// ending tells how many components ran and why the others did not, a line for
// each reason.
func (a *terminal) ending(r *workbook.Report) {
	a.note("%s", app.Summary(r))
	for _, line := range r.Reasons() {
		a.note("  %s", line)
	}
	if n := r.Idle(); n > 0 {
		a.note("  %s: wb lint %s", idle(n), r.Plan.File)
	}
}

func idle(n int) string {
	if n == 1 {
		return "1 mistake that stops no component"
	}
	return fmt.Sprintf("%d mistakes that stop no component", n)
}

// moved says where errors are now that results stand above them. They were told
// while the run went on, with the places that they had then.
func (a *terminal) moved(r *workbook.Report) {
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
				a.complain("the written results moved lines; the errors are now at")
				said = true
			}
			a.complain("    %s", now)
		}
	}
}

// progressLine is a component's end as one line of JSON, for programs that
// show a run as it goes.
type progressLine struct {
	Done  app.ComponentOut `json:"done"`
	Notes []diag.Finding   `json:"notes,omitempty"`
}

func (a *terminal) progressJSON(d workbook.Done) {
	line, err := json.Marshal(progressLine{Done: app.NewComponentOut(d), Notes: d.Warnings})
	if err == nil {
		fmt.Fprintf(a.std.Err, "%s\n", line)
	}
}
