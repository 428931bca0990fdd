package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"wb/internal/test/llmtest"
	"wb/internal/trace"
	"wb/serve/api"
)

// follow reads a run over a WebSocket until the server closes it.
func (b *bench) follow(id, query string) ([]api.Frame, websocket.StatusCode) {
	b.t.Helper()
	conn, _, err := websocket.Dial(b.t.Context(), b.http.URL+"/api/run/"+id+"/stream"+query, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + adaToken}}})
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.CloseNow()
	var all []api.Frame
	for {
		_, text, err := conn.Read(b.t.Context())
		if err != nil {
			return all, websocket.CloseStatus(err)
		}
		var f api.Frame
		if err := json.Unmarshal(text, &f); err != nil {
			b.t.Fatal(err)
		}
		all = append(all, f)
	}
}

// A WebSocket tells the same as server-sent events.
func TestWebSocket(t *testing.T) {
	b := newBench(t, scribe)
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem"})
	frames, code := b.follow(id, "")
	if types(frames) != scribeTypes || code != websocket.StatusNormalClosure {
		t.Errorf("%s, closed with %d", types(frames), code)
	}
	later, _ := b.follow(id, "?after=8")
	if types(later) != "subscribed step done" {
		t.Errorf("after frame 8: %s", types(later))
	}
	for _, header := range []http.Header{{}, {"Authorization": {"Bearer " + bobToken}}, {"Authorization": {"Bearer " + adaToken}, "Origin": {"https://evil.example"}}} {
		if conn, response, err := websocket.Dial(t.Context(), b.http.URL+"/api/run/"+id+"/stream", &websocket.DialOptions{HTTPHeader: header}); err == nil {
			conn.CloseNow()
			t.Errorf("%v gets in", header)
		} else if response == nil || response.StatusCode < 400 {
			t.Errorf("%v: %v", header, err)
		}
	}
}

// chatter talks much, then does as scribe does.
func chatter(r llmtest.Request) llmtest.Step {
	s := scribe(r)
	s.Text = strings.Repeat("word ", 4000)
	return s
}

// A reader that reads nothing holds up neither the run nor another reader, and
// finds the whole log when it comes back.
func TestSlowReader(t *testing.T) {
	b := newBench(t, chatter)
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem"})
	stuck, err := net.Dial("tcp", b.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if err := stuck.(*net.TCPConn).SetReadBuffer(1); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(stuck, "GET /api/run/%s/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", id, adaToken)
	if got := types(b.frames(id, 0)); got != scribeTypes {
		t.Errorf("the reader beside it sees %s", got)
	}
	if got := b.ended(id); got["status"] != "done" {
		t.Errorf("the run: %v", got["status"])
	}
	if got := types(b.frames(id, 1)); !strings.HasSuffix(got, "done") {
		t.Errorf("after coming back: %s", got)
	}
}

// Words are told as they come, before the turn they belong to.
func TestDeltas(t *testing.T) {
	said := make(chan struct{})
	b := newBench(t, func(llmtest.Request) llmtest.Step {
		<-said
		return llmtest.Step{Text: "It was a dark and stormy night."}
	})
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "tell"})
	request, _ := http.NewRequestWithContext(t.Context(), "GET", b.http.URL+"/api/run/"+id+"/stream", nil)
	request.Header.Set("Authorization", "Bearer "+adaToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	head := make([]byte, len("event: subscribed"))
	if _, err := io.ReadFull(response.Body, head); err != nil { // it listens
		t.Fatal(err)
	}
	close(said)
	rest, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, f := range parseEvents(t, append(head, rest...)) {
		if f.Type == "delta" {
			told += f.Text
		}
		if f.Type == "thinking" && told != f.Text {
			t.Errorf("before the turn %q was told, the turn says %q", told, f.Text)
		}
	}
	if told != "It was a dark and stormy night." {
		t.Errorf("told %q", told)
	}
	log, _ := os.ReadFile(filepath.Join(b.config.State, "tenants", "ada", "serve", id+".frames.jsonl"))
	if len(log) == 0 || strings.Contains(string(log), `"delta"`) {
		t.Errorf("the log is %s", log)
	}
}

// A server that stops in the middle of runs goes on with them when it starts
// again, under the same ids; readers go on where they were.
func TestRestart(t *testing.T) {
	reached := make(chan struct{}, 1)
	hold := make(chan struct{})
	var mu sync.Mutex
	asked := map[int]int{}
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		turn, _ := r.Turn()
		mu.Lock()
		asked[turn]++
		first := turn == 2 && asked[turn] == 1
		mu.Unlock()
		if first {
			reached <- struct{}{}
			<-hold
		}
		return scribe(r)
	}, func(c *api.Config) { c.AllowWrite = true })
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem"})
	<-reached
	b.server.Close()
	close(hold)
	b.http.Close()
	b.start()
	frames := b.frames(id, 0)
	if types(frames) != scribeTypes {
		t.Errorf("after the restart: %s", types(frames))
	}
	next := 1
	for _, f := range frames[1:] {
		if f.Type != "delta" && f.N != next {
			t.Errorf("frame %d has the number %d", next, f.N)
		}
		next = max(next, f.N+1)
	}
	got := b.ended(id)
	if runs := got["runs"].([]any); got["status"] != "done" || len(runs) != 2 || runs[0] != id {
		t.Errorf("%v %v", got["status"], runs)
	}
	if asked[0] != 1 || asked[1] != 1 || asked[2] > 2 {
		t.Errorf("the model was asked %v", asked)
	}
	b.stop()
	b.start() // nothing is left to go on with
	if got := b.ended(id); len(got["runs"].([]any)) != 2 {
		t.Errorf("an ended run went on: %v", got["runs"])
	}
	if text, _ := os.ReadFile(filepath.Join(b.dir("ada"), "poem.txt")); string(text) != "poem" {
		t.Errorf("poem.txt is %q", text)
	}
}

// Two servers do not work on the same runs.
func TestOneServer(t *testing.T) {
	b := newBench(t, scribe)
	if _, err := api.New(b.config); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server: %v", err)
	}
}

// Two hundred runs at once: every event of each is in its stream and in the
// shared events.org, once.
func TestManyRuns(t *testing.T) {
	const n = 200
	b := newBench(t, scribe)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = b.run(map[string]any{"agent": "team.org#waldo", "task": fmt.Sprintf("poem%d", i)})
	}
	var wait sync.WaitGroup
	for i, id := range ids {
		wait.Go(func() {
			frames := b.frames(id, 0)
			if got := types(frames); got != scribeTypes {
				t.Errorf("run %d: %s", i, got)
			}
			if last := frames[len(frames)-1]; last.Result != fmt.Sprintf("wrote poem%d.txt", i) {
				t.Errorf("run %d ends with %+v", i, last)
			}
		})
	}
	wait.Wait()
	b.stop()
	b.start()
	text, err := os.ReadFile(filepath.Join(b.dir("ada"), "events.org"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for e := range trace.Events(text) {
		counts[e.Run]++
	}
	for i, id := range ids {
		if counts[id] != 8 { // header, three turns, three calls, result
			t.Errorf("run %d has %d events in events.org", i, counts[id])
		}
	}
	report, err := trace.VerifyFiles(trace.FilesIn(b.dir("ada")))
	if err != nil || !report.TamperEvident || report.Unsealed != 0 || len(report.SealedRuns) != n {
		t.Errorf("the ledger: %+v %v", report, err)
	}
}
