package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// fromStdin reports whether the workbook is the text on standard input, as
// editors give it: its file is then not written.
func (c *runCmd) fromStdin() bool { return len(c.Files) == 1 && c.Files[0] == "-" }

// check refuses flags that contradict each other.
func (c *runCmd) check() error {
	switch {
	case c.StdinName != "" && !c.fromStdin():
		return &usageError{err: errors.New("--stdin-name names the text on standard input"), hint: "wb run - --stdin-name FILE.org < FILE.org"}
	case c.fromStdin() && (c.Watch || c.Map != "" || c.Input == "-"):
		return &usageError{err: errors.New("- cannot be watched, mapped over, or read twice")}
	case c.Lines != "" && len(c.Only) > 0:
		return &usageError{err: errors.New("give --only or --lines, not both")}
	}
	return nil
}

// linesRange reads 12 or 12:40.
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
		return 0, 0, &usageError{err: fmt.Errorf("--lines %s: no range of lines", text), hint: "--lines 12 or --lines 12:40"}
	}
	return first, last, nil
}

// componentsIn are the ids of the components in the lines that --lines names.
func componentsIn(file string, src []byte, lines string) ([]string, error) {
	first, last, err := linesRange(lines)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, comp := range workbook.NewPlan(file, src).Within(first, last) {
		ids = append(ids, comp.ID)
	}
	if len(ids) == 0 {
		return nil, &codedError{text: fmt.Sprintf("%s:%d: nothing to run here", file, first), code: diag.ExitNotFound}
	}
	return ids, nil
}

// editJSON replaces the bytes from start to end of the text that was run.
type editJSON struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

func editsData(edits []org.Edit) []editJSON {
	list := make([]editJSON, len(edits))
	for i, e := range edits {
		list[i] = editJSON{e.Start, e.End, e.New}
	}
	return list
}

// printText writes a workbook that was read from standard input with its
// results, the way a formatter answers.
func (a *app) printText(src []byte, r *workbook.Report) error {
	text, err := org.Apply(src, r.Edits)
	if err != nil {
		return err
	}
	_, err = a.std.Out.Write(text)
	return err
}

// progressLine is a component's end as one line of JSON, for programs that
// show a run as it goes.
type progressLine struct {
	Done  componentJSON  `json:"done"`
	Notes []diag.Finding `json:"notes,omitempty"`
}

func (a *app) progressJSON(d workbook.Done) {
	line, err := json.Marshal(progressLine{Done: componentData(d), Notes: d.Warnings})
	if err == nil {
		fmt.Fprintf(a.std.Err, "%s\n", line)
	}
}
