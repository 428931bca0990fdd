package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"wb/agent"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

// disk is a journal that knows what a loss of power would leave of it.
type disk struct {
	mu      sync.Mutex
	entries []trace.Entry
	bodies  [][]byte
	synced  int
	syncs   int // that had something to do
	full    bool
}

func (d *disk) Add(kind trace.EntryKind, key string, body []byte) (trace.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := trace.Entry{Seq: len(d.entries), Kind: kind, Key: key}
	d.entries, d.bodies = append(d.entries, e), append(d.bodies, body)
	return e, nil
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return fmt.Errorf("no space left on device")
	}
	if d.synced < len(d.entries) {
		d.synced = len(d.entries)
		d.syncs++
	}
	return nil
}

func (d *disk) Find(kind trace.EntryKind, key string) (trace.Entry, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.entries) - 1; i >= 0; i-- {
		if e := d.entries[i]; e.Kind == kind && e.Key == key {
			return e, true
		}
	}
	return trace.Entry{}, false
}

func (d *disk) Body(e trace.Entry) ([]byte, error) { return d.bodies[e.Seq], nil }

// onDisk are the keys that would be left.
func (d *disk) onDisk() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var keys []string
	for _, e := range d.entries[:d.synced] {
		keys = append(keys, string(e.Kind)+" "+e.Key)
	}
	return strings.Join(keys, "\n")
}

// Before an effect, its intent and the turn that asked for it are on disk, and
// so is the outcome of the effect before; when a run ends, everything is.
func TestWrittenAhead(t *testing.T) {
	journal := &disk{}
	made := 0
	effect := function{"effect", false, func(context.Context, agent.Args) (agent.Output, error) {
		have := journal.onDisk()
		turn := made / 2
		want := []string{fmt.Sprintf("model turn/%d", turn), fmt.Sprintf("intent tool/%d/%d/effect", turn, made%2)}
		if made > 0 {
			before := made - 1
			want = append(want, fmt.Sprintf("effect tool/%d/%d/effect", before/2, before%2))
		}
		for _, key := range want {
			if !strings.Contains(have+"\n", key+"\n") {
				t.Errorf("effect %d is made without %q on disk, which has\n%s", made, key, have)
			}
		}
		made++
		return agent.Output{Text: "made"}, nil
	}}
	r, _ := run(t, func(o *agent.Options) { o.Journal, o.Tools = journal, []agent.Tool{effect, echo, done} },
		call("effect a", "effect b"), call("effect c", "effect d"), call("done ready"))
	if r.Status != "done" || made != 4 || journal.synced != len(journal.entries) {
		t.Errorf("%s %s: %d effects, %d of %d entries on disk", r.Status, r.Error, made, journal.synced, len(journal.entries))
	}
}

// Turns whose calls stay in the run wait for no sync: whatever number of calls
// they have, there is at most one sync for each and one at the end.
func TestSyncsShared(t *testing.T) {
	journal := &disk{}
	r, _ := run(t, func(o *agent.Options) { o.Journal, o.Tools = journal, []agent.Tool{contained{echo}, contained{done}} },
		call("echo 1", "echo 2", "echo 3", "echo 4"), call("echo 5", "echo 6"), call("done ready"))
	if r.Status != "done" || len(journal.entries) != 3+2*7 {
		t.Fatalf("%s %s: %d entries", r.Status, r.Error, len(journal.entries))
	}
	if journal.syncs > 3+1 || journal.synced != len(journal.entries) {
		t.Errorf("%d syncs for %d entries, %d on disk", journal.syncs, len(journal.entries), journal.synced)
	}
}

// A disk that takes nothing more keeps effects from happening.
func TestNoEffectWithoutJournal(t *testing.T) {
	effect := function{"effect", false, func(context.Context, agent.Args) (agent.Output, error) {
		t.Error("an effect without its intent on disk")
		return agent.Output{}, nil
	}}
	r, _ := run(t, func(o *agent.Options) { o.Journal, o.Tools = &disk{full: true}, []agent.Tool{effect} }, call("effect a"))
	if r.Status != agent.StatusError || !strings.Contains(r.Result, "no space left") {
		t.Errorf("%s %s", r.Status, r.Result)
	}
	// nor does a run end well whose answer is not kept
	if r, _ = run(t, func(o *agent.Options) { o.Journal = &disk{full: true} }, llmtest.Step{Text: "hm"}); r.Status != agent.StatusError {
		t.Errorf("%s %s", r.Status, r.Result)
	}
}
