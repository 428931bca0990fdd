package telemetry

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/internal/trace"
)

// Record is one run: what the registry knows of it and what it did.
type Record struct {
	trace.RunRecord
	Events []trace.Event // in order; nil until loaded
}

// NotFound is the error about a run that is not recorded, "" for any run; known
// are the ids of those that are.
func NotFound(ref string, known ...string) error {
	e := &diag.NotFoundError{What: "no run " + ref, Help: "wb telemetry lists the runs; the first characters of an id are enough"}
	if ref == "" {
		e.What = "no run has been recorded"
	}
	switch near := nearest.Word(ref, known); {
	case near != "":
		e.Help = "did you mean " + near + "?"
	case len(known) == 0:
		e.Help = "wb run FILE.org records one; an events.org can be named instead"
	}
	return e
}

// AmbiguousError is the beginning of several ids.
type AmbiguousError struct {
	Ref string
	IDs []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s is the beginning of %d runs", e.Ref, len(e.IDs))
}

// Hint shows the ids.
func (e *AmbiguousError) Hint() string {
	return "one of " + strings.Join(e.IDs[:min(4, len(e.IDs))], " ")
}

// ExitCode is that of a usage error.
func (e *AmbiguousError) ExitCode() int { return diag.ExitUsage }

// Files are the names of the files beside a workbook that runs are recorded in.
var Files = []string{"events.org", "_steps.jsonl"}

// List is every run that is known: those of the registry, and those of the
// events.org in dir that the registry does not have, oldest first. Without a state
// it is the record in dir.
func List(state *trace.State, dir string) ([]Record, error) {
	var runs []trace.RunRecord
	if state != nil {
		var err error
		if runs, err = state.Runs(); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	var records []Record
	for _, r := range runs {
		known[r.Run] = true
		records = append(records, Record{RunRecord: r})
	}
	for _, name := range Files {
		more, err := readFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			if !known[r.Run] {
				known[r.Run] = true
				records = append(records, r)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b Record) int { return a.Started.Compare(b.Started) })
	return records, nil
}

// Find is the run that ref names: an id or its beginning, "last", "last~2" for
// two before, or a file or directory with records, of which the last run is
// meant. "" is the last run.
func Find(state *trace.State, dir, ref string) (*Record, error) {
	if info, err := os.Stat(ref); ref != "" && err == nil {
		records, err := ReadPath(ref, info.IsDir())
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return nil, NotFound("in " + ref)
		}
		return &records[len(records)-1], nil
	}
	records, err := List(state, dir)
	if err != nil {
		return nil, err
	}
	r, err := Choose(records, ref)
	if err != nil {
		return nil, err
	}
	return r, Load(r)
}

// Choose is the run of a list, oldest first, that ref names: an id or its
// beginning, "last" or "", "last~2" for two before.
func Choose(records []Record, ref string) (*Record, error) {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.Run)
	}
	back := 0
	if rest, ok := strings.CutPrefix(ref, "last"); ok || ref == "" {
		if _, err := fmt.Sscanf(rest, "~%d", &back); (err == nil || rest == "") && back >= 0 && back < len(records) {
			return &records[len(records)-1-back], nil
		}
		return nil, NotFound(ref, ids...)
	}
	var found []int
	for i, id := range ids {
		if id == ref {
			return &records[i], nil
		}
		if strings.HasPrefix(id, strings.ToUpper(ref)) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return nil, NotFound(ref, ids...)
	case 1:
		return &records[found[0]], nil
	}
	var matches []string
	for _, i := range found {
		matches = append(matches, ids[i])
	}
	return nil, &AmbiguousError{ref, matches}
}

// ReadPath reads all runs of a file with records, or of those in a directory.
func ReadPath(path string, isDir bool) ([]Record, error) {
	if !isDir {
		return readFile(path)
	}
	for _, name := range Files {
		records, err := readFile(filepath.Join(path, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return records, err
		}
	}
	return nil, NotFound("in " + path)
}

// readFile reads all runs of an events.org or a _steps.jsonl.
func readFile(path string) ([]Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var records []Record
	at := map[string]int{}
	add := func(e trace.Event) {
		i, ok := at[e.Run]
		if !ok {
			i = len(records)
			at[e.Run] = i
			records = append(records, Record{RunRecord: trace.RunRecord{Run: e.Run, Events: path}})
		}
		r := &records[i]
		r.Events = append(r.Events, e)
		describe(r, &e)
	}
	if strings.HasSuffix(path, ".jsonl") {
		for step, err := range trace.ScanSteps(text) {
			if err == nil {
				add(step.Event())
			}
		}
		for i := range records {
			records[i].Steps, records[i].RunRecord.Events = path, ""
		}
		return records, nil
	}
	for e := range trace.Events(text) {
		add(e)
	}
	return records, nil
}

// describe takes over what the registry would know of a run.
func describe(r *Record, e *trace.Event) {
	if r.Started.IsZero() {
		r.Started = e.Time.Add(-e.Duration)
	}
	switch e.Kind {
	case trace.KindRun:
		r.Workbook, r.Agent, r.Parent, r.Started = cmp.Or(r.Workbook, e.Workbook), cmp.Or(r.Agent, e.Agent), cmp.Or(r.Parent, e.ParentRun), e.Time
	case trace.KindResult:
		r.Status, r.Ended = e.Status, e.Time
	}
}

// Load reads the events of a run of the registry.
func Load(r *Record) error {
	if r.Events != nil {
		return nil
	}
	var missing error
	for _, path := range []string{r.RunRecord.Events, r.Steps} {
		if path == "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			missing = err
			continue
		}
		if strings.HasSuffix(path, ".jsonl") {
			for step, err := range trace.ScanSteps(text) {
				if err == nil && step.Run == r.Run {
					r.Events = append(r.Events, step.Event())
				}
			}
		} else if bytes.Contains(text, []byte(r.Run)) {
			for e := range trace.Events(text) {
				if e.Run == r.Run {
					r.Events = append(r.Events, e)
				}
			}
		}
		if r.Events != nil {
			return nil
		}
	}
	if missing != nil {
		return fmt.Errorf("the record of run %s is gone: %w", r.Run, missing)
	}
	return fmt.Errorf("nothing is recorded of run %s", r.Run)
}

// Roots finds the run that started a run and those that started it, all the
// way up, as far as some records know.
func Roots(known []Record, more []*Record) func(run string) string {
	parents := map[string]string{}
	for _, r := range known {
		parents[r.Run] = r.Parent
	}
	for _, r := range more {
		parents[r.Run] = r.Parent
	}
	return func(run string) string {
		for range len(parents) { // a record may lie and go in circles
			parent := parents[run]
			if parent == "" {
				break
			}
			run = parent
		}
		return run
	}
}
