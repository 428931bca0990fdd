//go:build linux

package resident_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/resident"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
)

// TestMain is also the main function of residents, and of programs that ask them.
func TestMain(m *testing.M) {
	args := os.Args[1:]
	switch {
	case resident.IsChild(args):
		os.Exit(resident.Child(args, os.Stderr, withProbe))
	case len(args) == 2 && args[0] == askVerb:
		os.Exit(ask(args[1]))
	case len(args) == 5 && args[0] == editVerb:
		os.Exit(edit(args[1], args[2], args[3], args[4]))
	}
	os.Exit(m.Run())
}

// withProbe are all lanes and one that tells about its process.
func withProbe(env *compile.Env) (*compile.Registry, error) {
	all, err := lanes.New(env)
	if err != nil {
		return nil, err
	}
	return compile.NewRegistry(append(all.All(), probe{})...)
}

// probe is a lane whose compiler looks around.
type probe struct{}

func (probe) Info() compile.Info  { return compile.Info{Name: "probe", Compiles: true} }
func (probe) Fingerprint() string { return "probe 1" }

func (probe) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	text := ""
	verb, about, _ := strings.Cut(src.Body, " ")
	switch verb {
	case "pid":
		text = fmt.Sprint(os.Getpid())
	case "wrong":
		return nil, diag.Errorf(src.At(1, 2), "wrong").WithHint("right")
	case "odd":
		return nil, errors.New("something odd")
	case "wait": // makes a file, then waits for the caller to give up
		if err := os.WriteFile(about+".begun", nil, 0o600); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, errors.Join(ctx.Err(), os.WriteFile(about+".ended", nil, 0o600))
	case "read":
		_, err := os.ReadFile(about)
		text = fmt.Sprint(err)
	case "connect":
		_, err := net.Dial("unix", about)
		text = fmt.Sprint(err)
	case "start":
		_, err := os.StartProcess(about, []string{about}, &os.ProcAttr{})
		text = fmt.Sprint(err)
	case "environment":
		text = strings.Join(os.Environ(), "\n")
	case "descriptor":
		n, err := strconv.Atoi(about)
		if err == nil {
			_, err = os.NewFile(uintptr(n), "it").Stat()
		}
		text = fmt.Sprint(err)
	}
	return &compile.Artifact{Lane: "probe", Script: text, Wasm: []byte("\x00wasm"), Meta: map[string]string{"k": "a\x00b"},
		Warnings: []diag.Finding{{Pos: src.Pos, Severity: diag.Warning, Message: "odd"}}}, nil
}

func (probe) Run(context.Context, *compile.Artifact, *compile.Job) (*compile.Outcome, error) {
	return nil, errors.New("a probe does not run")
}

func probing(body string) *compile.Source { return lanetest.Block("probe", compile.ShapeBabel, body) }

// testCache is a cache with nothing in it, whose residents end with the test.
func testCache(t testing.TB, change func(*resident.Config)) (string, *resident.Client) {
	t.Helper()
	dir, err := os.MkdirTemp("", "wb") // a short name: paths of sockets are
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	config := resident.Config{Cache: dir, Idle: time.Minute}
	if change != nil {
		change(&config)
	}
	client := resident.NewClient(config)
	t.Cleanup(func() {
		_ = client.End(context.Background())
		gone(t, client)
		os.RemoveAll(dir)
	})
	return dir, client
}

// gone waits until no resident runs.
func gone(t testing.TB, client *resident.Client) {
	t.Helper()
	eventually(t, "the resident ends", func() bool {
		_, err := client.Status(context.Background())
		return errors.Is(err, resident.ErrNone)
	})
}

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// built is what a probe tells in the resident.
func built(t testing.TB, client *resident.Client, body string) string {
	t.Helper()
	art, done, err := client.Build(t.Context(), probe{}, probing(body))
	if err != nil || !done {
		t.Fatalf("%s: done %v, %v", body, done, err)
	}
	return art.Script
}

// askVerb makes this executable a program that asks for the resident's process.
const askVerb = "ask"

func ask(cache string) int {
	art, done, err := resident.NewClient(resident.Config{Cache: cache, Idle: time.Minute}).Build(context.Background(), probe{}, probing("pid"))
	if err != nil || !done {
		fmt.Println(done, err)
		return 1
	}
	fmt.Println(art.Script)
	return 0
}

// editVerb makes this executable a program that builds and runs a changed block.
const editVerb = "edit"

func edit(where, lang, header, body string) int {
	ctx := context.Background()
	user, err := os.UserCacheDir()
	if err != nil {
		return 1
	}
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		return 1
	}
	defer env.Close(ctx)
	if where == "resident" {
		env.Builder = resident.NewClient(resident.Config{Cache: filepath.Join(user, "wb"), Idle: time.Minute})
	}
	all, err := lanes.New(env)
	if err != nil {
		return 1
	}
	lane, _ := all.Lookup(lang)
	src := lanetest.Block(lang, compile.ShapeBabel, body)
	src.Results = []string{"output"}
	if header != "" {
		src.Args["includes"] = []string{header}
	}
	art, err := lane.Build(ctx, src)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	out, err := lane.Run(ctx, art, &compile.Job{Source: src})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Print(string(out.Stdout))
	return 0
}
