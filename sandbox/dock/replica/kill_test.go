package replica

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/sandbox/dock/store"
)

// TestMain is also the process that TestKill kills: it writes one value after the
// other, says so, and copies them.
func TestMain(m *testing.M) {
	dir, to := os.Getenv("WB_TEST_WRITES"), os.Getenv("WB_TEST_TARGET")
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := writeForEver(dir, to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeForEver(dir, to string) error {
	target, err := Open(Config{To: to, Getenv: os.Getenv})
	if err != nil {
		return err
	}
	ctx := context.Background()
	var copier *Copier
	s := store.Open(store.Config{Dir: dir, Changed: func() { copier.Changed() }})
	copier = Follow(ctx, target, Source{s, "default", "/p"}, 10*time.Millisecond, func(err error) { fmt.Fprintln(os.Stderr, err) })
	for n := 1; ; n++ {
		if err := s.Put(ctx, "t", fmt.Sprintf("key-%06d", n), []byte(strings.Repeat("value ", n%700))); err != nil {
			return err
		}
		if err := s.Put(ctx, "t", "last", strconv.AppendInt(nil, int64(n), 10)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKill kills a process that writes and copies, with all that its machine has kept,
// and restores the last copy on another one: all that was written until then, and
// nothing in part.
func TestKill(t *testing.T) { killed(t, t.TempDir(), nil) }

func killed(t *testing.T, to string, env []string) {
	for round, after := range []int{40, 150, 400} {
		where := to + "/round-" + strconv.Itoa(round)
		if !strings.HasPrefix(to, "s3:") {
			if err := os.Mkdir(where, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		machine := t.TempDir()
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(append(os.Environ(), "WB_TEST_WRITES="+machine, "WB_TEST_TARGET="+where), env...)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		target, err := Open(Config{To: where, Getenv: os.Getenv})
		if err != nil {
			t.Fatal(err)
		}
		written := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if written, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if written < after {
				continue
			}
			if list, err := Lines(t.Context(), target, "default", "/p"); err != nil || len(list) > 0 && list[0].Number > round+1 {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil { // as kill -9
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		if err := os.RemoveAll(machine); err != nil {
			t.Fatal(err)
		}
		back := restored(t, target, Choice{})
		last, err := strconv.Atoi(kept(t, back, "last"))
		if err != nil || last == 0 {
			t.Fatal(last, err)
		}
		keys, err := back.Keys(t.Context(), "t", "key-")
		if err != nil || len(keys) != last && len(keys) != last+1 { // the next one may have been written, its count not
			t.Errorf("%d keys, the last that was counted is %d: %v", len(keys), last, err)
		}
		for i, k := range keys {
			if want := strings.Repeat("value ", (i+1)%700); k != fmt.Sprintf("key-%06d", i+1) || kept(t, back, k) != want {
				t.Fatalf("%s is not as it was written", k)
			}
		}
		if rows, _ := counted(t, back); rows != int64(len(keys))+1 {
			t.Errorf("%d keys are counted", rows)
		}
		t.Logf("killed at %d: generation of %d", written, last)
	}
}
