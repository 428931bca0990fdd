// Package todo carries out a tree of tasks. Every heading with a TODO keyword is
// one; one with tasks below it is done when they are. Leaves are given to agents.
//
// Tasks run at the same time, at most MaxParallel, but for three things: a parent
// with :ORDERED: t has its children done one after the other, :BLOCKER: names
// tasks that come first, and :DONE-WHEN: is a check in the sandbox's shell that
// must succeed before a task counts as done. States are written into the file as
// they change, one heading at a time, and edits that people make meanwhile stay.
package todo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"wb/internal/slug"
	"wb/org"
	"wb/org/orgfile"
)

// MaxParallel is how many tasks run at once.
const MaxParallel = 8

// Status is how a task ended.
type Status string

// The statuses. A partial task has children that are done and others that are
// not; a blocked one waits for a task that failed.
const (
	Done    Status = "done"
	Failed  Status = "failed"
	Partial Status = "partial"
	Blocked Status = "blocked"
)

// Task is one heading.
type Task struct {
	ID       string // its :ID:, else made of its title
	Title    string
	Text     string // below the heading, without drawers and subtasks
	Agent    string // the agent of the file that does it, "" for the default one
	DoneWhen string
	Ordered  bool
	Blockers []string
	Children []*Task

	ordinal int  // among the headings of the file
	done    bool // from the start
	prior   *Task
	parent  *Task
}

// Result says how a task ended.
type Result struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	Why    string `json:"why,omitempty"`
}

// Read finds the tasks of a document.
func Read(doc *org.Document) ([]*Task, error) {
	var roots, open []*Task
	var levels []int
	ids := map[string]*Task{}
	ordinal := -1
	for h := range doc.Headlines() {
		ordinal++
		for len(levels) > 0 && levels[len(levels)-1] >= h.Level {
			levels, open = levels[:len(levels)-1], open[:len(open)-1]
		}
		if !h.Keyword.Present() || h.Comment {
			continue
		}
		t := &Task{Title: strings.TrimSpace(h.Title.Text), Text: strings.TrimSpace(doc.Text(h.Body())), ordinal: ordinal, done: h.Done}
		for p := range h.Properties() {
			value := strings.TrimSpace(p.Value.Text)
			switch strings.ReplaceAll(strings.ToUpper(p.Key.Text), "_", "-") {
			case "ID", "CUSTOM-ID":
				t.ID = value
			case "AGENT":
				t.Agent = value
			case "DONE-WHEN":
				t.DoneWhen = value
			case "ORDERED":
				t.Ordered = value == "t" || value == "true" || value == "yes"
			case "BLOCKER":
				t.Blockers = org.Blockers(value)
			}
		}
		if t.ID == "" {
			t.ID = slug.Of(t.Title)
			t.ID = strings.ToValidUTF8(t.ID[:min(len(t.ID), longestID)], "")
		}
		if ids[t.ID] != nil {
			t.ID = fmt.Sprintf("%s-%d", t.ID, ordinal)
		}
		ids[t.ID] = t
		siblings := &roots
		if len(open) > 0 {
			t.parent = open[len(open)-1]
			siblings = &t.parent.Children
		}
		if n := len(*siblings); n > 0 {
			t.prior = (*siblings)[n-1]
		}
		*siblings = append(*siblings, t)
		open, levels = append(open, t), append(levels, h.Level)
	}
	return roots, check(ids)
}

// longestID is the most bytes of a title that become the id of a task.
const longestID = 48

// check refuses blockers that are not there and tasks that wait for themselves.
func check(ids map[string]*Task) error {
	for _, t := range ids {
		for i, id := range t.Blockers {
			switch {
			case id == "previous-sibling" && t.prior != nil:
				t.Blockers[i] = t.prior.ID
			case id == "previous-sibling":
				t.Blockers[i] = ""
			case ids[id] == nil:
				return fmt.Errorf("task %q waits for %s, but no task has that name", t.Title, id)
			}
		}
		t.Blockers = slices.DeleteFunc(t.Blockers, func(id string) bool { return id == "" })
		if t.parent != nil && t.parent.Ordered && t.prior != nil {
			t.Blockers = append(t.Blockers, t.prior.ID)
		}
	}
	state := map[*Task]int{}
	var visit func(*Task) error
	visit = func(t *Task) error {
		switch state[t] {
		case 1:
			return fmt.Errorf("task %q waits for itself", t.Title)
		case 2:
			return nil
		}
		state[t] = 1
		for up := t; up != nil; up = up.parent { // a task begins after what its parents wait for
			for _, id := range up.Blockers {
				if err := visit(ids[id]); err != nil {
					return err
				}
			}
		}
		for _, c := range t.Children {
			if err := visit(c); err != nil {
				return err
			}
		}
		state[t] = 2
		return nil
	}
	for _, t := range ids {
		if err := visit(t); err != nil {
			return err
		}
	}
	return nil
}

// Executor carries tasks out.
type Executor struct {
	File string
	// Ready says what keeps a leaf from being done, before anything is; nil asks
	// nobody.
	Ready func(t *Task) error
	// Do gives a leaf to an agent.
	Do func(ctx context.Context, t *Task) error
	// Check runs a :DONE-WHEN:; nil fails every check.
	Check func(ctx context.Context, script string) error
	// Note hears what became of each task, one at a time; nil is silent.
	Note func(Result)

	mu      sync.Mutex
	results []Result
	slots   chan struct{}
	ended   map[string]chan struct{}
	status  map[string]Status
}

// Run carries out the tasks of the file and gives what became of each, in the
// order of the file. Tasks that are done already are left alone.
func (r *Executor) Run(ctx context.Context) ([]Result, error) {
	file, err := orgfile.Read(r.File)
	if err != nil {
		return nil, err
	}
	roots, err := Read(file.Doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	r.slots = make(chan struct{}, MaxParallel)
	r.ended, r.status = map[string]chan struct{}{}, map[string]Status{}
	var order []string
	var prepare func([]*Task) error
	prepare = func(tasks []*Task) error {
		for _, t := range tasks {
			r.ended[t.ID] = make(chan struct{})
			order = append(order, t.ID)
			if len(t.Children) == 0 && !t.done && r.Ready != nil {
				if err := r.Ready(t); err != nil {
					return fmt.Errorf("task %q: %w", t.Title, err)
				}
			}
			if err := prepare(t.Children); err != nil {
				return err
			}
		}
		return nil
	}
	if err := prepare(roots); err != nil {
		return nil, err
	}
	r.all(ctx, roots)
	slices.SortFunc(r.results, func(a, b Result) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	return r.results, ctx.Err()
}

// all runs tasks at the same time and reports how many are done.
func (r *Executor) all(ctx context.Context, tasks []*Task) (done int) {
	var group sync.WaitGroup
	for _, t := range tasks {
		group.Go(func() { r.task(ctx, t) })
	}
	group.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tasks {
		if r.status[t.ID] == Done {
			done++
		}
	}
	return done
}

// task runs one task when those it waits for are done.
func (r *Executor) task(ctx context.Context, t *Task) {
	defer close(r.ended[t.ID])
	if t.done {
		r.mu.Lock()
		r.status[t.ID] = Done
		r.mu.Unlock()
		r.skip(t.Children)
		return
	}
	for _, id := range t.Blockers {
		<-r.ended[id]
		r.mu.Lock()
		status := r.status[id]
		r.mu.Unlock()
		if status != Done {
			r.skip(t.Children)
			r.end(t, Blocked, fmt.Errorf("%s is %s", id, status))
			return
		}
	}
	status, err := r.carryOut(ctx, t)
	r.end(t, status, err)
}

// skip ends the children of a task that is not begun.
func (r *Executor) skip(tasks []*Task) {
	for _, t := range tasks {
		r.skip(t.Children)
		status := Blocked
		if t.done {
			status = Done
		}
		r.mu.Lock()
		r.status[t.ID] = status
		r.mu.Unlock()
		close(r.ended[t.ID])
	}
}

func (r *Executor) carryOut(ctx context.Context, t *Task) (Status, error) {
	if len(t.Children) > 0 {
		if done := r.all(ctx, t.Children); done < len(t.Children) {
			status := Partial
			if done == 0 {
				status = Failed
			}
			return status, fmt.Errorf("%d of %d are done", done, len(t.Children))
		}
	} else {
		r.slots <- struct{}{}
		err := r.Do(ctx, t)
		<-r.slots
		if err != nil {
			return Failed, err
		}
	}
	if t.DoneWhen == "" {
		return Done, nil
	}
	if r.Check == nil {
		return Failed, errors.New("the shell that checks :DONE-WHEN: is not available")
	}
	if err := r.Check(ctx, t.DoneWhen); err != nil {
		return Failed, fmt.Errorf(":DONE-WHEN: %w", err)
	}
	return Done, nil
}

// end notes what became of a task, here and in the file.
func (r *Executor) end(t *Task, status Status, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if writeErr := r.write(t, status); writeErr != nil {
		err = errors.Join(err, writeErr)
	}
	result := Result{ID: t.ID, Title: t.Title, Status: status}
	if err != nil {
		result.Why = strings.Join(strings.Fields(err.Error()), " ")
	}
	r.status[t.ID] = status
	r.results = append(r.results, result)
	if r.Note != nil {
		r.Note(result)
	}
}

// keywords are those that stand for a status, in order of preference, where the
// file declares them.
var keywords = map[Status][]string{Failed: {"FAILED", "BLOCKED"}, Partial: {"PARTIAL"}, Blocked: {"BLOCKED", "WAITING"}}

// write puts a state into the file, again when somebody else changed it.
func (r *Executor) write(t *Task, status Status) error {
	for {
		file, err := orgfile.Read(r.File)
		if err != nil {
			return err
		}
		h, ok := find(file.Doc, t)
		if !ok {
			return fmt.Errorf("the heading %q is no longer in %s", t.Title, r.File)
		}
		word := wordFor(file.Doc, status)
		if word == "" || h.Keyword.Text == word {
			return nil
		}
		edits, err := org.SetKeyword(h, word)
		if err != nil {
			return err
		}
		_, err = file.Apply(edits)
		var conflict *orgfile.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
	}
}

// wordFor is the keyword of the file for a status, "" to leave it as it is.
func wordFor(doc *org.Document, status Status) string {
	for _, word := range keywords[status] {
		if _, ok := doc.Todo().Find(word); ok {
			return word
		}
	}
	if status != Done {
		return ""
	}
	for _, k := range doc.Todo().List {
		if k.Done {
			return k.Name
		}
	}
	return ""
}

// find is the heading of a task: at its place, else by its title.
func find(doc *org.Document, t *Task) (found org.Headline, ok bool) {
	ordinal := -1
	for h := range doc.Headlines() {
		ordinal++
		if strings.TrimSpace(h.Title.Text) != t.Title {
			continue
		}
		if ordinal == t.ordinal {
			return h, true
		}
		if !ok {
			found, ok = h, true
		}
	}
	return found, ok
}
