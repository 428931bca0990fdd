package programs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
	"wb/compile/place/fabric/programs"
	"wb/internal/test/lanetest"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/workbook"
)

// TestMain makes this test binary a worker when it is started as one.
func TestMain(m *testing.M) {
	if url := os.Getenv("PROGRAMS_TEST_WORKER"); url != "" {
		if err := workAsProcess(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func workAsProcess(url string) error {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		return err
	}
	registry, err := lanes.New(env)
	if err != nil {
		return err
	}
	link, err := fabric.Dial(ctx, fabric.Config{URL: url, Tenant: "ada", User: fabric.WorkerUser("ada"), Token: "worker", Name: os.Getenv("PROGRAMS_TEST_NAME"), AckWait: ackWait})
	if err != nil {
		return err
	}
	peer := &programs.Peer{Lanes: registry, Tools: env.Tools, Link: link}
	fmt.Println("ready")
	return fabric.NewWorker(link, fabric.WorkerConfig{Slots: 2, Execute: peer.Execute, Same: programs.Same}).Run(ctx)
}

const ackWait = 2 * time.Second

// site is a server with one tenant, and lanes of this process.
type site struct {
	t      *testing.T
	server *natsserver.Server
	env    *compile.Env
	lanes  *compile.Registry
}

func newSite(t *testing.T) *site { return newSiteWith(t, fabric.Quota{}) }

func newSiteWith(t *testing.T, quota fabric.Quota) *site {
	t.Helper()
	server, err := natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), Tenants: []natsserver.Tenant{{Name: "ada", Token: "caller", WorkerToken: "worker", Quota: quota}}, AckWait: ackWait})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return &site{t, server, env, registry}
}

func (s *site) link(user, token, name string) *fabric.Link {
	s.t.Helper()
	l, err := fabric.Dial(s.t.Context(), fabric.Config{URL: s.server.URL(), Tenant: "ada", User: user, Token: token, Name: name, AckWait: ackWait, Poll: time.Second})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(l.Close)
	return l
}

// runner is a caller of its own; notices hears what happens, stayed what did not
// travel.
func (s *site) runner(notices func(fabric.Notice), stayed func(string, string)) *programs.Sender {
	s.t.Helper()
	q, err := fabric.NewQueue(s.link("ada", "caller", ""), fabric.QueueConfig{Started: true, Notice: notices, Check: programs.Check})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(q.Close)
	return programs.New(programs.Config{Queue: q, Tools: s.env.Tools, Stayed: stayed})
}

// worker runs a worker of this process until the test ends.
func (s *site) worker(name string, peer *programs.Peer) {
	s.t.Helper()
	peer.Link = s.link(fabric.WorkerUser("ada"), "worker", name)
	w := fabric.NewWorker(peer.Link, fabric.WorkerConfig{Slots: 2, Execute: peer.Execute, Same: programs.Same})
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

// process starts a worker process.
func (s *site) process(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROGRAMS_TEST_WORKER="+s.server.URL(), "PROGRAMS_TEST_NAME="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Error(err)
		return cmd
	}
	s.t.Cleanup(func() { stop(cmd) })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		s.t.Errorf("worker %s: %q %v", name, line, err)
	}
	go io.Copy(io.Discard, out)
	return cmd
}

func stop(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// book writes a workbook into a directory of its own.
func book(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "book.org")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a workbook and returns its text afterwards.
func (s *site) run(file string, opts workbook.Options) (*workbook.Report, string) {
	s.t.Helper()
	opts.File, opts.Lanes = file, s.lanes
	report, err := workbook.Run(s.t.Context(), opts)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	return report, string(text)
}

// mixed is a workbook of n components in several languages, a third of which
// read what others made.
func mixed(n int) string {
	var b strings.Builder
	for i := range n {
		dep := ""
		if i%3 == 0 && i >= 8 {
			dep = fmt.Sprintf(" :var x=c%d", i-8)
		}
		fmt.Fprintf(&b, "#+NAME: c%d\n", i)
		switch i % 4 {
		case 0:
			use := ""
			if dep != "" {
				use = " + ',' + x"
			}
			fmt.Fprintf(&b, "#+begin_src js :results value%s\nlet s = %d; for (let j = 0; j < 3000; j++) s = (s * 31 + j) %% 1000003; return s%s\n#+end_src\n\n", dep, i, use)
		case 1:
			fmt.Fprintf(&b, "#+begin_src sh :results output%s\necho row %d $x; cat shared.txt\n#+end_src\n\n", dep, i)
		case 2:
			fmt.Fprintf(&b, "#+begin_src lua :results output%s\nlocal s = %d for j = 1, 3000 do s = (s * 31 + j) %% 1000003 end print(s, x)\n#+end_src\n\n", dep, i)
		case 3:
			fmt.Fprintf(&b, "#+begin_src jq :results output :stdin c%d\n.\n#+end_src\n\n", i-3)
		}
	}
	return b.String()
}

// mixedBook writes a mixed workbook and the file beside it that it reads.
func mixedBook(t *testing.T, n int) string {
	t.Helper()
	file := book(t, mixed(n))
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "shared.txt"), []byte("the same for all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMixedWorkbook runs a workbook in one process and over three workers that
// are killed meanwhile: the same bytes, the same fuel.
func TestMixedWorkbook(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs", "shell", "toolbox", "lua")
	alone, away := mixedBook(t, components), mixedBook(t, components)
	want, wantText := s.run(alone, workbook.Options{})

	// Workers are killed by what is done and not by the clock, so that on a slow
	// machine too something gets done between two murders.
	var ended atomic.Int64
	var over atomic.Bool
	var killer sync.WaitGroup
	for i := range 3 {
		p := s.process(fmt.Sprintf("w%d", i))
		killer.Go(func() {
			for n := i; n < killedWorkers; n += 3 {
				for ended.Load() < int64((n+1)*components/(killedWorkers+1)) && !over.Load() {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
				stop(p)
				p = s.process(fmt.Sprintf("w%d.%d", i, n))
			}
		})
	}
	var mu sync.Mutex
	workers := map[string]int{}
	sink := trace.SinkFunc(func(e trace.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == trace.KindComponentEnd {
			ended.Add(1)
		}
		for _, p := range e.Props {
			if e.Kind == trace.KindComponentEnd && p.Name == "WORKER" {
				workers[p.Value]++
			}
		}
		return nil
	})
	got, gotText := s.run(away, workbook.Options{
		Venue:     workbook.Venue{Runner: s.runner(nil, nil), Jobs: 64},
		Listeners: workbook.Listeners{Trace: sink},
	})
	over.Store(true)
	killer.Wait()
	if gotText != wantText {
		t.Error("the files differ")
	}
	for i, d := range got.Components {
		if w := want.Components[i]; d.Status != w.Status || d.Usage.Fuel != w.Usage.Fuel || d.Value.String() != w.Value.String() {
			t.Errorf("%s: %s %d fuel %s, alone %s %d fuel %s (%v)", d.ID, d.Status, d.Usage.Fuel, d.Value, w.Status, w.Usage.Fuel, w.Value, d.Err)
		}
	}
	total := 0
	for _, n := range workers {
		total += n
	}
	if total != components {
		t.Errorf("%d of %d components ran at %v", total, components, workers)
	}
}

// TestErrorsTravel runs what fails here and there: the messages are the same.
func TestErrorsTravel(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs", "lua")
	s.worker("w", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	const text = `#+NAME: syntax
#+begin_src js
return (1 +
#+end_src

#+NAME: thrown
#+begin_src js
throw new Error("no luck")
#+end_src

#+NAME: endless
#+begin_src lua :fuel 1e7
while true do end
#+end_src

#+NAME: absent
#+begin_src js
return require("fs").readFileSync("absent.txt")
#+end_src
`
	want, wantText := s.run(book(t, text), workbook.Options{})
	got, gotText := s.run(book(t, text), workbook.Options{Venue: workbook.Venue{Runner: s.runner(nil, nil), Jobs: 8}})
	if gotText != wantText {
		t.Errorf("the files differ:\n%s\nalone:\n%s", gotText, wantText)
	}
	for i, d := range got.Components {
		here, there := want.Components[i].Err, d.Err
		if here == nil || there == nil || base(here.Error()) != base(there.Error()) {
			t.Errorf("%s: %v, alone %v", d.ID, there, here)
		}
	}
}

// base takes directories out of a message.
func base(message string) string {
	words := strings.Fields(message)
	for i, w := range words {
		words[i] = filepath.Base(w)
	}
	return strings.Join(words, " ")
}

// TestStays runs what cannot travel.
func TestStays(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs", "lua")
	s.worker("w", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	var mu sync.Mutex
	stayed := map[string]string{}
	r := s.runner(nil, func(id, why string) {
		mu.Lock()
		defer mu.Unlock()
		stayed[id] = why
	})
	report, _ := s.run(book(t, `#+NAME: one
#+begin_src lua :session s
a = 41
return a
#+end_src

#+NAME: two
#+begin_src lua :session s
return a + 1
#+end_src

#+NAME: timed
#+begin_src js :uses clock
return Date.now() > 1e12
#+end_src

#+NAME: free
#+begin_src js
return 1
#+end_src
`), workbook.Options{Authority: workbook.Authority{Grants: []string{"clock"}}, Venue: workbook.Venue{Runner: r}})
	for _, d := range report.Components {
		if d.Err != nil {
			t.Errorf("%s: %v", d.ID, d.Err)
		}
		if away := d.Where != ""; away != (d.ID == "free") {
			t.Errorf("%s ran at %q", d.ID, d.Where)
		}
	}
	// It is what a plan foretells.
	for i, one := range workbook.Placements(report.Plan, workbook.Authority{Grants: []string{"clock"}}, workbook.Venue{}) {
		if why := stayed[one.Component]; why != one.Why || (one.Where == workbook.AtWorkers) != (report.Components[i].Where != "") {
			t.Errorf("%s: stayed %q, foretold %+v", one.Component, why, one)
		}
	}
	if !strings.Contains(stayed["two"], "session") || !strings.Contains(stayed["timed"], "clock") || len(stayed) != 3 {
		t.Errorf("stayed: %v", stayed)
	}
	if two := report.Components[1].Value.String(); two != "42" {
		t.Errorf("two is %s", two)
	}
}

// TestAway wants nothing to run here: what cannot travel is refused.
func TestAway(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	s.worker("w", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	q, err := fabric.NewQueue(s.link("ada", "caller", ""), fabric.QueueConfig{Check: programs.Check})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	report, _ := s.run(book(t, "#+NAME: one\n#+begin_src lua :session s\nreturn 1\n#+end_src\n\n#+NAME: two\n#+begin_src lua\nreturn 2\n#+end_src\n"),
		workbook.Options{Venue: workbook.Venue{Runner: programs.New(programs.Config{Queue: q, Tools: s.env.Tools, Away: true})}})
	if err := report.Components[0].Err; !errors.As(err, new(*programs.StayError)) {
		t.Errorf("one: %v", err)
	}
	if two := report.Components[1]; two.Err != nil || two.Where != "w" {
		t.Errorf("two at %q: %v", two.Where, two.Err)
	}
}

// Where the last worker has gone for good, what waits for one fails and says so.
func TestGone(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs")
	q, err := fabric.NewQueue(s.link("ada", "caller", ""), fabric.QueueConfig{Check: programs.Check})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	gone := make(chan struct{})
	runner := programs.New(programs.Config{Queue: q, Tools: s.env.Tools, Gone: gone})
	time.AfterFunc(100*time.Millisecond, func() { close(gone) }) // the program waits by then, or will not begin to
	report, _ := s.run(book(t, mixed(1)), workbook.Options{Venue: workbook.Venue{Runner: runner}})
	lost := new(programs.GoneError)
	for _, c := range report.Components {
		if errors.As(c.Err, &lost) {
			return
		}
	}
	t.Errorf("no component says that nobody is left: %+v", report.Components)
}

// TestKeptResults runs one workbook beside files that differ: results are used
// where what was read is the same, and only there.
func TestKeptResults(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "shell", "toolbox")
	s.worker("w", &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	const text = "#+NAME: c\n#+begin_src sh :results output\ncat a.txt; if grep -q b a.txt; then cat b.txt; fi\n#+end_src\n"
	// The same path for all, since messages of a program name its file.
	file := book(t, text)
	dir := filepath.Dir(file)
	for _, c := range []struct {
		a, b, want string
		began      bool
	}{
		{"plain", "", "plain", true},
		{"plain", "unread", "plain", false},
		{"with b ", "one", "with b one", true},
		{"with b ", "two", "with b two", true},
		{"with b ", "one", "with b one", false},
		{"plain", "two", "plain", false},
	} {
		for name, content := range map[string]string{"a.txt": c.a, "b.txt": c.b, "book.org": text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var began atomic.Bool
		r := s.runner(func(n fabric.Notice) {
			if n.Kind == fabric.NoticeStarted {
				began.Store(true)
			}
		}, nil)
		report, _ := s.run(file, workbook.Options{Venue: workbook.Venue{Runner: r}, Write: workbook.WriteNothing})
		if got := report.Components[0]; got.Err != nil || got.Stdout != c.want || began.Load() != c.began {
			t.Errorf("a %q b %q: %q, began %v, %v", c.a, c.b, got.Stdout, began.Load(), got.Err)
		}
	}
}

// TestToolchainTravels joins a worker that has no toolchain: it gets the
// caller's through the object store.
func TestToolchainTravels(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	bare, err := compile.NewEnv(t.Context(), compile.EnvConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bare.Close(context.Background()) })
	registry, err := lanes.New(bare)
	if err != nil {
		t.Fatal(err)
	}
	s.worker("bare", &programs.Peer{Lanes: registry, Tools: bare.Tools})
	report, _ := s.run(book(t, "#+begin_src lua\nreturn 6 * 7\n#+end_src\n"), workbook.Options{Venue: workbook.Venue{Runner: s.runner(nil, nil)}})
	if d := report.Components[0]; d.Err != nil || d.Value.String() != "42" || d.Where != "bare" {
		t.Errorf("%s at %q: %v", d.Value, d.Where, d.Err)
	}
	here, _ := s.env.Tools.Installed("lua")
	there, ok := bare.Tools.Installed("lua")
	if !ok || there.Digest != here.Digest {
		t.Errorf("the worker has lua %v of digest %.12s, the caller %.12s", ok, there.Digest, here.Digest)
	}
}

// otherLane is a lane of another version.
type otherLane struct{ compile.Lane }

func (otherLane) Fingerprint() string { return "another version" }

// TestDeclinedRunsHere has only workers of another version: the program is run
// at the caller.
func TestDeclinedRunsHere(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "lua")
	lua, _ := s.lanes.Lookup("lua")
	registry, err := compile.NewRegistry(otherLane{lua})
	if err != nil {
		t.Fatal(err)
	}
	s.worker("other", &programs.Peer{Lanes: registry, Tools: s.env.Tools})
	var why string
	report, _ := s.run(book(t, "#+begin_src lua\nreturn 6 * 7\n#+end_src\n"), workbook.Options{Venue: workbook.Venue{Runner: s.runner(nil, func(_, w string) { why = w })}})
	if d := report.Components[0]; d.Err != nil || d.Value.String() != "42" || d.Where != "" {
		t.Errorf("%s at %q: %v", d.Value, d.Where, d.Err)
	}
	if !strings.Contains(why, "other declined: the other side has another version of the lane for lua") {
		t.Errorf("it ran here because %q", why)
	}
}

// TestMap fans one component out.
func TestMap(t *testing.T) {
	s := newSite(t)
	lanetest.Need(t, s.env, "quickjs")
	for i := range 2 {
		s.worker(fmt.Sprintf("w%d", i), &programs.Peer{Lanes: s.lanes, Tools: s.env.Tools})
	}
	file := book(t, "* Double\n:PROPERTIES:\n:in: n\n:out: m\n:END:\n#+begin_src js\nexport function double(n) { return 2 * n }\n#+end_src\n")
	inputs, want := mapInputs(40)
	got, err := workbook.Map(t.Context(), workbook.Options{
		Book:  workbook.Book{File: file, Lanes: s.lanes},
		Venue: workbook.Venue{Runner: s.runner(nil, nil), Jobs: 32},
	}, "book/double", inputs)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, m := range got {
		if m.Err != nil {
			t.Error(m.Err)
		}
		values = append(values, m.Value.String())
	}
	if !slices.Equal(values, want) {
		t.Errorf("got %v", values)
	}
}

func mapInputs(n int) (inputs []value.Value, want []string) {
	for i := range n {
		inputs = append(inputs, value.OfInt(int64(i)))
		want = append(want, fmt.Sprint(2*i))
	}
	return inputs, want
}
