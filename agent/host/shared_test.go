package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/todo"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

// trials is how often people and agents write one file at the same time.
const trials = 20

// writers is a machine whose model appends the given number of lines to out.txt, by
// tools in turn, each with the name in the task.
func writers(t *testing.T, lines int) *host.Runtime {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "shell", "toolbox")
	server := llmtest.Func(t, func(r llmtest.Request) llmtest.Step {
		turn, task := r.Turn()
		who, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
		switch {
		case turn >= lines:
			return step("done", map[string]string{"result": "written"})
		case turn%3 == 1: // in the middle of the file
			return step("shell", map[string]string{"pipeline": fmt.Sprintf(`sed -i '1s/^/%s %d\n/' out.txt`, who, turn)})
		}
		return step("shell", map[string]string{"pipeline": fmt.Sprintf("echo %s %d >> out.txt", who, turn)})
	})
	return &host.Runtime{Env: env, Lanes: registry, Records: host.Records{State: trace.NewState(t.TempDir())}, Getenv: func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": server.URL, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}}
}

// lost are the lines of a file that should be there once and are not.
func lost(t *testing.T, file string, lines int, names ...string) (missing []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for _, line := range strings.Split(string(text), "\n") {
		there[line]++
	}
	for _, name := range names {
		for i := range lines {
			if line := fmt.Sprintf("%s %d", name, i); there[line] != 1 {
				missing = append(missing, fmt.Sprintf("%s (%d times)", line, there[line]))
			}
		}
	}
	return missing
}

func write(t *testing.T, rt *host.Runtime, dir, name string) {
	if r, err := rt.Run(context.Background(), host.Task{Dir: dir, Text: name, Write: true}); err != nil || r.ExitCode() != 0 {
		t.Errorf("%s: %+v %v", name, r, err)
	} else if e := r.Events[0]; e.Error != "" {
		t.Logf("%s: %s", name, e.Error)
	}
}

// An agent and a person append to one file: no line is lost, and none is doubled.
func TestBesideAPerson(t *testing.T) {
	const lines = 5
	rt := writers(t, lines)
	for range trials {
		dir := t.TempDir()
		file := filepath.Join(dir, "out.txt")
		if err := os.WriteFile(file, []byte("the first line\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		person := make(chan struct{})
		go func() {
			defer close(person)
			for i := range lines {
				f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
				if err == nil {
					_, err = fmt.Fprintf(f, "person %d\n", i)
					f.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
		write(t, rt, dir, "agent")
		<-person
		if missing := lost(t, file, lines, "agent", "person"); len(missing) > 0 {
			t.Fatalf("lost: %v", missing)
		}
	}
}

// Two agents write one file.
func TestBesideAnAgent(t *testing.T) {
	const lines = 5
	rt := writers(t, lines)
	for range trials {
		dir := t.TempDir()
		file := filepath.Join(dir, "out.txt")
		if err := os.WriteFile(file, []byte("the first line\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for _, name := range []string{"ada", "bob"} {
			group.Go(func() { write(t, rt, dir, name) })
		}
		group.Wait()
		if missing := lost(t, file, lines, "ada", "bob"); len(missing) > 0 {
			t.Fatalf("lost: %v", missing)
		}
	}
}

// Eight tasks of a plan append to a file that none of them begins with.
func TestBesideOtherTasks(t *testing.T) {
	rt := writers(t, 1)
	for range trials {
		dir := t.TempDir()
		plan := filepath.Join(dir, "plan.org")
		var text strings.Builder
		var names []string
		for i := range 8 {
			names = append(names, fmt.Sprintf("task-%d", i))
			fmt.Fprintf(&text, "* TODO task-%d\n", i)
		}
		if err := os.WriteFile(plan, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		runner := &todo.Executor{File: plan, Do: func(ctx context.Context, task *todo.Task) error {
			write(t, rt, dir, task.Title)
			return nil
		}}
		if _, err := runner.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if missing := lost(t, filepath.Join(dir, "out.txt"), 1, names...); len(missing) > 0 {
			t.Fatalf("lost: %v", missing)
		}
		if done, _ := os.ReadFile(plan); strings.Count(string(done), "* DONE ") != 8 {
			t.Errorf("the plan is\n%s", done)
		}
	}
}

// What a model writes from memory does not replace what a person wrote since it read
// the file, and edit finds its passage or says why not.
func TestWritesFromMemory(t *testing.T) {
	var dir string
	person := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	rt, dir, server := bench(t,
		step("vfs_read", map[string]string{"path": "a.txt"}),
		step("vfs_write", map[string]string{"path": "a.txt", "content": "one\ntwo\nTHREE\n"}),
		step("vfs_write", map[string]string{"path": "a.txt", "content": "one\ntwo\nthree!\n"}),
		step("edit", map[string]string{"path": "a.txt", "old": "THREE", "new": "drei"}),
		step("edit", map[string]string{"path": "a.txt", "old": "THREE", "new": "drei"}),
		step("edit", map[string]string{"path": "a.txt", "old": "o", "new": "O"}),
		step("vfs_write", map[string]string{"path": "b.txt", "content": "mine"}),
		step("done", map[string]string{"result": "written"}))
	person("one\ntwo\nthree\n")
	turn := 0
	rt.Starting = func(string, int, agent.ToolCall) {
		switch turn++; turn {
		case 2:
			person("ONE\ntwo\nthree\n")
		case 3:
			person("ONE\ntwo\nTHREE, or so\n")
		case 7:
			if err := os.WriteFile(filepath.Join(dir, "b.txt"), []byte("theirs"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	r, err := rt.Run(context.Background(), host.Task{File: filepath.Join(dir, "team.org"), Text: "write", Write: true})
	if err != nil || r.Result != "written" {
		t.Fatalf("%+v %v", r, err)
	}
	requests := server.Requests()
	outputs := requests[len(requests)-1].Outputs()
	for i, want := range []string{
		"one\ntwo\nthree\n",
		"wrote a.txt (14 bytes)\nnote: a.txt was changed by somebody else meanwhile; it now holds both changes",
		"wrote a.txt (15 bytes)\nwrite blocked: a.txt: changed since you read it, in line 3; read it again",
		"edited a.txt at line 3",
		"edit error: `old` is not in a.txt; read it again",
		"edit error: `old` occurs in a.txt 3 times; include more of the surrounding text",
		"write blocked: b.txt: changed since the run began; read it first",
	} {
		if i >= len(outputs) || outputs[i] != want {
			t.Errorf("output %d is %q, want %q", i, outputs[min(i, len(outputs)-1)], want)
		}
	}
	for name, want := range map[string]string{"a.txt": "ONE\ntwo\ndrei, or so\n", "b.txt": "theirs"} {
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
