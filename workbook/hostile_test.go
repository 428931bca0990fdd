//go:build long

package workbook_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
	"wb/compile/place/fabric/programs"
	"wb/compile/place/tier"
	"wb/internal/diag"
	"wb/internal/test/tiertest"
	"wb/internal/value"
	"wb/org"
	"wb/sandbox"
	"wb/workbook"
)

// escape is a file of the host that hostile programs try to write.
const escape = "/tmp/wb-hostile-escape"

// Every program of the hostile corpus ends by itself or by a limit, in one line
// that a person understands (the pattern in its SAYS property), and leaves
// nothing outside its tree.
func TestHostile(t *testing.T) {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(ctx)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/hostile/*.org")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	for _, where := range []string{"instance", "process", "container", "node"} {
		t.Run(where, func(t *testing.T) {
			// The corpus asks for a minute, so that a busy machine's clock ends
			// nothing that another limit is to end.
			opts := workbook.Options{
				Book:      workbook.Book{Lanes: registry},
				Authority: workbook.Authority{Limits: sandbox.Limits{Timeout: time.Minute}},
				Venue:     workbook.Venue{Tier: where, Tiers: tiers(t)},
			}
			switch where {
			case "container":
				opts.Tiers = containers(t)
			case "node":
				opts.Runner = atWorker(t, env, registry)
			}
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".org"), func(t *testing.T) {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					doc := org.Parse(text)
					needLanes(t, env, registry, doc)
					runHostile(t, opts, doc, text)
				})
			}
		})
	}
}

// needLanes skips a corpus whose toolchains are not installed.
func needLanes(t *testing.T, env *compile.Env, registry *compile.Registry, doc *org.Document) {
	t.Helper()
	for b := range doc.Blocks(org.KindSrcBlock) {
		lane, ok := registry.Lookup(b.Lang.Text)
		if !ok {
			t.Fatalf("no lane runs %s", b.Lang.Text)
		}
		for _, name := range lane.Info().Toolchains {
			if _, ok := env.Tools.Installed(name); ok {
				continue
			}
			if os.Getenv("CI") == "true" {
				t.Fatalf("toolchain %s is missing: wb toolchain install %s", name, name)
			}
			t.Skipf("toolchain %s is missing: wb toolchain install %s", name, name)
		}
	}
}

func runHostile(t *testing.T, opts workbook.Options, doc *org.Document, text []byte) {
	dir := filepath.Join(t.TempDir(), "inner")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "hostile.org")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	lateness := watch(t)
	opts.File = file
	report, err := workbook.Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs in %v; other goroutines were at most %v late", len(report.Components), report.Duration.Round(time.Millisecond), lateness().Round(time.Millisecond))
	for _, d := range report.Components {
		says := saysAt(doc, d.Pos.Line)
		if says == "" {
			continue
		}
		said := d.Value.String()
		if d.Value.Kind() == value.String {
			said = d.Value.Text()
		}
		if d.Err != nil {
			said = d.Err.Error()
			var build *diag.FindingsError // a line for each mistake
			if strings.Contains(said, "\n") && !errors.As(d.Err, &build) {
				t.Errorf("%s says more than a line: %.300s", d.Title, said)
			}
		}
		if !regexp.MustCompile(says).MatchString(said) {
			t.Errorf("%s (line %d): %s %.300q, want %s", d.ID, d.Pos.Line, d.Status, said, says)
		}
	}
	written, err := os.ReadFile(file)
	if i := strings.IndexAny(string(written), "\x00\x07\x1b\u202e\u2066"); err != nil || i >= 0 {
		t.Errorf("control characters of a program reached the workbook at byte %d (%v)", i, err)
	}
	if _, err := os.Lstat(escape); !errors.Is(err, fs.ErrNotExist) {
		os.Remove(escape)
		t.Errorf("a program wrote %s", escape)
	}
	outside, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(outside) != 1 {
		t.Errorf("a program changed what lies beside its workbook: %v %v", outside, err)
	}
}

// saysAt is the SAYS property of the headline that a line is under.
func saysAt(doc *org.Document, line int) string {
	says := ""
	for h := range doc.Headlines() {
		if at, _ := doc.Position(h.Node.Start()); at > line {
			break
		}
		says, _ = doc.Property(h.Node, "SAYS")
	}
	return says
}

// watch measures how late a goroutine is woken that asks for it every
// millisecond.
func watch(t *testing.T) func() time.Duration {
	done := make(chan struct{})
	result := make(chan time.Duration)
	go func() {
		var worst time.Duration
		last := time.Now()
		for {
			select {
			case <-done:
				result <- worst
				return
			case <-time.After(time.Millisecond):
			}
			now := time.Now()
			worst, last = max(worst, now.Sub(last)-time.Millisecond), now
		}
	}()
	return func() time.Duration { close(done); return <-result }
}

// containers opens containers, and skips the test where there are none.
func containers(t *testing.T) func(ctx context.Context, name, principal string) (compile.Place, error) {
	t.Helper()
	return tiersWith(t, tier.Config{Runtime: tiertest.NeedContainer(t)})
}

// atWorker runs programs at a worker, which it reaches over a server.
func atWorker(t *testing.T, env *compile.Env, registry *compile.Registry) compile.Runner {
	t.Helper()
	server, err := natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), Tenants: []natsserver.Tenant{{Name: "ada", Token: "caller", WorkerToken: "worker"}}, AckWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	dial := func(user, token string) *fabric.Link {
		link, err := fabric.Dial(t.Context(), fabric.Config{URL: server.URL(), Tenant: "ada", User: user, Token: token, AckWait: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(link.Close)
		return link
	}
	peer := &programs.Peer{Lanes: registry, Tools: env.Tools, Link: dial(fabric.WorkerUser("ada"), "worker")}
	worker := fabric.NewWorker(peer.Link, fabric.WorkerConfig{Slots: 2, Execute: peer.Execute, Same: programs.Same})
	ctx, leave := context.WithCancel(context.WithoutCancel(t.Context()))
	left := make(chan error, 1)
	go func() { left <- worker.Run(ctx) }()
	t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			t.Error(err)
		}
	})
	queue, err := fabric.NewQueue(dial("ada", "caller"), fabric.QueueConfig{Check: programs.Check})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(queue.Close)
	return programs.New(programs.Config{Queue: queue, Tools: env.Tools, Stayed: func(component, why string) { t.Logf("%s stays: %s", component, why) }})
}
