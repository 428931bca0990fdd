package host

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wb/agent"
	"wb/internal/diag"
	"wb/internal/trace"
)

// record is the journal's record of the task, from which it can be resumed.
type record struct {
	Task       Task   `json:"task"`
	Model      string `json:"model,omitempty"` // that was asked, whatever the environment says later
	Definition string `json:"definition"`      // fingerprint of the definition
	Root       string `json:"root"`            // the first run of those resumed from each other
	// memory is the session's conversation when the run began.
	memory
}

// Resume goes on with a run that did not end: what its journal has is not done
// again, nor what a run has done that went on with it before.
func (rt *Runtime) Resume(ctx context.Context, run string) (*agent.Result, error) {
	return rt.from(ctx, run, -1)
}

// Latest is the run that went on with another, and with that one, and so on, or the
// run itself. Of several the one counts whose journal says most. Forks do not go on
// with a run, they begin one.
func (rt *Runtime) Latest(run string) (trace.RunRecord, error) {
	all, err := rt.State.Runs()
	if err != nil {
		return trace.RunRecord{}, err
	}
	known, line := map[string]trace.RunRecord{}, []string{run}
	root := rt.rootOf(run)
	for _, r := range all { // in the order they were started
		known[r.Run] = r
		if slices.Contains(line, r.Parent) && rt.rootOf(r.Run) == root {
			line = append(line, r.Run)
		}
	}
	latest := cmp.Or(rt.Furthest(line), run)
	if r, ok := known[latest]; ok {
		return r, nil
	}
	return trace.RunRecord{Run: latest}, nil
}

// rootOf is the first of the runs resumed from each other, "" where no journal says
// it.
func (rt *Runtime) rootOf(run string) string {
	r, ok := rt.peek(run)
	if !ok {
		return ""
	}
	return cmp.Or(r.Root, run)
}

// TaskOf returns the task of a run, also while it is running.
func (rt *Runtime) TaskOf(run string) (Task, bool) {
	r, ok := rt.peek(run)
	return r.Task, ok
}

// peek reads the first entry of a journal that another process may have open.
func (rt *Runtime) peek(run string) (record, bool) {
	var r record
	file, err := os.Open(rt.journalPath(run))
	if err != nil {
		return r, false
	}
	defer file.Close()
	first, err := bufio.NewReader(file).ReadBytes('\n')
	var e trace.Entry
	if err != nil || json.Unmarshal(first, &e) != nil || e.Key != recordKey {
		return r, false
	}
	if e.Body != nil {
		return r, json.Unmarshal([]byte(*e.Body), &r) == nil
	}
	body, err := rt.State.Blobs().Get(e.Blob)
	return r, err == nil && json.Unmarshal(body, &r) == nil
}

func (rt *Runtime) journalPath(run string) string {
	return filepath.Join(rt.State.RunDir(run), "journal.jsonl")
}

// Fork runs again from a point of another run: turns before step are taken from
// its journal, the rest happens anew.
func (rt *Runtime) Fork(ctx context.Context, run string, step int) (*agent.Result, error) {
	return rt.from(ctx, run, step)
}

func (rt *Runtime) from(ctx context.Context, run string, step int) (*agent.Result, error) {
	if step == 0 {
		return nil, &TaskError{"steps count from 1", "wb agent show " + run}
	}
	old, err := rt.open(run)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	if step < 0 { // looked for while nobody else can resume it
		latest, err := rt.Latest(run)
		if err != nil {
			return nil, err
		}
		if latest.Run != run {
			_ = old.Close()
			return rt.from(ctx, latest.Run, step)
		}
	}
	r, err := recordOf(old)
	if err != nil {
		return nil, err
	}
	entries := old.Entries()
	keep := len(entries)
	if step >= 0 {
		if keep, err = before(entries, step); err != nil {
			return nil, err
		}
	}
	from := &origin{run: run, journal: old, entries: keep, root: r.Root, model: r.Model, memory: r.memory}
	if step >= 0 { // what a fork does, it does itself
		from.root = ""
	}
	return rt.start(ctx, r.Task, from)
}

// Furthest is the run whose journal says most, of runs resumed from each other; ""
// when none had begun. A process that died while it took over a journal leaves a
// shorter one.
func (rt *Runtime) Furthest(runs []string) string {
	best, most := "", 0
	for _, id := range runs {
		text, err := os.ReadFile(rt.journalPath(id))
		if err != nil {
			continue
		}
		if n := bytes.Count(text, []byte("\n")); n > 0 && n >= most {
			best, most = id, n
		}
	}
	return best
}

// before is how many entries stand before the model's turn of a step.
func before(entries []trace.Entry, step int) (int, error) {
	key := fmt.Sprintf("turn/%d", max(0, step-1))
	turns := 0
	for i, e := range entries {
		if e.Kind != trace.EntryModel {
			continue
		}
		if e.Key == key {
			return i, nil
		}
		turns++
	}
	return 0, &diag.NotFoundError{What: fmt.Sprintf("the run has no step %d", step), Help: fmt.Sprintf("it has %d", turns)}
}

// origin is the run that another goes on from.
type origin struct {
	run     string
	journal *trace.Journal
	entries int
	root    string // whose effects it goes on with; "" begins its own
	model   string // that it asked
	memory  memory
}

// open opens the journal of a run that exists.
func (rt *Runtime) open(run string) (*trace.Journal, error) {
	if _, err := os.Stat(rt.journalPath(run)); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, noJournal(run)
	}
	j, err := rt.State.OpenJournal(run)
	if errors.Is(err, trace.ErrJournalBusy) {
		return nil, diag.Busyf("wb agent show "+run+" shows its progress", "run %s is still running", run)
	}
	return j, err
}

func noJournal(run string) error {
	return &diag.NotFoundError{What: fmt.Sprintf("there is no journal of run %s", run), Help: "wb agent list"}
}

// recordKey is the first entry of every journal.
const recordKey = "task"

func recordOf(j *trace.Journal) (record, error) {
	var r record
	e, ok := j.Find(trace.EntryIntent, recordKey)
	if !ok {
		return r, errors.New("the journal is empty: the run never began")
	}
	body, err := j.Body(e)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(body, &r)
}

func appendRecord(j *trace.Journal, r record) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = j.Append(trace.EntryIntent, recordKey, body)
	return err
}

// Messages are the turns of a run as its model saw them, also while it is going.
func (rt *Runtime) Messages(ctx context.Context, run string) (*agent.Conversation, error) {
	j, err := rt.State.ReadJournal(run)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noJournal(run)
	}
	if err != nil {
		return nil, err
	}
	r, err := recordOf(j)
	if err != nil {
		return nil, err
	}
	return agent.Retell(ctx, j, r.History)
}

// Replay repeats a run offline: every turn and effect comes from its journal,
// and a difference ends it with a [*agent.DivergedError] in the result.
func (rt *Runtime) Replay(ctx context.Context, run string) (*agent.Result, error) {
	old, err := rt.open(run)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	r, err := recordOf(old)
	if err != nil {
		return nil, err
	}
	d, err := definition(r.Task)
	if err != nil {
		return nil, err
	}
	if d.Model = r.Model; d.Model == "" {
		if d.Model, err = rt.model(d, r.Task); err != nil {
			return nil, err
		}
	}
	opts := r.options()
	opts.Taint = slices.Concat(opts.Taint, r.Task.Taint)
	opts.Journal, opts.Replay, opts.RunID, opts.RootRunID = old, true, run, r.Root
	return rt.execute(ctx, d, r.Task, opts)
}
