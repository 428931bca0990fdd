package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org/orgfile"
	"wb/sandbox"
)

func TestRunCaches(t *testing.T) {
	n := newNotebook(t, diamond)
	report, got := n.run()
	if want := "top:ok left:ok right:ok bottom:ok apart:ok"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if v := report.Exports; len(v) != 2 || v[0].Name != "bottom" || v[0].Value.Int() != 4 || v[1].Name != "apart" {
		t.Errorf("exports %v", v)
	}
	if !report.Wrote || !strings.Contains(n.text(), "#+RESULTS: bottom\n: 4\n") {
		t.Errorf("results were not written:\n%s", n.text())
	}
	before := n.text()
	report, got = n.run()
	if want := "top:cached left:cached right:cached bottom:cached apart:cached"; got != want || report.Wrote || n.text() != before {
		t.Errorf("second run: %s, wrote %v", got, report.Wrote)
	}
	if n.lane.runs.Load() != 5 || n.lane.builds.Load() != 5 {
		t.Errorf("%d runs, %d builds", n.lane.runs.Load(), n.lane.builds.Load())
	}

	// Another input of one component: exactly its cone runs.
	n.write(strings.Replace(n.text(), "y=2", "y=3", 1))
	if _, got = n.run(); got != "top:cached left:cached right:ok bottom:ok apart:cached" {
		t.Errorf("after a change: %s", got)
	}
	if !strings.Contains(n.text(), "#+RESULTS: bottom\n: 5\n") {
		t.Errorf("stale result:\n%s", n.text())
	}
	// Back again: nothing runs at all.
	n.write(strings.Replace(n.text(), "y=3", "y=2", 1))
	if _, got = n.run(); strings.Contains(got, ":ok") || !strings.Contains(n.text(), "#+RESULTS: bottom\n: 4\n") {
		t.Errorf("after changing back: %s", got)
	}
	// A change that leaves the value as it was stops there.
	n.write(strings.Replace(n.text(), "return 1\n", "return 1\nprint noise\n", 1))
	if _, got = n.run(); got != "top:ok left:cached right:cached bottom:cached apart:cached" {
		t.Errorf("after an idle change: %s", got)
	}
	// Moving text around runs nothing.
	n.write("Some words.\n\n" + n.text())
	if _, got = n.run(); strings.Contains(got, ":ok") {
		t.Errorf("after moving: %s", got)
	}
	// Another compiler, another profile, or being told to: everything runs.
	n.lane.print = "2"
	if _, got = n.run(); strings.Contains(got, "cached") {
		t.Errorf("after a new toolchain: %s", got)
	}
	n.opts.Profile = "network"
	if _, got = n.run(); strings.Contains(got, "cached") {
		t.Errorf("with another profile: %s", got)
	}
	n.opts.Force = true
	if _, got = n.run(); strings.Contains(got, "cached") {
		t.Errorf("with force: %s", got)
	}
}

func TestRunRestoresResults(t *testing.T) {
	n := newNotebook(t, diamond)
	n.run()
	whole := n.text()
	n.write(strings.Replace(whole, ": 4\n", ": tampered\n", 1))
	if _, got := n.run(); strings.Contains(got, ":ok") || n.text() != whole {
		t.Errorf("%s\n%s", got, n.text())
	}
}

func TestRunStopsOnlyTheCone(t *testing.T) {
	n := newNotebook(t, strings.Replace(diamond, "sum x y", "fail 7 no luck today", 1))
	report, got := n.run()
	if want := "top:ok left:ok right:failed bottom:blocked apart:ok"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	failed := report.Failed()
	if failed == nil || failed.Exit != 7 || !strings.Contains(failed.Err.Error(), "doc.org:12:1: right: no luck today (exit code 7)") {
		t.Errorf("failure %+v", failed)
	}
	if !strings.Contains(n.text(), "#+RESULTS: left\n: 1\n") || strings.Contains(n.text(), "#+RESULTS: bottom") {
		t.Errorf("results:\n%s", n.text())
	}
	// What failed is tried again; what was fine is not.
	if _, got = n.run(); got != "top:cached left:cached right:failed bottom:blocked apart:cached" {
		t.Errorf("second run: %s", got)
	}
}

func TestRunOnly(t *testing.T) {
	n := newNotebook(t, diamond)
	n.opts.Only = []string{"right"}
	report, got := n.run()
	if got != "top:ok right:ok" {
		t.Errorf("got %s", got)
	}
	if text := n.text(); strings.Contains(text, "#+RESULTS: top") || !strings.Contains(text, "#+RESULTS: right\n: 3") {
		t.Errorf("results:\n%s", text)
	}
	if len(report.Exports) != 0 {
		t.Errorf("exports %v", report.Exports)
	}
	n.opts.Only = []string{"wright"}
	_, err := Run(context.Background(), n.opts)
	var notFound *NotFoundError
	if !errors.As(err, &notFound) || notFound.Near != "right" {
		t.Errorf("got %v", err)
	}
}

const scaled = `#+TITLE: Scaled
* Scale
  :PROPERTIES:
  :in: amount factor
  :default-factor: 2
  :out: scaled
  :END:
#+begin_src toy
sum amount factor
#+end_src
`

func TestRunImports(t *testing.T) {
	n := newNotebook(t, scaled)
	_, err := Run(context.Background(), n.opts)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Error() != n.file+":4:8: input amount is missing" || missing.Hint() != "wb run --set amount=VALUE" {
		t.Fatalf("got %v", err)
	}
	n.opts.Set = map[string]value.Value{"amount": value.OfInt(40)}
	report, _ := n.run()
	if len(report.Exports) != 1 || report.Exports[0].Value.Int() != 42 {
		t.Errorf("exports %v", report.Exports)
	}
	n.opts.Set["factor"] = value.OfInt(3)
	report, got := n.run()
	if report.Exports[0].Value.Int() != 43 || got != "scaled/scale:ok" {
		t.Errorf("exports %v, %s", report.Exports, got)
	}
	n.opts.Set["color"] = value.OfInt(3)
	if _, err = Run(context.Background(), n.opts); err == nil {
		t.Error("a value for nothing should be refused")
	}
}

func TestRunLeavesTheFileAlone(t *testing.T) {
	n := newNotebook(t, diamond)
	n.opts.Write = WriteNothing
	n.run()
	if n.text() != diamond {
		t.Error("--no-write wrote")
	}
	// Somebody saves the file while components run.
	n.opts.Write = WriteAll
	n.opts.Progress = func(d Done) {
		if d.ID == "apart" {
			n.write(diamond + "\nan edit\n")
		}
	}
	_, err := Run(context.Background(), n.opts)
	var conflict *orgfile.ConflictError
	if !errors.As(err, &conflict) || n.text() != diamond+"\nan edit\n" {
		t.Errorf("got %v\n%s", err, n.text())
	}
}

func TestRunCancelled(t *testing.T) {
	n := newNotebook(t, diamond+"\n#+NAME: slow\n#+begin_src toy :var x=bottom\nwait\n#+end_src\n\n#+NAME: after\n#+begin_src toy :var x=slow\ninput x\n#+end_src\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n.opts.Progress = func(d Done) {
		if d.ID == "bottom" {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
	}
	report, err := Run(ctx, n.opts)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if got := statuses(report); got != "top:ok left:ok right:ok bottom:ok apart:ok slow:cancelled after:cancelled" {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(n.text(), "#+RESULTS: bottom\n: 4\n") {
		t.Error("what was done is not written")
	}
}

func TestRunLimits(t *testing.T) {
	var seen sandbox.Limits
	n := newNotebook(t, "#+begin_src toy :timeout 60s :memory 32MiB :fuel 1e6\nreturn 1\n#+end_src\n")
	inner := n.lane.run
	n.lane.run = func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
		seen = job.Limits
		return inner(ctx, src, job)
	}
	report, _ := n.run()
	if seen.Timeout != 5*time.Second || seen.Memory != 32<<20 || seen.Fuel != 1_000_000 {
		t.Errorf("limits %+v", seen)
	}
	w := report.Components[0].Warnings
	if len(w) != 1 || w[0].Hint != "wb run --limits timeout=60s" || !strings.Contains(w[0].Message, "asks for :timeout 60s and gets 5s") {
		t.Errorf("warnings %v", w)
	}
	n.opts.Limits.Timeout, n.opts.Force = 2*time.Minute, true
	if report, _ = n.run(); seen.Timeout != time.Minute || len(report.Components[0].Warnings) != 0 {
		t.Errorf("limits %+v, warnings %v", seen, report.Components[0].Warnings)
	}
}

func TestRunGrants(t *testing.T) {
	var seen sandbox.Caps
	n := newNotebook(t, "#+begin_src toy :uses clock :uses llm\nreturn 1\n#+end_src\n")
	inner := n.lane.run
	n.lane.run = func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
		seen = job.Caps
		return inner(ctx, src, job)
	}
	report, _ := n.run()
	w := report.Components[0].Warnings
	if seen.Clock || len(w) != 2 || w[0].Hint != "wb run --grant clock" || w[1].Hint != "wb run --grant llm" {
		t.Errorf("caps %+v, warnings %v", seen, w)
	}
	if _, got := n.run(); got != "block-1:cached" {
		t.Errorf("without a grant: %s", got)
	}
	n.opts.Grants = []string{"clock"}
	for range 2 { // what sees the clock is never kept
		if report, got := n.run(); !seen.Clock || got != "block-1:ok" || report.Components[0].Why != "it reads the clock" {
			t.Errorf("with a grant: %s, %s", got, report.Components[0].Why)
		}
	}
}

func TestRunSessions(t *testing.T) {
	n := newNotebook(t, `#+begin_src toy :session s
return 1
#+end_src

#+begin_src toy :session s
return 2
#+end_src

#+begin_src toy :session t
return 3
#+end_src
`)
	var order []string
	inner := n.lane.run
	n.lane.run = func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
		if strings.HasPrefix(job.Session, "toy:s@") {
			order = append(order, src.Body)
		}
		return inner(ctx, src, job)
	}
	n.run()
	if _, got := n.run(); got != "block-1:cached block-2:cached block-3:cached" {
		t.Errorf("second run: %s", got)
	}
	if want := []string{"return 1", "return 2"}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	// The second block changed: the first runs again, for the state it leaves.
	order = nil
	n.write(strings.Replace(n.text(), "return 2", "return 22", 1))
	if _, got := n.run(); got != "block-1:cached block-2:ok block-3:cached" {
		t.Errorf("after a change: %s", got)
	}
	if want := []string{"return 1", "return 22"}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	// The first changed: the second is stale.
	n.write(strings.Replace(n.text(), "return 1", "return 11", 1))
	if _, got := n.run(); got != "block-1:ok block-2:ok block-3:cached" {
		t.Errorf("after a change above: %s", got)
	}
}

func TestRunPlacesErrors(t *testing.T) {
	n := newNotebook(t, `* Errors
  #+begin_src toy :noweb yes
  return 1
  <<part>>
  #+end_src

#+NAME: part
#+begin_src toy
return 2
SYNTAX ERROR
#+end_src

#+NAME: data
#+begin_src json
{"a": 1,
 "b" 2}
#+end_src

#+begin_src toy :var x=data
input x
#+end_src

#+begin_src cobol
x
#+end_src
`)
	report, got := n.run()
	if got != "block-1:failed part:failed data:failed block-2:blocked block-3:skipped" {
		t.Errorf("got %s", got)
	}
	for i, want := range []string{":4:", ":10:1: error: syntax error", ":16:", "data, which failed"} {
		if got := report.Components[i].Err.Error(); !strings.Contains(got, want) {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	if got := report.Components[4].Why; got != "no lane runs cobol" {
		t.Errorf("skipped: %s", got)
	}
}

func TestRunDialects(t *testing.T) {
	n := newNotebook(t, `#+TITLE: Mixed

#+NAME: base
| 1 | 2 |

* Parts
  :PROPERTIES:
  :in: base
  :out: first rest
  :END:
  #+begin_src toy
  return {"first": 1, "rest": [2, 3]}
  #+end_src

* Lacks
  :PROPERTIES:
  :out: a b
  :END:
  #+begin_src toy
  return {"a": 1}
  #+end_src

* Flow :workflow:
** Start :component:
   #+begin_src toy :out n:int
   stdin
   #+end_src
** Middle :component:
   #+begin_src toy :in n:int :out m
   stdin
   #+end_src
** Inner :workflow:
*** End :component:
    #+begin_src toy :in m
    stdin
    #+end_src

* Babel
#+begin_src toy :var r=rest
input r
#+end_src
`)
	in := value.OfString("hello")
	n.opts.Input = &in
	report, got := n.run()
	if want := "base:data mixed/parts:ok mixed/lacks:failed Start:ok Middle:ok End:ok block-1:ok"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := report.Components[2].Err; !strings.Contains(err.Error(), `mixed/lacks gave no "b"`) {
		t.Errorf("got %v", err)
	}
	if v := report.Components[5].Value; v.Text() != "hello" {
		t.Errorf("the sub-workflow got %v", v)
	}
	if v := report.Components[6].Value; v.String() != "[2,3]" {
		t.Errorf("the babel block got %v", v)
	}
}

func TestExplain(t *testing.T) {
	n := newNotebook(t, diamond)
	why := func(id string) *Explanation {
		t.Helper()
		x, err := Explain(context.Background(), n.opts, id)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if x := why("top"); !x.WouldRun || x.Reason != "it has not run yet" {
		t.Errorf("at first: %+v", x)
	}
	if x := why("bottom"); !x.WouldRun || !slices.Equal(x.Needs, []string{"top"}) {
		t.Errorf("at first: %+v", x)
	}
	n.run()
	if x := why("bottom"); x.WouldRun || x.Reason != "nothing changed" || x.Now == nil || x.Before.Key() != x.Now.Key() {
		t.Errorf("after a run: %+v", x)
	}
	n.write(strings.Replace(n.text(), "y=2", "y=3", 1))
	if x := why("right"); !x.WouldRun || !strings.HasPrefix(x.Reason, "input y changed (") {
		t.Errorf("after a change: %+v", x)
	}
	if x := why("bottom"); !x.WouldRun || x.Reason != "right would run first, and its result is an input" || !slices.Equal(x.Needs, []string{"right"}) {
		t.Errorf("after a change: %+v", x)
	}
	n.write(strings.Replace(n.text(), "sum l r", "sum r l", 1))
	n.write(strings.Replace(n.text(), "y=3", "y=2", 1))
	if x := why("bottom"); !strings.HasPrefix(x.Reason, "source changed (") {
		t.Errorf("after an edit: %+v", x)
	}
	if runs := n.lane.runs.Load(); runs != 5 {
		t.Errorf("asking ran something: %d", runs)
	}
}

// TestRunIsDeterministic runs the same text with different numbers of jobs.
func TestRunIsDeterministic(t *testing.T) {
	var texts []string
	for _, jobs := range []int{1, 2, 8} {
		n := newNotebook(t, string(chainDocument(30))+diamond)
		n.opts.Lanes = testLanes(t, n.lane, &fakeLane{info: compile.Info{Name: "js", Shapes: allShapes}, run: n.lane.run})
		n.opts.Jobs = jobs
		n.run()
		texts = append(texts, n.text())
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("the number of jobs changes the text")
	}
}

// toyChain is chain in the language of these tests.
func toyChain(n int) string {
	return strings.NewReplacer("js", "toy", "return x + 1", "sum x").Replace(string(chainDocument(n)))
}

func BenchmarkRunCached(b *testing.B) {
	for _, size := range []int{100, 2000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			n := newNotebook(b, toyChain(size))
			n.run()
			b.ResetTimer()
			for b.Loop() {
				report, err := Run(context.Background(), n.opts)
				if err != nil || report.Count(StatusCached) != size {
					b.Fatal(err, report.Count(StatusCached))
				}
			}
		})
	}
}

func TestMap(t *testing.T) {
	n := newNotebook(t, scaled+"\n* Babel\n#+NAME: plus\n#+begin_src toy :var x=1\nsum x\n#+end_src\n")
	ints := func(ns ...int64) (all []value.Value) {
		for _, i := range ns {
			all = append(all, value.OfInt(i))
		}
		return all
	}
	results, err := Map(context.Background(), n.opts, "plus", ints(5, 6, 5))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{5, 6, 5} {
		if results[i].Err != nil || results[i].Value.Int() != want {
			t.Errorf("%d: got %v %v, want %d", i, results[i].Value, results[i].Err, want)
		}
	}
	object := value.OfObject(value.Field{Name: "amount", Value: value.OfInt(1)})
	results, err = Map(context.Background(), n.opts, "scaled/scale", append([]value.Value{object}, ints(7)...))
	if err != nil || results[0].Value.Int() != 3 || results[1].Err == nil {
		t.Errorf("got %v %v", results, err)
	}
	if strings.Contains(n.text(), "#+RESULTS:") {
		t.Error("a fan-out wrote results")
	}
	if _, err = Map(context.Background(), n.opts, "plus", make([]value.Value, 1025)); err == nil {
		t.Error("too many inputs are accepted")
	}
}

// TestRunEvents checks what a run reports while it goes.
func TestRunEvents(t *testing.T) {
	n := newNotebook(t, "#+NAME: half\n#+begin_src toy :var x=0\nsum x\n#+end_src\n\n#+NAME: twice\n#+begin_src toy :var y=half(x=4)\nsum y\n#+end_src\n\n#+begin_src toy :var z=twice\nfail 2 no\n#+end_src\n")
	var mu sync.Mutex
	var seen []string
	n.opts.Trace = trace.SinkFunc(func(e trace.Event) error {
		mu.Lock()
		defer mu.Unlock()
		text := string(e.Kind) + " " + e.Component
		if e.Exit != nil {
			text += fmt.Sprint(" ", *e.Exit)
		}
		if e.Kind != trace.KindCompile {
			seen = append(seen, text+" "+e.Cache)
		}
		return nil
	})
	n.opts.Jobs = 1
	n.run()
	slices.Sort(seen)
	want := []string{
		"component_end block-1 2 ", "component_end half 0 miss", "component_end half(x=4) 0 miss", "component_end twice 0 miss",
		"component_start block-1 ", "component_start half ", "component_start half(x=4) ", "component_start twice ",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got  %q\nwant %q", seen, want)
	}
	seen = nil
	n.run()
	slices.Sort(seen)
	want = []string{"cache_hit half 0 hit", "cache_hit half(x=4) 0 hit", "cache_hit twice 0 hit", "component_end block-1 2 ", "component_start block-1 "}
	if !slices.Equal(seen, want) {
		t.Errorf("got  %q\nwant %q", seen, want)
	}
}

// chainDocument is a document of n blocks, each of which needs the one before.
func chainDocument(n int) []byte {
	var b bytes.Buffer
	b.WriteString("#+TITLE: Chain\n\n")
	for i := range n {
		fmt.Fprintf(&b, "* Step %d\n\nSome words about it.\n\n#+NAME: s%d\n", i, i)
		if i == 0 {
			b.WriteString("#+begin_src js\nreturn 1\n#+end_src\n\n")
			continue
		}
		fmt.Fprintf(&b, "#+begin_src js :var x=s%d\nreturn x + 1\n#+end_src\n\n", i-1)
	}
	return b.Bytes()
}
