//go:build long

package search

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/org/index"
)

// minuteFiles is how many files the readers ask about.
const minuteFiles = 300

// TestMinute lets four processes ask for a minute, while a fifth changes files and
// brings the index up to date, and is killed again and again. Each question is asked
// as wb search asks: open, bring up to date, search. Each file always has one heading
// with a word of its own, so every question has one right answer, whatever the writer
// was at. WB_SEARCH_SECONDS makes it longer or shorter.
func TestMinute(t *testing.T) {
	switch dir := os.Getenv("SEARCH_MINUTE_DIR"); os.Getenv("SEARCH_MINUTE_ROLE") {
	case "read":
		readForAMinute(dir)
		return
	case "write":
		writeForAMinute(dir)
		return
	}
	seconds, _ := strconv.Atoi(os.Getenv("WB_SEARCH_SECONDS"))
	if seconds == 0 {
		seconds = 60
	}
	dir := t.TempDir()
	for i := range minuteFiles {
		if err := writeMinuteFile(dir, i, 0); err != nil {
			t.Fatal(err)
		}
	}
	x := open(t, Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index")})
	refresh(t, x)
	x.Close()
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	child := func(role string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMinute$")
		cmd.Env = append(os.Environ(), "SEARCH_MINUTE_DIR="+dir, "SEARCH_MINUTE_ROLE="+role, "SEARCH_MINUTE_UNTIL="+strconv.FormatInt(until.UnixNano(), 10))
		return cmd
	}
	var readers []*exec.Cmd
	var outputs []*bytes.Buffer
	for range 4 {
		cmd, out := child("read"), &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		readers, outputs = append(readers, cmd), append(outputs, out)
	}
	kills := 0
	for time.Now().Before(until) {
		writer := child("write")
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		_ = writer.Process.Kill()
		_ = writer.Wait()
		kills++
	}
	asked, alone := 0, 0
	var slowest time.Duration
	for i, cmd := range readers {
		err := cmd.Wait()
		for lines := bufio.NewScanner(outputs[i]); lines.Scan(); {
			line := lines.Text()
			var n int
			var ms float64
			if _, scan := fmt.Sscanf(line, "asked %d slowest %f", &n, &ms); scan == nil {
				asked += n
				slowest = max(slowest, time.Duration(ms*float64(time.Millisecond)))
			} else if strings.HasPrefix(line, "warning") && strings.Contains(line, index.ErrBusy.Error()) {
				alone++ // the machine was so busy that this reader waited no longer, and read the files itself
			} else if strings.HasPrefix(line, "wrong") || strings.HasPrefix(line, "warning") {
				t.Error(line)
			}
		}
		if err != nil {
			t.Errorf("reader %d: %v\n%s", i, err, outputs[i])
		}
	}
	if asked < seconds {
		t.Errorf("only %d questions were asked", asked)
	}
	after := open(t, Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index")})
	refresh(t, after)
	clean := open(t, Config{Paths: []string{dir}, Dir: "-"})
	refresh(t, clean)
	for i := range minuteFiles {
		query := fmt.Sprintf("+steady%03d", i)
		if got, want := ask(t, after, query), ask(t, clean, query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", query, got, want)
		}
	}
	t.Logf("%d questions in %d seconds, %d writers killed, the slowest answer took %v, %d answers were made without the kept index",
		asked, seconds, kills, slowest.Round(time.Millisecond), alone)
}

// writeMinuteFile replaces a file, so that nobody sees half of it.
func writeMinuteFile(dir string, i, version int) error {
	text := fmt.Sprintf("* Heading steady%03d\nThis is version%d of it.\n%s", i, version, strings.Repeat("Some more words stand here, as they do in notes. ", version%7))
	name := filepath.Join(dir, fmt.Sprintf("note-%03d.org", i))
	temporary := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}

func minuteEnd() time.Time {
	nanos, _ := strconv.ParseInt(os.Getenv("SEARCH_MINUTE_UNTIL"), 10, 64)
	return time.Unix(0, nanos)
}

func readForAMinute(dir string) {
	asked := 0
	var slowest time.Duration
	for until := minuteEnd(); time.Now().Before(until); asked++ {
		i := rand.IntN(minuteFiles)
		start := time.Now()
		if err := askMinute(dir, i); err != nil {
			fmt.Printf("wrong: steady%03d: %v\n", i, err)
		}
		slowest = max(slowest, time.Since(start))
	}
	fmt.Printf("asked %d slowest %f\n", asked, float64(slowest)/float64(time.Millisecond))
	os.Exit(0)
}

func askMinute(dir string, i int) error {
	ctx := context.Background()
	x, err := Open(ctx, Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index"), Warn: func(err error) { fmt.Println("warning:", err) }})
	if err != nil {
		return err
	}
	defer x.Close()
	if _, err := x.Refresh(ctx); err != nil {
		return err
	}
	q, err := ParseQuery(fmt.Sprintf("+steady%03d", i))
	if err != nil {
		return err
	}
	a, err := x.Search(ctx, q, Options{K: 10})
	if err != nil {
		return err
	}
	if len(a.Hits) != 1 || a.Hits[0].Title != fmt.Sprintf("Heading steady%03d", i) {
		return fmt.Errorf("%d hits: %+v", len(a.Hits), a.Hits)
	}
	return nil
}

func writeForAMinute(dir string) {
	ctx := context.Background()
	for version := 1; ; version++ {
		for range 1 + rand.IntN(20) {
			if err := writeMinuteFile(dir, rand.IntN(minuteFiles), version); err != nil {
				fmt.Println("wrong:", err)
				os.Exit(1)
			}
		}
		x, err := Open(ctx, Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index")})
		if err == nil {
			_, err = x.Refresh(ctx)
			x.Close()
		}
		if err != nil {
			fmt.Println("wrong:", err)
			os.Exit(1)
		}
	}
}
