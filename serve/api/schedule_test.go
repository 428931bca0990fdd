package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/agent/host"
	"wb/app"
	"wb/internal/test/lanetest"
	"wb/internal/trace"
	"wb/serve/api"
)

// handClock stands still until it is turned. Turning waits until the scheduler
// sleeps, so that nothing depends on how fast it is.
type handClock struct {
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	sleeper chan time.Time
	wake    time.Time
}

func newHandClock(now time.Time) *handClock {
	c := &handClock{now: now}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) At(t time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sleeper, c.wake = make(chan time.Time, 1), t
	c.changed.Broadcast()
	return c.sleeper
}

// turn lets the time go by until then, from one wake-up to the next, and returns
// when the scheduler sleeps again.
func (c *handClock) turn(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for c.sleeper == nil {
			c.changed.Wait()
		}
		if c.wake.After(to) {
			c.now = to
			return
		}
		c.now = c.wake
		c.sleeper <- c.now
		c.sleeper = nil
	}
}

const scheduledTeam = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: vfs_write vfs_read
:SCHEDULE: 30 6 * * *
:END:
You write every morning.
* Broken :agent:
:PROPERTIES:
:ID: broken
:SCHEDULE: whenever
:END:
You never run.
`

const scheduledBook = `* Nightly :workflow:
:PROPERTIES:
:SCHEDULE: 0 2 * * *
:END:
** Count :component:
#+begin_src sh
echo counted
#+end_src
* Once :workflow:
SCHEDULED: <2026-06-07 Sun 12:00>
** Greet :component:
#+begin_src sh
echo greeted
#+end_src
* Paused :workflow:
SCHEDULED: [2026-06-07 Sun 12:00]
** Never :component:
#+begin_src sh
echo never
#+end_src
`

// What documents schedule fires at its times, once, and not before the server
// began.
func TestSchedule(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "shell", "toolbox")
	start := time.Date(2026, 6, 6, 6, 29, 30, 0, time.Local)
	clock := newHandClock(start)
	var mu sync.Mutex
	var warned []string
	b := newBench(t, scribe, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Name, c.Tenants[0].Token = "ada", adaToken
		c.Schedules, c.Clock = true, clock
		c.Warn = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			warned = append(warned, err.Error())
		}
		write(t, filepath.Join(c.Tenants[0].Dir, "team.org"), scheduledTeam)
		if err := os.Mkdir(filepath.Join(c.Tenants[0].Dir, "books"), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(c.Tenants[0].Dir, "books", "book.org"), scheduledBook)
	})
	ids := func() []string {
		_, list := b.call(adaToken, "GET", "/api/run", nil)
		var all []string
		for _, r := range list["runs"].([]any) {
			if r.(map[string]any)["schedule"] != "30 6 * * *" {
				t.Errorf("a run that nobody scheduled: %v", r)
			}
			all = append(all, r.(map[string]any)["id"].(string))
		}
		return all
	}
	clock.turn(start.Add(29 * time.Second))
	if got := ids(); len(got) != 0 {
		t.Errorf("before its time fired %v", got)
	}
	clock.turn(start.Add(31 * time.Second))
	fired := ids()
	if len(fired) != 1 {
		t.Fatalf("at 6:30 fired %v", fired)
	}
	if got := b.ended(fired[0]); got["status"] != "done" || !strings.Contains(got["task"].(string), "it is Saturday, 2026-06-06 06:30") {
		t.Errorf("%v", got)
	}
	clock.turn(start.Add(49 * time.Hour))
	if got := ids(); len(got) != 3 {
		t.Errorf("after two more days fired %v", got)
	}
	for _, id := range ids() {
		b.ended(id)
	}
	// an edit counts without a restart
	write(t, filepath.Join(b.dir("ada"), "team.org"), strings.Replace(scheduledTeam, "30 6 * * *", "0 0 1 1 *  ", 1))
	clock.turn(start.Add(98 * time.Hour))
	if got := ids(); len(got) != 3 {
		t.Errorf("after the schedule was edited fired %v", got)
	}
	starts := map[string]int{}
	for ended := 0; ended < 5; time.Sleep(time.Millisecond) { // workflows run beside the clock
		text, err := os.ReadFile(filepath.Join(b.dir("ada"), "events.org"))
		if err != nil {
			t.Fatal(err)
		}
		ended = 0
		clear(starts)
		workflows := map[string]bool{}
		for e := range trace.Events(text) {
			switch {
			case e.Kind == trace.KindRun && e.Agent == "":
				workflows[e.Run] = true
			case e.Kind == trace.KindResult && workflows[e.Run]:
				ended++
				if e.Status != "ok" {
					t.Errorf("a workflow ended with %+v", e)
				}
			case e.Kind == trace.KindComponentEnd:
				starts[e.Component]++
			}
		}
	}
	if len(starts) != 2 || starts["Count"] != 4 || starts["Greet"] != 1 {
		t.Errorf("components ran %v times", starts)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(warned) != 1 || !strings.Contains(warned[0], ":SCHEDULE: whenever") || !strings.Contains(warned[0], "team.org:8:") {
		t.Errorf("warned %q", warned)
	}
}

// An agent that a process keeps is woken by that process.
func TestKeptElsewhere(t *testing.T) {
	start := time.Date(2026, 6, 6, 6, 29, 30, 0, time.Local)
	clock := newHandClock(start)
	b := newBench(t, scribe, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Name, c.Tenants[0].Token = "ada", adaToken
		c.Schedules, c.Clock = true, clock
		file := filepath.Join(c.Tenants[0].Dir, "team.org")
		write(t, file, strings.Replace(scheduledTeam, "whenever", "@yearly", 1))
		all, _, err := host.Agents(file)
		if err != nil {
			t.Fatal(err)
		}
		key := new(host.Runtime).KeyOf(all[0], host.Task{File: file})
		release, ok, err := app.TenantState(c.State, "ada").Lock("keeper-" + key)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		t.Cleanup(release)
	})
	clock.turn(start.Add(25 * time.Hour))
	if _, list := b.call(adaToken, "GET", "/api/run", nil); len(list["runs"].([]any)) != 0 {
		t.Errorf("fired %v", list)
	}
}
