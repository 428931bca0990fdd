// Package keeper keeps an agent for a long time: it wakes it when its schedule says,
// gives it what it remembers, and goes on with what a process that died left behind.
//
// A wake is on disk before its run begins and is over when the run has ended. Whoever
// keeps the agent next finds a wake that is not over and goes on with its run, so that
// no time is done twice and none that has begun is lost. Times that pass while nobody
// keeps the agent are one wake together, or none with :MISSED: skip. What all wakes
// spend is bounded by the agent's account.
package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/agent"
	"wb/agent/account"
	"wb/agent/host"
	"wb/agent/schedule"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/whole"
)

// Keeper keeps one agent. Its fields are set once.
type Keeper struct {
	Runtime *host.Runtime // whose On the keeper adds to
	// Task names the agent and what it may do; its text is the keeper's.
	Task  host.Task
	Clock schedule.Clock // nil is the machine's
	// Woke hears of every wake that is over; it may be nil.
	Woke func(Wake)
	// Note hears what is worth saying; it may be nil.
	Note func(string)

	mu    sync.Mutex
	state State
	path  string
	stop  context.CancelCauseFunc // of the wake that is going
}

// Wake is one time that the agent was woken for.
type Wake struct {
	Due    time.Time     `json:"due"`
	Missed int           `json:"missed,omitempty"` // earlier times when the agent was not kept
	Text   string        `json:"text"`
	Taint  []string      `json:"taint,omitempty"`
	Runs   []string      `json:"runs,omitempty"` // resumed from each other
	Status string        `json:"status,omitempty"`
	Result *agent.Result `json:"-"`
	Error  string        `json:"error,omitempty"`
}

// State is the content of the agent's state file, which lasts between processes.
type State struct {
	Agent   string    `json:"agent"`
	File    string    `json:"file"`
	Handled time.Time `json:"handled"` // up to when times are done with
	Wake    *Wake     `json:"wake,omitempty"`
	Last    *Wake     `json:"last,omitempty"`
	Wakes   int       `json:"wakes"`
	Skipped int       `json:"skipped,omitempty"` // because the budget was exhausted
	// Bound is the bound of the account that the last wake met, at Met.
	Bound *agent.BoundError `json:"bound,omitempty"`
	Met   time.Time         `json:"met,omitzero"`
}

// NoScheduleError says that an agent has no times.
type NoScheduleError struct{ Agent string }

func (e *NoScheduleError) Error() string { return e.Agent + " has no schedule" }

// Hint says how to give it one.
func (e *NoScheduleError) Hint() string {
	return "give it :SCHEDULE: 0 7 * * * (or @daily, @every 6h), or SCHEDULED: with a repeater; --now wakes it once"
}

// ExitCode is that of usage.
func (e *NoScheduleError) ExitCode() int { return diag.ExitUsage }

// Mode says when the keeper is done.
type Mode int

// The modes.
const (
	Forever Mode = iota // until its context ends
	Once                // when what is due has been done
	Now                 // as Once, and it is due now in any case
)

// rescan is how often the document is looked at.
const rescan = time.Minute

// Keep keeps the agent until ctx ends, which leaves a run that is going to whoever
// keeps the agent next.
func (k *Keeper) Keep(ctx context.Context, mode Mode) error {
	if k.Clock == nil {
		k.Clock = schedule.System{}
	}
	d, err := k.Runtime.Ready(k.Task)
	if err != nil {
		return err
	}
	name := k.Runtime.KeyOf(d, k.Task)
	release, ok, err := k.Runtime.State.Lock(lockName(name))
	if err != nil {
		return err
	}
	if !ok {
		return diag.Busyf("", "another process already keeps %s", d.ID)
	}
	defer release()
	k.path = filepath.Join(k.Runtime.State.Dir(), "keepers", name+".json")
	if k.state, err = load(k.path); err != nil {
		return err
	}
	k.state.Agent, k.state.File = d.ID, k.Task.File
	k.Runtime.On = append(slices.Clone(k.Runtime.On), k.hear)
	if k.state.Handled.IsZero() {
		k.state.Handled = k.Clock.Now() // times before the first keep do not count
		if err := k.save(); err != nil {
			return err
		}
	}
	if mode != Now && k.state.Wake == nil {
		if d.Schedule == "" {
			return &NoScheduleError{d.ID}
		}
		if _, err := schedule.Parse(d.Schedule); err != nil { // later it is somebody's edit, which may not be the last
			return diag.Errorf(d.Pos, "%v", err).WithHint("five cron fields, @daily, @every 6h, or SCHEDULED with a timestamp")
		}
	}
	for ctx.Err() == nil {
		if k.state.Wake != nil {
			if err := k.goOn(ctx); err != nil {
				return err
			}
			continue
		}
		if mode == Now {
			mode = Once
			if err := k.begin(ctx, d, k.Clock.Now(), 0); err != nil {
				return err
			}
			continue
		}
		next, err := k.look(ctx)
		if err != nil {
			return err
		}
		if k.state.Wake != nil {
			continue
		}
		if mode == Once {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-k.Clock.At(next):
		}
	}
	return nil
}

// lockName is the lock that who keeps an agent holds.
func lockName(key string) string { return "keeper-" + key }

// Kept reports whether some process keeps an agent: its times are not others' then.
func Kept(state *trace.State, key string) bool {
	release, free, err := state.Lock(lockName(key))
	if err != nil || !free {
		return err == nil
	}
	release()
	return false
}

// look begins a wake when one is due, and says when to look again.
func (k *Keeper) look(ctx context.Context) (again time.Time, err error) {
	now := k.Clock.Now()
	again = now.Add(rescan)
	d, err := k.Runtime.Ready(k.Task)
	if err != nil { // somebody is editing the document
		k.note("%v", err)
		return again, nil
	}
	times := schedule.Never
	if d.Schedule != "" {
		if times, err = schedule.Parse(d.Schedule); err != nil {
			k.note("%s: %v", d.Pos, err)
			return again, nil
		}
	}
	due, count := k.due(times, now)
	if count == 0 {
		if next := times(now); !next.IsZero() && next.Before(again) {
			again = next
		}
		return again, nil
	}
	if d.SkipMissed && now.Sub(due) > rescan {
		k.note("%d missed, the last at %s: skipped", count, due.Format(timeFormat))
		k.state.Handled = now
		return now, k.save()
	}
	return now, k.begin(ctx, d, due, count-1)
}

const timeFormat = "2006-01-02 15:04"

// maxMissed bounds how many missed times are counted.
const maxMissed = 100_000

// due is the latest time that has come and is not done with, and how many there are.
func (k *Keeper) due(times schedule.Times, now time.Time) (last time.Time, count int) {
	for next := times(k.state.Handled); !next.IsZero() && !next.After(now) && count < maxMissed; next = times(next) {
		last, count = next, count+1
	}
	if count == maxMissed {
		last = now
	}
	return last, count
}

// begin puts a wake on disk. What the agent may not spend anything for is skipped.
func (k *Keeper) begin(ctx context.Context, d *agent.Definition, due time.Time, missed int) error {
	if due.After(k.state.Handled) {
		k.state.Handled = due
	}
	err := k.Runtime.Exhausted(d, k.Task)
	if b := k.state.Bound; err == nil && b != nil && account.Lasts(b, k.state.Met, d.Allowance, k.Clock.Now()) {
		err = b // what is left is not enough for a turn
	}
	if err != nil {
		k.state.Skipped++
		k.note("%s: skipped: %v", due.Format(timeFormat), err)
		return k.save()
	}
	memory, taint, err := k.Runtime.Recall(ctx, k.Task)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("You wake up: it is %s.", due.Format("Monday, 2006-01-02 15:04 MST"))
	if d.Schedule != "" {
		text = fmt.Sprintf("You wake up: it is %s, and your schedule (%s) is due.", due.Format("Monday, 2006-01-02 15:04 MST"), d.Schedule)
	}
	if missed > 0 {
		text += fmt.Sprintf(" Nobody woke you for the last %d times; this one stands for them.", missed)
	}
	text += " Do what you are kept for. What you shall know next time, write with the tool memory."
	if memory != "" {
		text += "\n\n" + memory
	}
	k.state.Wake = &Wake{Due: due, Missed: missed, Text: text, Taint: taint}
	return k.save()
}

// goOn does the wake that is not over, from where it is.
func (k *Keeper) goOn(ctx context.Context) error {
	wake := k.state.Wake
	if ended, status := k.ended(wake.Runs); ended {
		wake.Status = status
		return k.over(wake)
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	k.mu.Lock()
	k.stop = stop
	k.mu.Unlock()
	var result *agent.Result
	var err error
	if from := k.Runtime.Furthest(wake.Runs); from != "" {
		result, err = k.Runtime.Resume(within, from)
	} else {
		task := k.Task
		task.Text, task.Taint, task.Memory = wake.Text, wake.Taint, true
		result, err = k.Runtime.Run(within, task)
	}
	var unsaved *unsavedError
	switch {
	case errors.As(context.Cause(within), &unsaved):
		return unsaved.error
	case ctx.Err() != nil && (err != nil || result.Status == agent.StatusCancelled):
		return nil // whoever keeps the agent next goes on with it
	case err != nil:
		wake.Status, wake.Error = agent.StatusError, err.Error()
	default:
		wake.Status, wake.Result, wake.Error = result.Status, result, result.Error
	}
	return k.over(wake)
}

// ended is whether a wake's run has ended without a word to the keeper, and how. One
// that was cancelled is not: its keeper was stopped.
func (k *Keeper) ended(runs []string) (bool, string) {
	all, err := k.Runtime.State.Runs()
	if err != nil {
		return false, ""
	}
	for _, r := range all {
		if slices.Contains(runs, r.Run) && !r.Ended.IsZero() && r.Status != agent.StatusCancelled {
			return true, r.Status
		}
	}
	return false, ""
}

// over ends a wake.
func (k *Keeper) over(wake *Wake) error {
	k.mu.Lock()
	k.state.Wake, k.state.Last, k.state.Bound = nil, wake, nil
	if wake.Result != nil && wake.Result.Bound != nil {
		k.state.Bound, k.state.Met = wake.Result.Bound, k.Clock.Now()
	}
	k.state.Wakes++
	k.mu.Unlock()
	if err := k.save(); err != nil {
		return err
	}
	if k.Woke != nil {
		k.Woke(*wake)
	}
	return nil
}

// unsavedError is a run whose beginning could not be kept.
type unsavedError struct{ error }

// hear enters the run of a wake when it begins, before it does anything. A run that
// cannot be entered is stopped: it could be done twice.
func (k *Keeper) hear(e agent.Event) {
	if e.Kind != trace.KindRun || e.InnerRun != "" {
		return
	}
	k.mu.Lock()
	stop := k.stop
	if k.state.Wake != nil {
		k.state.Wake.Runs = append(k.state.Wake.Runs, e.RunID)
	}
	k.mu.Unlock()
	if err := k.save(); err != nil {
		stop(&unsavedError{err})
	}
}

func (k *Keeper) note(format string, args ...any) {
	if k.Note != nil {
		k.Note(fmt.Sprintf(format, args...))
	}
}

// Load reads what is kept of an agent.
func Load(state *trace.State, key string) (State, error) {
	return load(filepath.Join(state.Dir(), "keepers", key+".json"))
}

func load(path string) (State, error) {
	var s State
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("keeper: %s: %w", path, err)
	}
	return s, nil
}

// save writes the state, whole or not at all, and returns when it is on disk.
func (k *Keeper) save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, err := json.MarshalIndent(k.state, "", " ")
	if err != nil {
		return err
	}
	return whole.File{Dirs: 0o700, Sync: true}.Write(k.path, append(text, '\n'))
}

// String is a wake in a line.
func (w Wake) String() string {
	line := w.Due.Format(timeFormat) + " " + w.Status
	if w.Missed > 0 {
		line += fmt.Sprintf(" (%d missed)", w.Missed)
	}
	text := w.Error
	if w.Result != nil && w.Result.Result != "" {
		text = w.Result.Result
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); first != "" {
		line += " " + first
	}
	return line
}
