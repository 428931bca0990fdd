package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/app"
)

// doorAnswer is what a door answers: data for programs and text for readers, where it has
// them, and whether the answer is no.
type doorAnswer struct {
	data any
	text string
	no   bool
}

// doorVerbs are the questions that go through every door that shows their verb: as
// words of a command line, and as an object.
var doorVerbs = []struct{ name, words, object string }{
	{"verify", "book.org", `{"path":"book.org"}`},
	{"verify", "broken.org", `{"path":"broken.org"}`},
	{"search", "greet", `{"text":["greet"]}`},
	{"search", "nothing-like-it", `{"text":["nothing-like-it"]}`},
	{"query", "'todo:NEXT | select title'", `{"query":"todo:NEXT | select title"}`},
	{"query", "--count book.org todo:NEXT", `{"query":"todo:NEXT","paths":["book.org"],"count":true}`},
	{"query", "--saved book.org ''", `{"query":"","paths":["book.org"],"saved":true}`},
	{"plan", "book.org", `{"file":"book.org"}`},
	{"plan", "--shape nested book.org", `{"file":"book.org","shape":"nested"}`},
	{"why", "book.org greet", `{"file":"book.org","id":"greet"}`},
	{"why", "book.org --line 12", `{"file":"book.org","line":12}`},
	{"lint", "book.org", `{"file":"book.org"}`},
	{"lint", "broken.org", `{"file":"broken.org"}`},
}

const verbsBook = "* NEXT Ask :work:\n#+OQL: next = todo:NEXT\n" +
	"** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src word\nhello\n#+end_src\n"

const brokenBook = "* Broken\n#+NAME: one\n#+begin_src word :var x=two\nhello\n#+end_src\n"

// normal is data as JSON has it, without the time that an answer took.
func normal(data any) any {
	text, _ := json.Marshal(data)
	text = regexp.MustCompile(`"(took_ms|dur_ms|ms|millis)":[0-9.e+-]+`).ReplaceAll(text, []byte(`"$1":0`))
	var v any
	_ = json.Unmarshal(text, &v)
	return v
}

func (w *doorWorld) terminalTold(t *testing.T, name, words string) doorAnswer {
	t.Helper()
	var out bytes.Buffer
	t.Chdir(w.dir)
	code := w.terminal(&out).run(append([]string{"--json", name}, shellWords(words)...))
	var answer struct{ Data any }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err, out.String())
	}
	return doorAnswer{data: normal(answer.Data), no: code != 0}
}

func (w *doorWorld) mcpTold(t *testing.T, name, object string) doorAnswer {
	t.Helper()
	r, err := w.mcp().CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(object)})
	if err != nil {
		t.Fatal(err)
	}
	row, _ := app.Find(name)
	data := normal(r.StructuredContent)
	if members, ok := data.(map[string]any); ok && row.List != "" && len(members) == 1 && members[row.List] != nil {
		data = members[row.List] // the protocol takes objects alone
	}
	return doorAnswer{data: data, text: r.Content[0].(*sdk.TextContent).Text}
}

func (w *doorWorld) httpTold(t *testing.T, name, object string) doorAnswer {
	t.Helper()
	server := w.api(nil)
	front := httptest.NewServer(server.Handler())
	defer front.Close()
	defer server.Close()
	r, err := http.Post(front.URL+"/api/verbs/"+name, "application/json", strings.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		OK   bool
		Data any
		Text string
	}
	if err := json.Unmarshal(text, &answer); err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(err, string(text))
	}
	return doorAnswer{normal(answer.Data), answer.Text, !answer.OK}
}

func (w *doorWorld) agentTold(t *testing.T, name, words string) doorAnswer {
	t.Helper()
	tool, done := w.agentTool(nil)
	defer done()
	args, _ := json.Marshal(name + " " + words)
	out, err := tool.Call(context.Background(), agent.Args{"args": args})
	if err != nil {
		t.Fatal(err)
	}
	text := out.Text
	if *out.Exit != 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, fmt.Sprintf("exit %d", *out.Exit)), "\n")
	}
	return doorAnswer{text: text, no: *out.Exit != 0}
}

// TestDoorsVerbs asks the same of every door that shows a verb: programs get the same
// data from each, readers the same text, and what is no at one is no at all.
func TestDoorsVerbs(t *testing.T) {
	for _, ask := range doorVerbs {
		t.Run(ask.name+" "+ask.words, func(t *testing.T) {
			w := newDoorWorld(t, verbsBook)
			writeHere(t, w.dir+"/broken.org", brokenBook)
			if code := w.terminal(io.Discard).run([]string{"sign", w.dir + "/book.org"}); code != 0 {
				t.Fatalf("wb sign exits with %d", code)
			}
			terminal := w.terminalTold(t, ask.name, ask.words)
			overMCP, overHTTP, toAgent := w.mcpTold(t, ask.name, ask.object), w.httpTold(t, ask.name, ask.object), w.agentTold(t, ask.name, ask.words)
			want, _ := json.Marshal(terminal.data)
			for door, got := range map[string]doorAnswer{"mcp": overMCP, "http": overHTTP} {
				if data, _ := json.Marshal(got.data); !bytes.Equal(data, want) {
					t.Errorf("%s answers\n%s\nthe terminal\n%s", door, data, want)
				}
			}
			if overHTTP.no != terminal.no || toAgent.no != terminal.no {
				t.Errorf("the terminal says no: %v, http %v, the agent's tool %v", terminal.no, overHTTP.no, toAgent.no)
			}
			if strings.TrimSpace(overMCP.text) != strings.TrimSpace(overHTTP.text) {
				t.Errorf("mcp reads\n%s\nhttp\n%s", overMCP.text, overHTTP.text)
			}
			if strings.TrimSpace(toAgent.text) != strings.TrimSpace(overMCP.text) {
				t.Errorf("an agent reads\n%s\nmcp\n%s", toAgent.text, overMCP.text)
			}
		})
	}
}

// TestEditorVerbs asks an editor's door why a component would run, and for the plan.
func TestEditorVerbs(t *testing.T) {
	w := newDoorWorld(t, verbsBook)
	want := w.terminalTold(t, "why", "book.org greet")
	c, end := w.editor()
	defer end()
	asked := func(id int, command string) any {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":%q,"arguments":[%q,10]}}`, id, command, c.uri()))
		var answer struct{ Result any }
		if err := json.Unmarshal(<-c.answers, &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Result
	}
	got, _ := json.Marshal(normal(asked(2, "wb.why")))
	if want, _ := json.Marshal(want.data); !bytes.Equal(got, want) {
		t.Errorf("an editor is told\n%s\nthe terminal\n%s", got, want)
	}
	var out bytes.Buffer
	w.terminal(&out).run([]string{"plan", "--svg", "book.org"})
	if svg, _ := asked(3, "wb.plan").(map[string]any); svg["svg"] != out.String() || out.Len() == 0 {
		t.Errorf("the plan is %v, not %s", svg, &out)
	}
}
