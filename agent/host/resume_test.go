package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/agent/host"
	"wb/internal/diag"
	"wb/internal/test/llmtest"
)

// Whoever resumes a run that has been resumed goes on where that one got to, and not
// with a fork. The model is the one it asked, whatever the environment says now.
func TestResumedAgain(t *testing.T) {
	refused := llmtest.Step{Status: 401}
	rt, dir, server := bench(t, step("vfs_write", map[string]string{"path": "a.txt", "content": "one\n"}), refused)
	model, getenv := "first", rt.Getenv
	rt.Getenv = func(name string) string {
		if name == "WB_LLM_MODEL" {
			return model
		}
		return getenv(name)
	}
	ctx := context.Background()
	first, err := rt.Run(ctx, host.Task{File: filepath.Join(dir, "team.org"), Text: "write", Write: true})
	if err != nil || first.Status != "error" {
		t.Fatalf("%+v %v", first, err)
	}
	model = "second"
	server.Add(step("shell", map[string]string{"pipeline": "echo x >> log.txt"}), refused)
	second, err := rt.Resume(ctx, first.RunID)
	if err != nil || second.Status != "error" || len(second.Events) != 2 {
		t.Fatalf("%+v %v", second, err)
	}
	server.Add(step("done", map[string]string{"result": "forked"}))
	fork, err := rt.Fork(ctx, first.RunID, 1)
	if err != nil || fork.Result != "forked" {
		t.Fatalf("%+v %v", fork, err)
	}
	server.Add(step("done", map[string]string{"result": "written"}))
	third, err := rt.Resume(ctx, first.RunID)
	if err != nil || third.Result != "written" || len(third.Events) != 3 || third.RootRunID != first.RunID {
		t.Fatalf("%+v %v", third, err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "log.txt")); string(text) != "x\n" {
		t.Errorf("log.txt is %q", text)
	}
	for _, r := range server.Requests() {
		if r.Body["model"] != "first" {
			t.Errorf("%v was asked", r.Body["model"])
		}
	}
	if latest, err := rt.Latest(first.RunID); err != nil || latest.Run != third.RunID || latest.Status != "done" {
		t.Errorf("the latest is %+v, want %s, %v", latest, third.RunID, err)
	}
	server.Close()
	if again, err := rt.Replay(ctx, third.RunID); err != nil || again.Result != "written" {
		t.Errorf("%+v %v", again, err)
	}
}

// A run that is going is not resumed, forked or replayed beside itself.
func TestResumeOfRunning(t *testing.T) {
	rt, dir, _ := bench(t)
	asked, answer := make(chan string), make(chan bool)
	server := llmtest.Func(t, func(llmtest.Request) llmtest.Step {
		asked <- ""
		<-answer
		return llmtest.Step{Text: "slowly"}
	})
	getenv := rt.Getenv
	rt.Getenv = func(name string) string {
		if name == "WB_LLM_BASE_URL" {
			return server.URL
		}
		return getenv(name)
	}
	ended := make(chan string)
	go func() {
		r, err := rt.Run(context.Background(), host.Task{File: filepath.Join(dir, "team.org"), Text: "write"})
		if err != nil {
			t.Error(err)
		}
		ended <- r.Result
	}()
	<-asked
	runs, err := rt.State.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v %v", runs, err)
	}
	var busy *diag.BusyError
	if _, err := rt.Resume(context.Background(), runs[0].Run); !errors.As(err, &busy) || busy.ExitCode() != 6 {
		t.Errorf("resumed: %v", err)
	}
	if task, ok := rt.TaskOf(runs[0].Run); !ok || task.Text != "write" {
		t.Errorf("its task is %+v", task)
	}
	answer <- true
	if got := <-ended; got != "slowly" {
		t.Errorf("it said %q", got)
	}
}

// A replay whose document was changed shows how what it would ask differs.
func TestReplayDiff(t *testing.T) {
	rt, dir, _ := bench(t, llmtest.Step{Text: "yes"})
	file := filepath.Join(dir, "team.org")
	r, err := rt.Run(context.Background(), host.Task{File: file, Text: "write"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(team, "You write.", "You sing.", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	changed, err := rt.Replay(context.Background(), r.RunID)
	if err != nil || !strings.Contains(changed.Diff, "\n-You write.\n+You sing.\n") {
		t.Errorf("%+v %v", changed, err)
	}
}

// What a run has written is compared with its directory, and put there unless
// somebody has changed it since.
func TestFilesOfRun(t *testing.T) {
	rt, dir, _ := bench(t,
		step("vfs_write", map[string]string{"path": "new.txt", "content": "one\n"}),
		step("shell", map[string]string{"pipeline": "echo two > old.txt; rm gone.txt; echo three >> new.txt"}),
		step("done", map[string]string{"result": "written"}))
	for _, name := range []string{"old.txt", "gone.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := rt.Run(context.Background(), host.Task{File: filepath.Join(dir, "team.org"), Text: "write"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := func() string {
		t.Helper()
		files, err := rt.Files(r.RunID)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range files.Changes {
			all = append(all, c.Kind()+" "+c.Path)
		}
		return strings.Join(all, ", ")
	}
	if got, want := kinds(), "remove gone.txt, add new.txt, change old.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, name := range []string{"old.txt", "gone.txt"} { // somebody goes on with them
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+", changed"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := rt.Files(r.RunID)
	var conflict *host.ConflictError
	if err := files.Apply(time.Unix(1, 0)); !errors.As(err, &conflict) || strings.Join(conflict.Names, " ") != "gone.txt old.txt" {
		t.Errorf("applied over changes: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
		t.Error("a part was applied")
	}
	if err := files.Apply(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(), "same gone.txt, same new.txt, same old.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "new.txt")); string(text) != "one\nthree\n" {
		t.Errorf("new.txt is %q", text)
	}
}
