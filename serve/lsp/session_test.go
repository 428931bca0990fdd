package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/org"
	"wb/workbook"
)

// TestDiagnostics follows a document from its first mistake to its last.
func TestDiagnostics(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///d.org"
	c.open(uri, "ä #+x\n#+begin_src jss :reslts x\n1\n#+end_src\n")
	found := c.await(uri, func(list []diagnostic) bool { return len(list) == 2 })
	var words []string
	for _, d := range found {
		words = append(words, fmt.Sprintf("%s %d %v", d.Code, d.Severity, d.Range))
	}
	want := []string{"unknown-language 2 {{1 12} {1 15}}", "unknown-argument 2 {{1 16} {1 23}}"}
	slices.Sort(words)
	slices.Sort(want)
	if !slices.Equal(words, want) {
		t.Errorf("found %q", words)
	}
	if !strings.Contains(found[0].Message, "did you mean") {
		t.Errorf("no hint in %q", found[0].Message)
	}
	c.change(uri, "#+begin_src js :results raw\n1\n#+end_src\n")
	c.await(uri, func(list []diagnostic) bool { return len(list) == 0 })
	c.conn.notify("textDocument/didClose", map[string]any{"textDocument": documentID{uri}})
	delete(c.documents, uri)
	c.close()
}

// TestSync sends random edits and compares what the server then has with what
// the client has, in every encoding.
func TestSync(t *testing.T) {
	for _, enc := range []encoding{utf16Positions, utf8Positions, utf32Positions} {
		random := rand.New(rand.NewSource(1))
		ours := newDocument("file:///s.org", "* Ä𝒳\r\nb\n", 1, enc)
		want := ours.snapshot().text.source
		pieces := []string{"", "a", "ä", "𝒳", "\n", "\r\n", "#+begin_src js\n", "* H\n", "\xff"}
		for version := 2; version < 500; version++ {
			txt := ours.snapshot().text
			from := txt.position(random.Intn(len(txt.source) + 1))
			to := txt.position(random.Intn(len(txt.source) + 1))
			if to.before(from) {
				from, to = to, from
			}
			if random.Intn(3) > 0 {
				to = from
			}
			piece := pieces[random.Intn(len(pieces))]
			span := txt.span(textRange{from, to})
			want = want[:span.Start] + piece + want[span.End:]
			ours.apply(version, []contentChange{{Range: &textRange{from, to}, Text: piece}})
			if got := ours.snapshot().text.source; got != want {
				t.Fatalf("%s: version %d is %q, want %q", enc, version, got, want)
			}
		}
		ours.apply(1000, []contentChange{{Text: "all new"}})
		if got := ours.snapshot(); got.text.source != "all new" || got.version != 1000 {
			t.Errorf("%s: replaced by %q", enc, got.text.source)
		}
	}
}

// TestRebase moves an edit along with random typing: the text around it must
// come out as if it had been made first.
func TestRebase(t *testing.T) {
	d := newDocument("file:///r.org", "one\ntwo\nthree\n", 1, utf16Positions)
	at := func(line, from, to int) *textRange { return &textRange{position{line, from}, position{line, to}} }
	d.apply(2, []contentChange{{Range: at(0, 0, 3), Text: "first line\nand more"}, {Range: at(3, 5, 5), Text: "!"}})
	moved, now, lost := d.rebase([]org.Edit{{Start: 4, End: 7, New: "TWO"}, {Start: 0, End: 2, New: "lost"}, {Start: 14, End: 14, New: "end"}}, 1)
	if lost != 1 || len(moved) != 2 || now.version != 2 {
		t.Fatalf("moved %v, lost %d", moved, lost)
	}
	got, err := org.Apply([]byte(now.text.source), moved)
	if err != nil || string(got) != "first line\nand more\nTWO\nthree!\nend" {
		t.Errorf("%q, %v", got, err)
	}
	d.apply(3, []contentChange{{Text: "all new"}})
	if moved, _, lost := d.rebase([]org.Edit{{Start: 4, End: 7}}, 1); len(moved) != 0 || lost != 1 {
		t.Errorf("after everything was replaced: %v, %d", moved, lost)
	}
}

func runIn(t *testing.T, source string) (c *client, uri, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.org")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	c = connect(t, testConfig(t), "")
	uri = fileURI(path)
	c.open(uri, source)
	return c, uri, path
}

const twoBlocks = "#+begin_src js\none\n#+end_src\n\n* Head\n#+begin_src js\ntwo\n#+end_src\n"

// TestRun runs a block, then everything; the file on disk stays as it was.
func TestRun(t *testing.T) {
	c, uri, path := runIn(t, twoBlocks)
	var result runResult
	c.call("workspace/executeCommand", map[string]any{"command": "wb.runBlock", "arguments": []any{uri, 6}, "workDoneToken": "tok"}, &result)
	if result.Ran != 1 || !result.Applied {
		t.Errorf("result %+v", result)
	}
	want := twoBlocks + "\n#+RESULTS:\n: two\n"
	if got := c.document(uri).snapshot().text.source; got != want {
		t.Errorf("text is\n%s", got)
	}
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	if result.Ran != 1 || result.Cached != 1 || result.Message != "1 ran, 1 cached" {
		t.Errorf("result %+v", result)
	}
	want = "#+begin_src js\none\n#+end_src\n\n#+RESULTS:\n: one\n\n* Head\n#+begin_src js\ntwo\n#+end_src\n\n#+RESULTS:\n: two\n"
	if got := c.document(uri).snapshot().text.source; got != want {
		t.Errorf("text is\n%s", got)
	}
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	if result.Ran != 0 || !result.Applied {
		t.Errorf("nothing changed, and still %+v", result)
	}
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri, 0, true}}, &result)
	if result.Ran != 2 {
		t.Errorf("forced, and still %+v", result)
	}
	onDisk, err := os.ReadFile(path)
	if err != nil || string(onDisk) != twoBlocks {
		t.Errorf("the file was written: %q, %v", onDisk, err)
	}
	c.mu.Lock()
	progress := strings.Join(c.progress, ";")
	c.mu.Unlock()
	if !strings.HasPrefix(progress, "begin ;report block-2 ok;end 1 ran, 0 cached;begin ") {
		t.Errorf("progress was %s", progress)
	}
	for _, bad := range []any{map[string]any{"command": "wb.none", "arguments": []any{uri}}, map[string]any{"command": "wb.run"},
		map[string]any{"command": "wb.runBlock", "arguments": []any{uri, 7}}, map[string]any{"command": "wb.runBlock", "arguments": []any{"file:///no.org", 1}}} {
		if err := c.try("workspace/executeCommand", bad, nil); err == nil {
			t.Errorf("%v does not fail", bad)
		}
	}
	c.close()
}

func TestRunParts(t *testing.T) {
	c, uri, _ := runIn(t, twoBlocks)
	var result runResult
	c.call("workspace/executeCommand", map[string]any{"command": "wb.runTo", "arguments": []any{uri, 3}}, &result)
	if got := c.document(uri).snapshot().text.source; !strings.Contains(got, ": one") || strings.Contains(got, ": two") {
		t.Errorf("run to line 3:\n%s", got)
	}
	c.call("workspace/executeCommand", map[string]any{"command": "wb.runSubtree", "arguments": []any{uri, 8}}, &result)
	if got := c.document(uri).snapshot().text.source; !strings.Contains(got, ": two") {
		t.Errorf("run the subtree:\n%s", got)
	}
	var why workbook.Explanation
	c.call("workspace/executeCommand", map[string]any{"command": "wb.why", "arguments": []any{uri, 0}}, &why)
	if why.WouldRun || why.Kept == nil || why.Kept.Value.Text() != "one" {
		t.Errorf("why says %+v", why)
	}
	var picture struct{ SVG string }
	c.call("workspace/executeCommand", map[string]any{"command": "wb.plan", "arguments": []any{uri}}, &picture)
	if !strings.HasPrefix(picture.SVG, "<svg") {
		t.Errorf("picture %.40q", picture.SVG)
	}
	var card *hover
	c.call("textDocument/hover", placeAt(uri, position{1, 1}), &card)
	if card == nil || !strings.Contains(card.Contents.Value, "Up to date") || !strings.Contains(card.Contents.Value, "`\"one\"`") {
		t.Errorf("hover says %+v", card)
	}
	c.close()
}

// TestRunWhileTyping edits the text between the run and its results.
func TestRunWhileTyping(t *testing.T) {
	c, uri, _ := runIn(t, twoBlocks)
	typed := false
	c.beforeEdit = func() {
		if !typed { // after the server has made its edit, before the client takes it
			typed = true
			c.change(uri, strings.Replace(c.document(uri).snapshot().text.source, "* Head", "* A longer head, typed during the run", 1))
		}
	}
	var result runResult
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	want := "#+begin_src js\none\n#+end_src\n\n#+RESULTS:\n: one\n\n* A longer head, typed during the run\n#+begin_src js\ntwo\n#+end_src\n\n#+RESULTS:\n: two\n"
	if got := c.document(uri).snapshot().text.source; got != want || !result.Applied || result.Lost != 0 {
		t.Errorf("%+v\n%s", result, got)
	}

	// What is typed where a result belongs stays; the result is not written.
	c.beforeEdit = func() {
		now := c.document(uri).snapshot().text.source
		if strings.Contains(now, ": two") {
			c.change(uri, strings.Replace(now, ": two", ": my own words", 1))
		}
	}
	c.change(uri, strings.Replace(strings.Replace(want, "\none\n", "\neins\n", 1), "\ntwo\n", "\nzwei\n", 1))
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	got := c.document(uri).snapshot().text.source
	if !strings.Contains(got, ": my own words") || !strings.Contains(got, ": eins") || strings.Contains(got, ": zwei") || result.Lost != 1 {
		t.Errorf("%+v\n%s", result, got)
	}
	c.close()
}

// TestRunErrors shows a failure where it happened, and moves it with the text.
func TestRunErrors(t *testing.T) {
	c, uri, _ := runIn(t, "text\n#+begin_src js\nfail\n#+end_src\n")
	var result runResult
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	if result.Failed != 1 {
		t.Errorf("result %+v", result)
	}
	found := c.await(uri, func(list []diagnostic) bool { return len(list) == 1 })
	if found[0].Source != "wb run" || found[0].Range.Start.Line != 2 || !strings.Contains(found[0].Message, "it says fail") {
		t.Errorf("found %+v", found)
	}
	written := c.document(uri).snapshot().text.source // with the empty result that a failure leaves
	if !strings.Contains(written, "#+RESULTS:") {
		t.Errorf("no empty result:\n%s", written)
	}
	c.change(uri, strings.Replace(written, "text\n", "text\nmore\n", 1))
	found = c.await(uri, func(list []diagnostic) bool { return len(list) == 1 })
	if found[0].Range.Start.Line != 3 {
		t.Errorf("moved to %+v", found)
	}
	c.change(uri, "text\nmore\n#+begin_src js\ngood\n#+end_src\n")
	c.await(uri, func(list []diagnostic) bool { return len(list) == 0 })

	c.change(uri, "#+begin_src js :var x=nowhere\n1\n#+end_src\n")
	c.call("workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}}, &result)
	if result.Failed != 1 {
		t.Errorf("a block with an error: %+v", result)
	}
	c.await(uri, func(list []diagnostic) bool {
		return slices.ContainsFunc(list, func(d diagnostic) bool {
			return d.Source == "wb run" && d.Range.Start.Line == 0 && strings.Contains(d.Message, "nowhere")
		})
	})
	c.close()
}

// TestRunTwice asks for both blocks at once: each gets one result.
func TestRunTwice(t *testing.T) {
	c, uri, _ := runIn(t, twoBlocks)
	var both sync.WaitGroup
	for _, line := range []int{5, 1, 5} {
		both.Go(func() {
			if err := c.try("workspace/executeCommand", map[string]any{"command": "wb.runBlock", "arguments": []any{uri, line}}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	want := "#+begin_src js\none\n#+end_src\n\n#+RESULTS:\n: one\n\n* Head\n#+begin_src js\ntwo\n#+end_src\n\n#+RESULTS:\n: two\n"
	if got := c.document(uri).snapshot().text.source; got != want {
		t.Errorf("text is\n%s", got)
	}
	c.close()
}

// TestHistory reads when a component last ran from the events beside it.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	var events []byte
	for _, e := range []trace.Event{
		{Run: "01A", Kind: trace.KindRun, Workbook: "mine.org"}, {Run: "01A", Kind: trace.KindComponentEnd, Component: "x", Duration: time.Second, Fuel: 2500, Time: time.Unix(1, 0)},
		{Run: "01B", Kind: trace.KindRun, Workbook: "other.org"}, {Run: "01B", Kind: trace.KindComponentEnd, Component: "x", Duration: time.Hour, Time: time.Unix(2, 0)},
		{Run: "01A", Kind: trace.KindComponentEnd, Component: "y", Duration: time.Minute, Error: "it broke", Time: time.Unix(3, 0)},
	} {
		events = trace.AppendOrg(events, &e)
	}
	if err := os.WriteFile(filepath.Join(dir, "events.org"), events, 0o644); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"x": "1s, 2.5k fuel", "y": "1m0s, and failed: it broke"} {
		if got, ok := lastEvent(filepath.Join(dir, "mine.org"), id); !ok || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", id, got)
		}
	}
	if got, ok := lastEvent(filepath.Join(dir, "mine.org"), "z"); ok {
		t.Errorf("z: %q", got)
	}
}

// TestCancel stops a run by its request and by its progress.
func TestCancel(t *testing.T) {
	c, uri, _ := runIn(t, "#+begin_src js\nwait\n#+end_src\n")
	begun := func() {
		t.Helper()
		for range 3000 {
			c.mu.Lock()
			n := len(c.progress)
			c.mu.Unlock()
			if n > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("the run never began")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, stop := range []func(id int){
		func(id int) {
			c.conn.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(fmt.Sprintf(`"wb-%d"`, id))})
		},
		func(int) { c.conn.notify("window/workDoneProgress/cancel", map[string]string{"token": "tok"}) },
	} {
		c.mu.Lock()
		c.progress = nil
		c.mu.Unlock()
		c.conn.mu.Lock()
		next := c.conn.lastID + 1
		c.conn.mu.Unlock()
		failed := make(chan error)
		go func() {
			failed <- c.conn.call(ctx, "workspace/executeCommand", map[string]any{"command": "wb.run", "arguments": []any{uri}, "workDoneToken": "tok"}, nil)
		}()
		begun()
		stop(next)
		err := <-failed
		wire, ok := err.(*wireError)
		if !ok || wire.Code != codeCancelled {
			t.Errorf("the run ended with %v", err)
		}
	}
	c.close()
}

// TestManyAtOnce asks everything about several documents while they change.
func TestManyAtOnce(t *testing.T) {
	c := connect(t, testConfig(t), "")
	var all sync.WaitGroup
	for i := range 4 {
		uri := fmt.Sprintf("file:///m%d.org", i)
		c.open(uri, bakery)
		all.Go(func() {
			random := rand.New(rand.NewSource(int64(i)))
			for range 15 {
				source := c.document(uri).snapshot().text.source
				at := random.Intn(len(source))
				c.change(uri, source[:at]+string("x\n:[<#* "[random.Intn(8)])+source[at:])
				p := placeAt(uri, newText(source, utf16Positions).position(random.Intn(len(source))))
				for _, method := range []string{"textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/documentSymbol",
					"textDocument/semanticTokens/full", "textDocument/foldingRange", "textDocument/codeLens", "textDocument/prepareRename", "textDocument/formatting"} {
					if err := c.try(method, p, nil); err != nil {
						t.Errorf("%s: %v", method, err)
					}
				}
				var fixes []codeAction
				whole := map[string]any{"textDocument": documentID{uri}, "range": textRange{position{}, position{Line: 1 << 20}}, "context": map[string]any{}}
				if err := c.try("textDocument/codeAction", whole, &fixes); err != nil {
					t.Errorf("code actions: %v", err)
				}
			}
		})
	}
	all.Wait()
	c.close()
}

// TestAnyPlace asks about every place of awkward texts: nothing may fail.
func TestAnyPlace(t *testing.T) {
	c := connect(t, testConfig(t), "")
	for i, source := range []string{"", "\n", "\x00\xff\xfe", "#+begin_src", "#+begin_src js :var", "* \n:PROPERTIES:\n:in:\n:END:", "[[", "#+CALL: x(", "#+NAME:\n#+NAME: \n|",
		"#+begin_src js :var a=b(c=d(e=f\n<<g>>\n#+end_src", "* a\r\n:PROPERTIES:\r\n:ID: x\r\n:END:\r\n#+begin_src js\r\n1\r\n#+end_src\r\n", "{{{ [fn:: [[*]] <<>> call_( src_{"} {
		uri := fmt.Sprintf("file:///a%d.org", i)
		c.open(uri, source)
		for at := 0; at <= len(source); at++ {
			p := placeAt(uri, newText(source, utf16Positions).position(at))
			for _, method := range []string{"textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/references",
				"textDocument/prepareRename", "textDocument/documentLink", "textDocument/semanticTokens/full", "textDocument/documentHighlight"} {
				if err := c.try(method, p, nil); err != nil {
					t.Errorf("%s in %q at %d: %v", method, source, at, err)
				}
			}
		}
	}
	c.close()
}

// large is a workbook of the given number of blocks, each with a variable and
// prose.
func large(blocks int) string {
	var out strings.Builder
	for i := range blocks {
		fmt.Fprintf(&out, "* Heading %d :tag:\nSome prose with a [[b%d][link]] and *emphasis* that goes on for a line or so.\n#+NAME: b%d\n#+begin_src js :var x=b%d :results value\nx + %d;\n#+end_src\n\n",
			i, max(0, i-1), i, max(0, i-1), i)
	}
	return strings.Replace(out.String(), ":var x=b0 ", "", 1)
}

func BenchmarkAnalyze(b *testing.B) {
	source := large(2000)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		analyze("file:///l.org", "/l.org", 1, newText(source, utf16Positions)).index()
	}
}

func BenchmarkDiagnostics(b *testing.B) {
	source := large(2000)
	lanes := testLanes(b)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		analyze("file:///l.org", "/l.org", 1, newText(source, utf16Positions)).diagnostics(lanes)
	}
}

// BenchmarkKeystroke is one letter typed into a large workbook, with the
// completion it asks for.
func BenchmarkKeystroke(b *testing.B) {
	source := large(2000)
	c := connect(b, testConfig(b), `{"capabilities":{},"initializationOptions":{"lintDelayMs":100000}}`)
	uri := "file:///l.org"
	c.open(uri, source)
	for b.Loop() {
		now := c.document(uri).snapshot().text.source
		c.change(uri, now[:100]+"x"+now[100:])
		var list completionList
		c.call("textDocument/completion", placeAt(uri, position{3, 16}), &list)
	}
}
