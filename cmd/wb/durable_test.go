package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/agent"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
)

// durableTeam is who the scripted runs are of: an agent that works and one that
// it may ask.
const durableTeam = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: shell vfs_write vfs_read file_issue clerk git publish image run
:EXEC: t
:MAX_STEPS: 20
:SCHEDULE: 0 0 30 2 *
:END:
You work.
* Clerk :agent:
:PROPERTIES:
:ID: clerk
:TOOLS: shell file_issue
:END:
You help.
`

// durableKinds is how many kinds of calls scripts are made of.
const durableKinds = 9

func toolCall(tool string, args map[string]string) llmtest.Call {
	text, _ := json.Marshal(args)
	return llmtest.Call{Name: tool, Args: string(text)}
}

// durableCount is a workbook that counts in kv and leaves a message in a queue each
// time: what it does depends on what it reads, and done twice it shows.
const durableCount = `* Next
:PROPERTIES:
:out: n
:END:
#+begin_src js :uses kv queue
import { kv, queue } from "wb";
export function next() {
  const n = Number(kv.get("n") ?? 0) + 1;
  kv.put("n", String(n));
  queue.push("jobs", "job " + n);
  return n;
}
#+end_src
`

// durableScript is what the model says in a run: turns that write, append and
// file, alone and several at once, by one agent or two. Every append leaves a
// line of its own, so that one made twice shows.
func durableScript(seed int) (turns, clerk []llmtest.Step) {
	random := rand.New(rand.NewPCG(uint64(seed), 7))
	line := 0
	call := func(agent string, kind int) llmtest.Call {
		line++
		switch name := fmt.Sprintf("%s-%d-%d", agent, seed, line); kind {
		case 0:
			return toolCall("shell", map[string]string{"pipeline": "echo " + name + " >> log.txt; wc -l < log.txt"})
		case 1:
			return toolCall("file_issue", map[string]string{"title": "No " + name, "need": "ink", "tried": "blood"})
		case 2:
			return toolCall("vfs_write", map[string]string{"path": name + ".txt", "content": strings.Repeat(name+"\n", 50)})
		case 3:
			return toolCall("vfs_read", map[string]string{"path": "team.org"})
		case 4:
			return toolCall("clerk", map[string]string{"task": "help " + name})
		case 5:
			return toolCall("git", map[string]string{"message": "Add " + name})
		case 6:
			return toolCall("publish", map[string]string{})
		case 7:
			return toolCall("image", map[string]string{"prompt": name, "dest": "content/" + name + ".png"})
		default:
			return toolCall("run", map[string]string{"workbook": "count.org"})
		}
	}
	asked := false
	for range 2 + random.IntN(3) {
		var step llmtest.Step
		for range 1 + random.IntN(2) {
			kind := (random.IntN(durableKinds) + seed) % durableKinds
			if kind == 4 && asked {
				kind = 0
			}
			asked = asked || kind == 4
			step.Calls = append(step.Calls, call("waldo", kind))
		}
		turns = append(turns, step)
	}
	turns = append(turns, llmtest.Step{Calls: []llmtest.Call{toolCall("done", map[string]string{"result": fmt.Sprintf("run %d is done", seed)})}})
	clerk = []llmtest.Step{{Calls: []llmtest.Call{call("clerk", 0), call("clerk", 1)}}, {Text: "helped"}}
	return turns, clerk
}

// crashBench is a scripted endpoint and the directories of one run.
type crashBench struct {
	t          *testing.T
	wb         string
	dir, state string
	web        string // what publish copies to
	endpoint   string
	mu         sync.Mutex
	asked      int
	drawn      map[string]string // pictures by the key of the request
}

func newCrashBench(t *testing.T, wb string, seed int) *crashBench {
	c := &crashBench{t: t, wb: wb, dir: t.TempDir(), state: t.TempDir(), web: t.TempDir(), drawn: map[string]string{}}
	turns, clerk := durableScript(seed)
	answer := func(r llmtest.Request) llmtest.Step {
		c.mu.Lock()
		c.asked++
		c.mu.Unlock()
		turn, task := r.Turn()
		script := turns
		if strings.HasPrefix(task, "help") {
			script = clerk
		}
		if turn >= len(script) {
			return llmtest.Step{Status: 404, Body: `{"error":{"message":"the script has ended"}}`}
		}
		return script[turn]
	}
	server := httptest.NewServer(llmtest.Answering(answer))
	t.Cleanup(server.Close)
	c.endpoint = server.URL
	c.furnish()
	return c
}

// command is wb as a process of its own.
func (c *crashBench) command(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	command := exec.CommandContext(c.t.Context(), c.wb, args...)
	command.Dir = c.dir
	command.Env = append(os.Environ(), "WB_STATE_DIR="+c.state, "WB_LLM_BASE_URL="+c.endpoint, "WB_LLM_API_KEY=canary-key-1234",
		"WB_SIGNING_KEY="+strings.Repeat("A", 43)+"=", "NO_COLOR=1", "XDG_CONFIG_HOME="+c.state)
	var out, err bytes.Buffer
	command.Stdout, command.Stderr = &out, &err
	return command, &out, &err
}

// journal is the journal there is, and how many entries it has.
func (c *crashBench) journal() (run string, entries int) {
	found, _ := filepath.Glob(filepath.Join(c.state, "runs", "*", "journal.jsonl"))
	if len(found) == 0 {
		return "", 0
	}
	slices.Sort(found)
	text, _ := os.ReadFile(found[0])
	return filepath.Base(filepath.Dir(found[0])), bytes.Count(text, []byte("\n"))
}

var runArgs = []string{"--json", "agent", "run", "team.org#waldo", "go", "--exec", "--grant", "kv", "--grant", "queue"}

// result is how a run ended.
func (c *crashBench) result(out *bytes.Buffer) *agent.Result {
	c.t.Helper()
	var envelope struct{ Data *agent.Result }
	if err := json.Unmarshal(out.Bytes(), &envelope); err != nil || envelope.Data == nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return envelope.Data
}

// killed starts the run and kills it as soon as its journal has n entries; it
// returns how many there were in the end, or false when the run was faster.
func (c *crashBench) killed(n int, args ...string) (run string, entries int, ok bool) {
	c.t.Helper()
	command, _, stderr := c.command(args...)
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				c.t.Fatalf("the run failed by itself: %v\n%s", err, stderr)
			}
			return "", 0, false
		default:
		}
		if _, have := c.journal(); have >= n {
			break
		}
		time.Sleep(50 * time.Microsecond)
	}
	_ = command.Process.Kill() // SIGKILL
	<-ended
	run, entries = c.journal()
	return run, entries, true
}

// did is what a run did to its directory, without what differs from run to run.
func (c *crashBench) did() string {
	c.t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if name == "events.org" || name == "_steps.jsonl" || name == "_ledger.json" || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			c.t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, ":CREATED:") && !strings.HasPrefix(line, ":CALL:") {
				lines = append(lines, line)
			}
		}
		fmt.Fprintf(&b, "== %s\n%s", name, strings.Join(lines, ""))
	}
	return b.String() + c.outside()
}

// told is the end of a run and its steps.
func told(r *agent.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %d\n", r.Status, r.Result, r.Steps)
	for _, e := range r.Events {
		fmt.Fprintf(&b, "%d %s %s %q %s\n", e.Step, e.Tool, e.Args, commitID.ReplaceAllString(e.Output, "committed: ID"), e.Error)
	}
	return b.String()
}

// A run whose process is killed with SIGKILL when its journal has reached any
// length goes on to the same end in another process: the same steps with the same
// outputs, every side effect once, and at most the turn that was under way asked
// of the model again.
func TestKill(t *testing.T) {
	wb := crashable(t)
	stride := killedStride
	if os.Getenv("WB_KILL_EVERY") != "" {
		stride = 1
	}
	for seed := range killedRuns {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			whole := newCrashBench(t, wb, seed)
			command, out, stderr := whole.command(runArgs...)
			if err := command.Run(); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			want, did := told(whole.result(out)), whole.did()
			_, length := whole.journal()
			exact := 0
			for n := 1 + seed%stride; n <= length; n += stride {
				c := newCrashBench(t, wb, seed)
				run, entries, ok := c.killed(n, runArgs...)
				if !ok {
					continue
				}
				if entries == n {
					exact++
				}
				command, out, stderr := c.command("--json", "agent", "resume", run)
				if err := command.Run(); err != nil {
					t.Fatalf("killed after %d entries, resume: %v\n%s", entries, err, stderr)
				}
				if got := told(c.result(out)); got != want {
					t.Errorf("killed after %d entries the run ends differently:\n%swant\n%s", entries, got, want)
				}
				if got := c.did(); got != did {
					t.Errorf("killed after %d entries it did\n%swant\n%s", entries, got, did)
				}
				if c.asked > whole.asked+1 {
					t.Errorf("killed after %d entries the model was asked %d times, want %d and one again", entries, c.asked, whole.asked)
				}
			}
			t.Logf("%d entries, %d kills exactly between two", length, exact)
		})
	}
}

// crashable is the program that tests start and kill.
func crashable(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "shell", "toolbox", "quickjs")
	wb, err := exec.LookPath("wb") // where testscript.Main has put it
	if err != nil {
		t.Fatal(err)
	}
	return wb
}
