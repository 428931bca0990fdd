package activity_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/activity"
)

var errEnough = errors.New("enough")

// begin starts a run that is recorded in a directory.
func begin(t *testing.T, state *trace.State, dir, agent string) *trace.Run {
	t.Helper()
	run, err := trace.Begin(trace.Config{Files: trace.FilesIn(dir), State: state}, trace.RunInfo{Agent: agent})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func emit(t *testing.T, run *trace.Run, tool string) {
	t.Helper()
	if err := run.Emit(trace.Event{Kind: trace.KindToolCall, Agent: "a", Tool: tool}); err != nil {
		t.Fatal(err)
	}
}

// What runs do is told once, wherever they are recorded: runs that are going, runs
// that begin later, in directories that were not known before; what is written only
// in part is told when it is whole.
func TestFollow(t *testing.T) {
	state := trace.NewState(t.TempDir())
	first, second := t.TempDir(), t.TempDir()
	old := begin(t, state, first, "old")
	emit(t, old, "before")
	var heard []string
	want := []string{"during", "begun", "elsewhere", "torn", "last"}
	steps := []func(){
		func() { emit(t, begin(t, state, first, "new"), "begun") },
		func() { emit(t, begin(t, state, second, "other"), "elsewhere") },
		func() {
			events := filepath.Join(second, "events.org")
			file, err := os.OpenFile(events, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			whole := string(trace.AppendOrg(nil, &trace.Event{Kind: trace.KindToolCall, Run: old.ID(), Tool: "torn", Time: time.Now()}))
			half := len(whole) / 2
			for _, part := range []string{whole[:half], whole[half:]} {
				if _, err := file.WriteString(part); err != nil {
					t.Fatal(err)
				}
				runtime.Gosched()
			}
		},
		func() { emit(t, old, "last") },
	}
	started := false
	err := activity.Follow(t.Context(), activity.Config{State: state, Since: time.Now().Add(2 * time.Second), Every: time.Millisecond, Beat: func() error {
		started = true
		return errEnough
	}}, func(trace.Event) error { t.Error("told what was before"); return nil })
	if !errors.Is(err, errEnough) || !started {
		t.Fatal(err)
	}
	begun := false
	err = activity.Follow(t.Context(), activity.Config{State: state, Since: time.Now().Add(-time.Hour), Every: time.Millisecond, Beat: func() error {
		if !begun {
			begun = true
			emit(t, old, "during")
		}
		return nil
	}}, func(e trace.Event) error {
		if e.Kind != trace.KindToolCall || e.Tool == "before" {
			return nil
		}
		heard = append(heard, e.Tool)
		if len(heard) == len(want) {
			return errEnough
		}
		go steps[len(heard)-1]()
		return nil
	})
	if !errors.Is(err, errEnough) || !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v: %v", heard, want, err)
	}
}
