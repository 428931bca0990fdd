package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/place/remote"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// scriptLane runs Go functions named by a block's body.
type scriptLane struct {
	print string
	run   map[string]func(ctx context.Context, job *compile.Job) (*compile.Outcome, error)
}

func (l *scriptLane) Info() compile.Info {
	return compile.Info{Name: "script", Shapes: []compile.Shape{compile.ShapeCommand}, Toolchains: []string{"script"}}
}
func (l *scriptLane) Fingerprint() string { return "script/" + l.print }

func (l *scriptLane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if l.run[src.Body] == nil {
		return nil, diag.Errorf(src.At(1, 3), "no function %s", src.Body).WithHint("write one")
	}
	return &compile.Artifact{Script: src.Body, Warnings: []diag.Finding{{Pos: src.Pos, Severity: diag.Warning, Message: "looks odd"}}}, nil
}

func (l *scriptLane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	return l.run[art.Script](ctx, job)
}

// inMemory is a transport to lanes in this process. Everything passes through
// bytes.
type inMemory struct{ lanes *compile.Registry }

func (t inMemory) RoundTrip(ctx context.Context, trip remote.Trip) ([]byte, error) {
	request, err := remote.DecodeRequest(trip.Request)
	if err != nil {
		return nil, err
	}
	again, err := request.Encode()
	if err != nil || !bytes.Equal(again, trip.Request) {
		return nil, fmt.Errorf("a request that is read and written again differs: %w", err)
	}
	reply := remote.Execute(ctx, t.lanes, request, func(ctx context.Context, question []byte) ([]byte, error) {
		return trip.Answer(ctx, question), nil
	})
	return reply.Encode()
}

func runnerFor(t *testing.T, lane compile.Lane) compile.Runner {
	t.Helper()
	lanes, err := compile.NewRegistry(lane)
	if err != nil {
		t.Fatal(err)
	}
	return remote.NewRunner(inMemory{lanes}, remote.Config{})
}

func program(lane compile.Lane, body string, job *compile.Job) *compile.Program {
	return &compile.Program{ID: "it", Lane: lane, Job: job, Source: &compile.Source{
		Pos: diag.Position{File: "a.org", Line: 10, Col: 1}, Lang: "script", Shape: compile.ShapeCommand, Body: body, Args: map[string][]string{}}}
}

// What a program does comes back whole, and what it wrote is in the caller's
// tree.
func TestOutcome(t *testing.T) {
	want := &compile.Outcome{
		Value:  value.OfList(value.OfFloat(2), value.OfInt(2), value.Rule(), value.OfString("\xff"), value.OfFloat(math.Inf(1))),
		Stdout: []byte("out\x00\xff"), Stderr: []byte("err"), Exit: 3, Usage: sandbox.Usage{Fuel: 42, Memory: 65536, Wall: time.Second},
	}
	lane := &scriptLane{run: map[string]func(context.Context, *compile.Job) (*compile.Outcome, error){
		"work": func(_ context.Context, job *compile.Job) (*compile.Outcome, error) {
			in, err := sandbox.ReadFile(job.Files, "dir/in.txt")
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(in, bytes.Repeat([]byte("0123456789abcdef"), 50_000)) {
				return nil, fmt.Errorf("in.txt has %d other bytes", len(in))
			}
			if _, err := job.Files.Stat("missing"); !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("missing: %w", err)
			}
			entries, err := job.Files.ReadDir(".")
			if err != nil || len(entries) != 2 || !entries[0].IsDir() {
				return nil, fmt.Errorf("entries %v: %w", entries, err)
			}
			return want, errors.Join(sandbox.WriteFile(job.Files, "dir/out.txt", []byte(job.Stdin)), job.Files.Remove("old"))
		},
	}}
	tree := sandbox.NewMemFS()
	tree.WriteFile("dir/in.txt", bytes.Repeat([]byte("0123456789abcdef"), 50_000))
	tree.WriteFile("old", nil)
	var warned int
	var stdout bytes.Buffer
	p := program(lane, "work", &compile.Job{Files: tree, Stdin: []byte("given"), Stdout: &stdout})
	p.Built = func(w []diag.Finding, _ time.Duration) { warned += len(w) }
	got, err := runnerFor(t, lane).Execute(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !value.Equal(got.Value, want.Value) || got.Value.Digest() != want.Value.Digest() || !bytes.Equal(got.Stdout, want.Stdout) || !bytes.Equal(got.Stderr, want.Stderr) || got.Exit != want.Exit || got.Usage != want.Usage {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if out, err := tree.ReadFile("dir/out.txt"); err != nil || string(out) != "given" {
		t.Errorf("dir/out.txt: %q, %v", out, err)
	}
	if _, err := tree.Stat("old"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("old is still there: %v", err)
	}
	if warned != 1 || stdout.String() != string(want.Stdout) {
		t.Errorf("%d warnings, streamed %q", warned, stdout.String())
	}
}

// Errors come back with their types, their texts and their hints.
func TestErrors(t *testing.T) {
	failures := map[string]error{
		"limit":    &sandbox.LimitError{Kind: sandbox.LimitFuel, Limit: 5},
		"trap":     &sandbox.TrapError{Module: "m", Reason: "unreachable", Frames: []string{"f", "g"}},
		"cap":      &sandbox.CapError{Capability: "net", Import: "env.host_net"},
		"exit":     &sandbox.ExitError{Module: "m", Code: 4},
		"load":     &sandbox.LoadError{Module: "m", Reason: "malformed", Err: errors.New("at byte 3")},
		"wrapped":  fmt.Errorf("in a session: %w", &sandbox.LimitError{Kind: sandbox.LimitTime, Limit: int64(time.Second)}),
		"deadline": context.DeadlineExceeded,
		"plain":    errors.New("something else"),
	}
	lane := &scriptLane{run: map[string]func(context.Context, *compile.Job) (*compile.Outcome, error){}}
	for name, err := range failures {
		lane.run[name] = func(context.Context, *compile.Job) (*compile.Outcome, error) { return nil, err }
	}
	runner := runnerFor(t, lane)
	for name, want := range failures {
		_, err := runner.Execute(t.Context(), program(lane, name, &compile.Job{}))
		if err == nil || err.Error() != want.Error() || hint(err) != hint(want) {
			t.Errorf("%s: got %v (%s), want %v (%s)", name, err, hint(err), want, hint(want))
		}
		if name != "wrapped" && name != "plain" && name != "load" && !reflect.DeepEqual(err, want) {
			t.Errorf("%s: got %#v, want %#v", name, err, want)
		}
		var limit *sandbox.LimitError
		if strings.Contains(name, "wrapped") && (!errors.As(err, &limit) || limit.Kind != sandbox.LimitTime) {
			t.Errorf("%s is no LimitError: %#v", name, err)
		}
	}
	_, err := runner.Execute(t.Context(), program(lane, "nonsense", &compile.Job{}))
	var build *diag.FindingsError
	if !errors.As(err, &build) || build.Findings[0].Pos.Line != 10 || build.Hint() != "write one" {
		t.Errorf("a block that does not build: %#v", err)
	}
}

func hint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}

// Calls of the dock are answered by the caller's, under its principal and its
// limits.
func TestDock(t *testing.T) {
	var calls []string
	var denials []dock.Denial
	broker := dock.BrokerFunc(func(_ context.Context, call *dock.Call) (dock.Reply, error) {
		calls = append(calls, call.Principal.Name+" "+call.Operation.String()+" "+call.Text(0))
		if call.Text(0) == "none" {
			return dock.Reply{}, nil
		}
		return dock.Found([]byte("value")), nil
	})
	d := dock.New(dock.Config{Principal: dock.Principal{Name: "me"}, Granted: []string{"kv"}, Brokers: map[string]dock.Broker{"kv": broker},
		Rate: dock.Rate{Calls: 2, Per: time.Hour}, Denied: func(d dock.Denial) { denials = append(denials, d) }})
	lane := &scriptLane{run: map[string]func(context.Context, *compile.Job) (*compile.Outcome, error){
		"ask": func(ctx context.Context, job *compile.Job) (*compile.Outcome, error) {
			var said []string
			for _, key := range []string{"a", "none", "b"} {
				reply, err := job.Dock.Call(ctx, "kv.get", []byte(key))
				said = append(said, fmt.Sprintf("%v %s %v", reply.Found, reply.Body, err))
			}
			_, err := job.Dock.Call(ctx, "net.get", []byte("https://example.com/"))
			var e *dock.Error
			if !errors.As(err, &e) || e.Code != dock.CodeDenied {
				return nil, fmt.Errorf("net.get: %w", err)
			}
			return &compile.Outcome{Stdout: []byte(strings.Join(said, "; "))}, nil
		},
	}}
	out, err := runnerFor(t, lane).Execute(t.Context(), program(lane, "ask", &compile.Job{Dock: d}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "true value <nil>; false  <nil>; false  kv: more than 2 calls in 1h0m0s"; string(out.Stdout) != want {
		t.Errorf("got %s, want %s", out.Stdout, want)
	}
	if len(calls) != 2 || calls[0] != "me kv.get a" || len(denials) != 2 {
		t.Errorf("calls %q, denials %v", calls, denials)
	}
}

// A peer with another lane refuses, and a session does not travel.
func TestRefused(t *testing.T) {
	here, there := &scriptLane{print: "1"}, &scriptLane{print: "2"}
	_, err := runnerFor(t, there).Execute(t.Context(), program(here, "x", &compile.Job{}))
	var refused *remote.RefusedError
	if !errors.As(err, &refused) || refused.Hint() == "" {
		t.Errorf("another version: %v", err)
	}
	_, err = runnerFor(t, here).Execute(t.Context(), program(here, "x", &compile.Job{Session: "s"}))
	var session *remote.SessionError
	if !errors.As(err, &session) {
		t.Errorf("a session: %v", err)
	}
	ensured := errors.New("no such toolchain")
	lanes, _ := compile.NewRegistry(here)
	runner := remote.NewRunner(inMemory{lanes}, remote.Config{Ensure: func(_ context.Context, name string) error {
		if name != "script" {
			t.Errorf("asked for toolchain %s", name)
		}
		return ensured
	}})
	if _, err := runner.Execute(t.Context(), program(here, "x", &compile.Job{})); !errors.Is(err, ensured) {
		t.Errorf("a missing toolchain: %v", err)
	}
}

// A request has one key, which everything that matters changes.
func TestKey(t *testing.T) {
	base := func() *remote.Request {
		return &remote.Request{Lang: "js", Fingerprint: "f", Stdin: []byte("in"), Limits: sandbox.Limits{Fuel: 1}, Source: &compile.Source{
			Lang: "js", Body: "1 + 1 // \xff", Args: map[string][]string{"b": {"2"}, "a": {"1"}}, Files: map[string][]byte{"y": []byte("2"), "x": nil}}}
	}
	key := func(r *remote.Request) string {
		k, err := r.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key(base())
	for range 20 {
		if key(base()) != first {
			t.Fatal("equal requests have different keys")
		}
	}
	for name, change := range map[string]func(*remote.Request){
		"body":   func(r *remote.Request) { r.Source.Body = "1 + 1 // \xfe" },
		"stdin":  func(r *remote.Request) { r.Stdin = []byte("other") },
		"fuel":   func(r *remote.Request) { r.Limits.Fuel++ },
		"clock":  func(r *remote.Request) { r.Caps.Clock = true },
		"inputs": func(r *remote.Request) { r.Inputs = []value.Field{{Name: "n", Value: value.OfInt(2)}} },
		"print":  func(r *remote.Request) { r.Fingerprint = "g" },
	} {
		r := base()
		change(r)
		if key(r) == first {
			t.Errorf("another %s has the same key", name)
		}
	}
}

// A reply holds for callers whose files say what it read, whenever they were
// changed.
func TestHolds(t *testing.T) {
	lane := &scriptLane{run: map[string]func(context.Context, *compile.Job) (*compile.Outcome, error){
		"read": func(_ context.Context, job *compile.Job) (*compile.Outcome, error) {
			data, err := sandbox.ReadFile(job.Files, "a.txt")
			return &compile.Outcome{Stdout: data}, err
		},
	}}
	lanes, _ := compile.NewRegistry(lane)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one")
	host, err := sandbox.HostDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	answers := &remote.Answerer{Tree: host}
	reply := remote.Execute(t.Context(), lanes, remote.NewRequest(program(lane, "read", &compile.Job{Files: host})),
		func(ctx context.Context, q []byte) ([]byte, error) { return answers.Answer(ctx, q), nil })
	if reply.Failure != nil || string(reply.Outcome.Stdout) != "one" {
		t.Fatalf("%+v", reply)
	}
	write("b.txt", "not read")
	if err := os.Chtimes(dir+"/a.txt", time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if !reply.Holds(t.Context(), answers) {
		t.Error("it does not hold, though what it read has not changed")
	}
	write("a.txt", "two")
	if reply.Holds(t.Context(), answers) {
		t.Error("it holds, though what it read has changed")
	}
}

// Names that lead out of the tree are not applied.
func TestHostileReply(t *testing.T) {
	for _, name := range []string{"../escape", "/etc/passwd", "a/../../b", "", ".", "a//b"} {
		for _, reply := range []*remote.Reply{
			{Outcome: &compile.Outcome{}, Changes: sandbox.Changes{Entries: []sandbox.Entry{{Name: name}}}},
			{Outcome: &compile.Outcome{}, Changes: sandbox.Changes{Removed: []string{name}}},
			{Outcome: &compile.Outcome{}, Changes: sandbox.Changes{Entries: []sandbox.Entry{{Name: "link", Mode: fs.ModeSymlink}}}},
		} {
			if _, err := remote.Settle(&compile.Program{ID: "it", Job: &compile.Job{Files: sandbox.NewMemFS()}}, reply); err == nil {
				t.Errorf("%q was applied", name)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := &remote.Request{Lang: "js", Source: &compile.Source{Body: "x", Files: map[string][]byte{"a": []byte("b")}}, Stdin: []byte("in")}
	request, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	reply, err := (&remote.Reply{Outcome: &compile.Outcome{Stdout: []byte("out")}, Reads: []remote.Read{{Question: []byte("sa"), Answer: "x"}}}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(request)
	f.Add(reply)
	f.Add(request[:len(request)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := remote.DecodeRequest(data); err == nil {
			once, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := remote.DecodeRequest(once)
			if err != nil {
				t.Fatal(err)
			}
			if twice, err := again.Encode(); err != nil || !bytes.Equal(once, twice) {
				t.Fatalf("%q, then %q (%v)", once, twice, err)
			}
		}
		if r, err := remote.DecodeReply(data); err == nil {
			if _, err := r.Encode(); err != nil {
				t.Fatal(err)
			}
		}
		answers := &remote.Answerer{Tree: sandbox.NewMemFS()}
		if len(answers.Answer(t.Context(), data)) == 0 {
			t.Fatal("no answer")
		}
	})
}

// What a program prints reaches its caller while it runs, once, and is in the outcome.
func TestPrintedWhileItRuns(t *testing.T) {
	heard := make(chan struct{})
	lane := &scriptLane{run: map[string]func(context.Context, *compile.Job) (*compile.Outcome, error){
		"work": func(_ context.Context, job *compile.Job) (*compile.Outcome, error) {
			fmt.Fprintln(job.Stdout, "one")
			select {
			case <-heard:
			case <-time.After(time.Minute):
				return nil, errors.New("nobody heard it")
			}
			fmt.Fprintln(job.Stderr, "two")
			return &compile.Outcome{Stdout: []byte("one\n"), Stderr: []byte("two\n")}, nil
		},
	}}
	var stdout, stderr bytes.Buffer
	first := writerFunc(func(b []byte) (int, error) {
		if stdout.Len() == 0 {
			close(heard)
		}
		return stdout.Write(b)
	})
	out, err := runnerFor(t, lane).Execute(t.Context(), program(lane, "work", &compile.Job{Stdout: first, Stderr: &stderr}))
	if err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "one\n" || stderr.String() != "two\n" || string(out.Stdout) != "one\n" || string(out.Stderr) != "two\n" {
		t.Errorf("heard %q and %q, got %q and %q", stdout.String(), stderr.String(), out.Stdout, out.Stderr)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
