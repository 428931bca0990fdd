package programs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"wb/compile"
	"wb/compile/place/fabric"
	"wb/compile/place/fabric/programs"
	"wb/internal/test/lanetest"
	"wb/internal/trace"
	"wb/org/orgfile"
	"wb/workbook"
)

// crooked runs a worker of this process that does not do as others do, until the test
// ends.
func (s *site) crooked(name string, execute fabric.Executor) {
	s.t.Helper()
	w := fabric.NewWorker(s.link(fabric.WorkerUser("ada"), "worker", name), fabric.WorkerConfig{Execute: execute, Same: programs.Same})
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	})
}

// runAt runs a workbook of which one worker must do everything and leave the file as
// it is wanted. Notices of one kind are heard, one after the other.
func (s *site) runAt(worker, text, want string, kind fabric.NoticeKind, heard func(fabric.Notice)) {
	s.t.Helper()
	var mu sync.Mutex
	runner := s.runner(func(n fabric.Notice) {
		if n.Kind == kind {
			mu.Lock()
			defer mu.Unlock()
			heard(n)
		}
	}, nil)
	report, got := s.run(book(s.t, text), workbook.Options{Venue: workbook.Venue{Runner: runner, Jobs: 12}})
	if got != want {
		s.t.Errorf("the files differ:\n%s\nalone:\n%s", got, want)
	}
	for _, c := range report.Components {
		if c.Err != nil || c.Where != worker {
			s.t.Errorf("%s at %q: %v", c.ID, c.Where, c.Err)
		}
	}
}

// TestOtherVersions has a worker of this version beside one whose lanes are of another
// and one that cannot read what callers of this version send: the one does it all.
func TestOtherVersions(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	text := luas(12)
	_, want := s.run(book(t, text), workbook.Options{})
	lua, _ := s.lanes.Lookup("lua")
	registry, err := compile.NewRegistry(otherLane{lua})
	if err != nil {
		t.Fatal(err)
	}
	s.worker("other lanes", &programs.Peer{Lanes: registry, Tools: s.env.Tools})
	later := &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools}
	s.crooked("other messages", func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		j.Body = bytes.Replace(j.Body, []byte("wb-remote-2"), []byte("wb-remote-1"), 1)
		return later.Execute(ctx, j)
	})
	s.worker("right", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	declined := map[string]string{}
	s.runAt("right", text, want, fabric.NoticeDeclined, func(n fabric.Notice) { declined[n.Worker] = n.Text })
	for worker, why := range map[string]string{"other lanes": "another version of the lane for lua", "other messages": "not a message of this version of wb"} {
		if said := declined[worker]; said != "" && !strings.Contains(said, why) {
			t.Errorf("%s declined: %q", worker, said)
		}
	}
	if len(declined) == 0 {
		t.Error("nobody declined")
	}
}

// luas is a workbook of n components.
func luas(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#+name: c%d\n#+begin_src lua\nreturn %d * 7\n#+end_src\n\n", i, i)
	}
	return b.String()
}

// TestPoisonedResults has a worker that stores what is no result, under a digest that
// is right: the caller refuses it, says whose it was, and has the work done again.
func TestPoisonedResults(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	text := luas(6)
	_, want := s.run(book(t, text), workbook.Options{})
	var lies atomic.Int32
	lied := make(chan struct{})
	s.crooked("liar", func(ctx context.Context, _ *fabric.Job) ([]byte, error) {
		if lies.Add(1) == 3 {
			close(lied)
		}
		if lies.Load() > 3 {
			return nil, &fabric.Declined{Reason: "enough"}
		}
		return []byte("all is well"), nil
	})
	var refused []string
	go func() {
		<-lied
		s.worker("honest", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	}()
	s.runAt("honest", text, want, fabric.NoticeRefused, func(n fabric.Notice) { refused = append(refused, n.Worker) })
	if !slices.Equal(refused, []string{"liar", "liar", "liar"}) {
		t.Errorf("refused were results of %v", refused)
	}
}

// TestTwoRuns runs one document twice at once, by two callers: each component is done
// once, and the document is left as one run leaves it. The run that comes to write
// while the other one has written a part of it says so and writes nothing.
func TestTwoRuns(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs", "shell", "toolbox", "lua")
	alone, file := mixedBook(t, 40), mixedBook(t, 40)
	expected, want := s.run(alone, workbook.Options{})
	var wrote atomic.Int32
	var mu sync.Mutex
	began := map[string]int{}
	notice := func(n fabric.Notice) {
		if n.Kind == fabric.NoticeStarted {
			mu.Lock()
			began[n.Tag]++
			mu.Unlock()
		}
	}
	runners := []compile.Runner{s.runner(notice, nil), s.runner(notice, nil)}
	for i := range 2 {
		s.worker(fmt.Sprintf("w%d", i), &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	}
	var both sync.WaitGroup
	for _, r := range runners {
		both.Go(func() {
			report, err := workbook.Run(t.Context(), workbook.Options{Book: workbook.Book{File: file, Lanes: s.lanes}, Venue: workbook.Venue{Runner: r, Jobs: 16}})
			if err == nil {
				wrote.Add(1)
			} else if !errors.As(err, new(*orgfile.ConflictError)) {
				t.Error(err)
			}
			for i, c := range report.Components {
				if alone := expected.Components[i]; c.Status != alone.Status || c.Value.String() != alone.Value.String() {
					t.Errorf("%s: %s %s, alone %s %s (%v)", c.ID, c.Status, c.Value, alone.Status, alone.Value, c.Err)
				}
			}
		})
	}
	both.Wait()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("the file differs from that of one run: %v\n%s", err, got)
	}
	if wrote.Load() == 0 {
		t.Error("neither run wrote its results")
	}
	for id, times := range began {
		if times != 1 {
			t.Errorf("%s began %d times", id, times)
		}
	}
	if len(began) != 40 {
		t.Errorf("%d of 40 components began", len(began))
	}
}

// TestNoSpace has a tenant with room for little: what is too large for it runs at the
// caller, who says so, and everything else at the worker.
func TestNoSpace(t *testing.T) {
	s := newSiteWith(t, fabric.Quota{ObjectBytes: 256 << 10})
	lanetest.Need(t, s.env, "quickjs")
	s.worker("w", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	text := `#+name: small
#+begin_src js
return 6 * 7
#+end_src

#+name: source
#+begin_src js
return "` + strings.Repeat("all work and no play ", 50_000) + `".length
#+end_src

#+name: result
#+begin_src js :results output file :file out.txt
console.log("all work and no play ".repeat(50000))
#+end_src

#+name: file
#+begin_src js
return require("fs").readFileSync("large.txt", "utf8").length
#+end_src
`
	alone, away := book(t, text), book(t, text)
	for _, file := range []string{alone, away} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), "large.txt"), bytes.Repeat([]byte("large "), 200_000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, want := s.run(alone, workbook.Options{})
	var mu sync.Mutex
	stayed := map[string]string{}
	report, got := s.run(away, workbook.Options{Venue: workbook.Venue{Runner: s.runner(nil, func(id, why string) {
		mu.Lock()
		stayed[id] = why
		mu.Unlock()
	})}})
	if got != want {
		t.Errorf("the files differ:\n%.400s\nalone:\n%.400s", got, want)
	}
	for _, c := range report.Components {
		where, why := "", "the tenant's quota is used up"
		if c.ID == "small" {
			where, why = "w", ""
		}
		if c.Err != nil || c.Where != where || !strings.Contains(stayed[c.ID], why) {
			t.Errorf("%s at %q, since %q: %v", c.ID, c.Where, stayed[c.ID], c.Err)
		}
	}
}

// TestCancelledRun cancels a run in the midst of its work: the next one has all that was
// done, and leaves the document as a run does that nobody cancelled.
func TestCancelledRun(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	text := luas(30)
	_, want := s.run(book(t, text), workbook.Options{})
	for i := range 2 {
		s.worker(fmt.Sprintf("w%d", i), &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	}
	for _, after := range []int{1, 7, 20} {
		file := book(t, text)
		ctx, cancel := context.WithCancel(t.Context())
		var ended atomic.Int32
		_, err := workbook.Run(ctx, workbook.Options{Book: workbook.Book{File: file, Lanes: s.lanes}, Venue: workbook.Venue{Runner: s.fresh(), Jobs: 8},
			Listeners: workbook.Listeners{Trace: trace.SinkFunc(func(e trace.Event) error {
				if e.Kind == trace.KindComponentEnd && int(ended.Add(1)) == after {
					cancel()
				}
				return nil
			})}})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		report, got := s.run(file, workbook.Options{Venue: workbook.Venue{Runner: s.runner(nil, nil), Jobs: 8}})
		for _, c := range report.Components {
			if c.Err != nil {
				t.Errorf("after %d: %s: %v", after, c.ID, c.Err)
			}
		}
		if got != want {
			t.Errorf("after %d: the files differ:\n%s\nalone:\n%s", after, got, want)
		}
	}
}

// fresh is a caller that uses no result that is kept.
func (s *site) fresh() *programs.Sender {
	s.t.Helper()
	q, err := fabric.NewQueue(s.link("ada", "caller", ""), fabric.QueueConfig{Check: programs.Check})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(q.Close)
	return programs.New(programs.Config{Queue: q, Tools: s.env.Tools, Fresh: true})
}
