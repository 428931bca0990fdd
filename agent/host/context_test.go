package host_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/llmtest"
)

// A conversation that no longer fits is summarised and goes on, whether the user said
// how much fits or the endpoint refuses; replays take the summary from the journal.
func TestCompaction(t *testing.T) {
	var script []llmtest.Step
	for i := range 6 {
		script = append(script, step("shell", map[string]string{"pipeline": fmt.Sprintf("echo fact %d", i)}))
	}
	script = append(script, llmtest.Step{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`},
		llmtest.Step{Text: "the facts are 0 to 5"}, step("done", map[string]string{"result": "summed up"}))
	rt, dir, server := bench(t, script...)
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "collect facts"}
	r, err := rt.Run(t.Context(), task)
	if err != nil || r.Result != "summed up" {
		t.Fatalf("%+v %v", r, err)
	}
	requests := server.Requests()
	last := requests[len(requests)-1]
	text, _ := json.Marshal(last.Body["messages"])
	if !strings.Contains(string(text), "collect facts") || !strings.Contains(string(text), "the facts are 0 to 5") || strings.Contains(string(text), "fact 0") || !strings.Contains(string(text), "fact 5") {
		t.Errorf("the last question is %s", text)
	}
	again, err := rt.Replay(t.Context(), r.RunID)
	if err != nil || again.Result != "summed up" || again.Diff != "" {
		t.Errorf("replayed: %+v %v", again, err)
	}

	var small []llmtest.Step
	for i := range 8 {
		s := step("shell", map[string]string{"pipeline": fmt.Sprintf("seq 1 %d", 700+i)})
		s.In, s.Out = 0, 0 // the endpoint counts
		small = append(small, s)
	}
	rt, dir, _ = bench(t, small...)
	asked := 0
	answering := llmtest.Func(t, func(q llmtest.Request) llmtest.Step {
		if messages := q.Body["messages"].([]any); strings.Contains(fmt.Sprint(messages[0]), "shorten the record") {
			asked++
			return llmtest.Step{Text: "numbers were listed"}
		}
		if asked > 1 {
			return step("done", map[string]string{"result": "enough"})
		}
		s := step("shell", map[string]string{"pipeline": "seq 1 900"})
		s.In, s.Out = 0, 0
		return s
	})
	rt.Getenv = func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": answering.URL, "WB_LLM_CONTEXT": "9000"}[name]
	}
	r, err = rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "list", Limits: agent.Bounds{Steps: 40}})
	if err != nil || r.Result != "enough" || asked < 2 {
		t.Fatalf("%d summaries: %+v %v", asked, r.Result, err)
	}
	if again, err := rt.Replay(t.Context(), r.RunID); err != nil || again.Result != "enough" || again.Diff != "" {
		t.Errorf("replayed: %+v %v", again, err)
	}
}

// A conversation of one long turn is summed up as a whole; the prompt and the task alone
// cannot be.
func TestCompactionOfOneTurn(t *testing.T) {
	full := llmtest.Step{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 100 tokens.","code":"context_length_exceeded"}}`}
	rt, dir, server := bench(t, step("shell", map[string]string{"pipeline": "echo fact"}), full, llmtest.Step{Text: "a fact was found"}, step("done", map[string]string{"result": "summed up"}))
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "collect facts"}
	r, err := rt.Run(t.Context(), task)
	if err != nil || r.Result != "summed up" {
		t.Fatalf("%+v %v", r, err)
	}
	requests := server.Requests()
	if messages := requests[len(requests)-1].Body["messages"].([]any); len(messages) != 2 || !strings.Contains(fmt.Sprint(messages[1]), "a fact was found") {
		t.Errorf("the last question is %v", messages)
	}
	if again, err := rt.Replay(t.Context(), r.RunID); err != nil || again.Result != "summed up" || again.Diff != "" {
		t.Errorf("replayed: %+v %v", again, err)
	}
	rt, dir, _ = bench(t, full)
	task.File = filepath.Join(dir, "team.org")
	if r, err := rt.Run(t.Context(), task); err != nil || r.Status != agent.StatusError || !strings.Contains(r.Result, "maximum context length") {
		t.Errorf("%+v %v", r, err)
	}
}

// A long output is shown with its beginning and its end, and more reads the middle.
func TestLongOutput(t *testing.T) {
	rt, dir, server := bench(t, step("shell", map[string]string{"pipeline": "seq 1 5000; echo the end"}))
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "list"}
	server.Add(step("done", map[string]string{"result": "ok"}))
	if _, err := rt.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	shown := requests[len(requests)-1].Outputs()[0]
	if !strings.HasPrefix(shown, "1\n2\n") || !strings.HasSuffix(shown, "5000\nthe end\n") || len(shown) > agent.MaxOutput+300 {
		t.Fatalf("shown: %q", shown)
	}
	_, rest, _ := strings.Cut(shown, "output ")
	id, _, _ := strings.Cut(rest, " ")
	server.Add(llmtest.Step{Calls: []llmtest.Call{{Name: "more", Args: fmt.Sprintf(`{"output":%q,"from":10000}`, id)}}, In: 1, Out: 1}, step("done", map[string]string{"result": "ok"}))
	if _, err := rt.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	requests = server.Requests()
	if got := requests[len(requests)-1].Outputs()[0]; !strings.Contains(got, "\n2500\n") || !strings.HasSuffix(got, "; go on from 13900)") {
		t.Errorf("more: %q", got)
	}
}

// A picture of the directory is shown to the model.
func TestPictures(t *testing.T) {
	rt, dir, server := bench(t, step("vfs_read", map[string]string{"path": "a.png"}), step("done", map[string]string{"result": "seen"}))
	if err := os.WriteFile(filepath.Join(dir, "a.png"), []byte("\x89PNG\r\n\x1a\n0000"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "look"}); err != nil || r.Result != "seen" {
		t.Fatalf("%+v %v", r, err)
	}
	requests := server.Requests()
	text, _ := json.Marshal(requests[len(requests)-1].Body["messages"])
	if !strings.Contains(string(text), `"image_url":{"url":"data:image/png;base64,iVBORw0KGgowMDAw"}`) {
		t.Errorf("%s", text)
	}
}

// A small budget of tokens or dollars is enough to ask, for an answer that it can pay,
// and what stops names the user's number.
func TestSmallBudget(t *testing.T) {
	rt, dir, _ := bench(t, llmtest.Step{Text: "hello", In: 1200, Out: 5})
	file := filepath.Join(dir, "team.org")
	if r, err := rt.Run(t.Context(), host.Task{File: file, Text: "write", Limits: agent.Bounds{Tokens: 3000}}); err != nil || r.Result != "hello" {
		t.Errorf("%+v %v", r, err)
	}
	rt, dir, server := bench(t, llmtest.Step{Text: "hello", In: 1200, Out: 5})
	rt.Settings.Model = settings.Model{PriceIn: 1, PriceOut: 10}
	r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "write", Limits: agent.Bounds{USD: 0.01}})
	if err != nil || r.Result != "hello" {
		t.Errorf("%+v %v", r, err)
	} else if most := server.Requests()[0].Body["max_tokens"].(float64); most < 32 || most > 1000 {
		t.Errorf("for a cent it may answer %v tokens", most)
	}
	rt, dir, _ = bench(t)
	r, err = rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: strings.Repeat("write ", 9000), Limits: agent.Bounds{Tokens: 10000}})
	if err != nil || r.Result != "stopped: budget tokens exhausted (10000)" {
		t.Errorf("%q %v", r.Result, err)
	}
}

// Agents that another asks have steps of their own.
func TestOwnSteps(t *testing.T) {
	script := []llmtest.Step{{Calls: []llmtest.Call{{Name: "waldo", Args: `{"task":"write"}`}}, In: 1, Out: 1}}
	for range 5 {
		script = append(script, step("shell", map[string]string{"pipeline": "true"}))
	}
	rt, dir, _ := bench(t, append(script, llmtest.Step{Text: "written"}, llmtest.Step{Text: "all done"})...)
	writeTeam(t, dir, "* Boss :agent:\n:PROPERTIES:\n:ID: boss\n:TOOLS: waldo\n:MAX_STEPS: 2\n:END:\nAsk.\n"+strings.Replace(team, ":END:", ":MAX_STEPS: 8\n:END:", 1))
	if r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), ID: "boss", Text: "write"}); err != nil || r.Result != "all done" || r.Steps != 1 {
		t.Errorf("%+v %v", r, err)
	}
}
