//go:build long

package shell

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/sandbox"
)

// TestGawk runs gawk's tests, as the runner of GoAWK does: each program that
// comes with the output it shall have, its input on standard input. What the
// machine's gawk prints, messages and status included, counts as well: GoAWK has
// its own words for mistakes. The suite is
// never part of this repository; the folder is testdata/gawk of GoAWK, or the
// folder test of gawk's source:
//
//	GAWK_TESTS=goawk/testdata/gawk go test -tags long ./compile/shell -run TestGawk -v
func TestGawk(t *testing.T) {
	dir := os.Getenv("GAWK_TESTS")
	if dir == "" {
		t.Skip("GAWK_TESTS names no folder of gawk's tests")
	}
	programs, err := filepath.Glob(filepath.Join(dir, "*.awk"))
	if err != nil || len(programs) < 200 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	all, passed := 0, 0
	var failed []string
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".awk")
		want, err := os.ReadFile(filepath.Join(dir, name+".ok"))
		if err != nil {
			continue
		}
		tree := sandbox.NewMemFS()
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil || len(text) > 100<<10 && !strings.HasPrefix(filepath.Base(file), name) {
				continue
			}
			if err := tree.WriteFile("w/"+filepath.Base(file), text); err != nil {
				t.Fatal(err)
			}
		}
		input, _ := os.ReadFile(filepath.Join(dir, name+".in"))
		var both bytes.Buffer
		env, words := []string{"LC_ALL=C", "TZ=UTC"}, []string{"awk", "-v", "srcdir=.", "-f", name + ".awk"}
		r, err := runner(t).Tool(context.Background(), Script{Files: tree, Dir: "/w", Stdin: bytes.NewReader(input), Stdout: &both, Stderr: &both,
			Env: env, Limits: sandbox.Limits{Timeout: 20 * time.Second}}, words)
		got := both.String()
		if r.Exit != 0 && !strings.Contains(string(want), "EXIT CODE") || strings.Contains(string(want), "EXIT CODE") {
			got = strings.TrimSuffix(got, "\n") + "\nEXIT CODE: " + strconv.Itoa(r.Exit) + "\n"
		}
		all++
		var theirs, messages bytes.Buffer
		theirExit := -1
		if peer, err := exec.LookPath("gawk"); err == nil { // it judges where the suite has GoAWK's own words
			c := exec.Command(peer, words[1:]...)
			c.Args[0] = words[0]
			c.Dir, c.Stdin, c.Env, c.Stdout, c.Stderr = dir, bytes.NewReader(input), append(env, "PATH=/usr/bin:/bin"), &theirs, &messages
			c.Run()
			theirExit = c.ProcessState.ExitCode()
		}
		switch {
		case theirs.String() == string(r.Stdout) && theirExit == r.Exit && messages.String() == string(r.Stderr):
			passed++
		case equalOutput(got, string(want)) || equalOutput(both.String(), string(want)) || equalOutput(string(r.Stdout), string(want)):
			passed++
		default:
			failed = append(failed, name)
			if os.Getenv("GAWK_SHOW") != "" {
				t.Logf("%s: %v\n got: %.300q\nwant: %.300q", name, err, got, want)
			}
		}
	}
	slices.Sort(failed)
	t.Logf("%d of %d; not: %s", passed, all, strings.Join(failed, " "))
	if passed*100 < all*gawkBar {
		t.Errorf("less than %d %% pass", gawkBar)
	}
}

// gawkBar is the least that has to pass, in percent.
const gawkBar = 99

func equalOutput(got, want string) bool {
	return strings.TrimSpace(strings.ReplaceAll(got, "\r", "")) == strings.TrimSpace(strings.ReplaceAll(want, "\r", ""))
}
