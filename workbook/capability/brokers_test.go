package capability

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/sandbox/dock"
	"wb/workbook"
)

// TestProgramsOfABlock starts commands beside a block and programs in other
// languages, which hold no more than the block does.
func TestProgramsOfABlock(t *testing.T) {
	b := newBench(t)
	const book = `#+NAME: starts
#+begin_src js :uses process build kv exec :results output
import { process, build, kv, exec } from "wb";
const ids = [process.spawn("sort", "b\na\n"), process.spawn("tr", "x", ["x", "y"])];
console.log(ids.map(id => process.wait(id).output.trim()), exec.run("tr", "q", ["q", "r"]));
kv.put("k", "shared");
const ask = (uses) => build.run("python", "import wb, sys\ntry:\n    print(wb.kv.get('k'), sys.argv[1:], sys.stdin.read())\nexcept wb.Error as e:\n    print(e.code)", "in", { args: ["a"], uses }).output.trim();
console.log(ask(["kv"]), ask([]));
for (const f of [() => ask(["net"]), () => build.run("python", "print("), () => build.run("cobol", "")]) try { f(); } catch (e) { console.log(e.code, e.message); }
#+end_src
`
	text, _ := b.run("p.org", book, "process", "build", "kv", "exec")
	for _, want := range []string{": [ 'a\\nb', 'y' ] r\n", "shared ['a'] in denied\n", "denied build.run: the program asks for net, which is not granted (wb run --grant net)\n", "failed build.run: program:1:", "notfound build.run: no lane builds programs in \"cobol\""} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if denials := b.denials(); len(denials) != 2 {
		t.Errorf("%q", denials)
	}
}

// TestBlockThatServes answers a client, says where it listens, and is closed when
// its grant is taken back.
func TestBlockThatServes(t *testing.T) {
	b := newBench(t)
	replies := make(chan string, 2)
	var listening string
	b.listen = func(e trace.Event) {
		if e.Tool != "serve.listen" {
			return
		}
		listening = e.Output
		go func() {
			for range 2 {
				r, err := http.Get("http://" + e.Output + "/hello")
				if err != nil {
					replies <- err.Error()
					continue
				}
				data, _ := io.ReadAll(r.Body)
				r.Body.Close()
				replies <- fmt.Sprint(r.StatusCode, " ", string(data))
			}
		}()
	}
	const book = `#+begin_src python :uses serve :results output
import wb
wb.serve.listen("", {"requests": 2})
while request := wb.serve.next():
    wb.serve.reply(request["id"], "you asked " + request["path"], {"headers": {"X-Guest": "yes"}})
print("over")
#+end_src
`
	text, _ := b.run("s.org", book, "serve")
	if !strings.Contains(text, ": over\n") || !strings.HasPrefix(listening, "127.0.0.1:") {
		t.Errorf("listened on %q\n%s", listening, text)
	}
	for range 2 {
		if got := <-replies; got != "200 you asked /hello" {
			t.Errorf("a client was answered %q", got)
		}
	}
	if _, err := http.Get("http://" + listening + "/"); err == nil {
		t.Error("the port is open after the run")
	}
	b.listen = func(e trace.Event) {
		if e.Tool == "serve.listen" {
			if _, err := b.Grants.Revoke(filepath.Join(b.dir, "s.org"), "serve"); err != nil {
				t.Error(err)
			}
		}
	}
	_, report := b.run("s.org", book, "serve")
	if failed := report.Failed(); failed == nil || !strings.Contains(failed.Stderr, "serve was revoked") && !strings.Contains(failed.Err.Error(), "serve was revoked") {
		t.Errorf("after the revocation: %+v", failed)
	}
}

// TestWheels pins a wheel with pip-fetch; Python blocks import it with :deps, from
// then on without the net.
func TestWheels(t *testing.T) {
	b := newBench(t)
	wheel := func(text string) []byte {
		var data bytes.Buffer
		w := zip.NewWriter(&data)
		f, err := w.Create("small_thing/__init__.py")
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return data.Bytes()
	}
	// Wheels are kept by their digest for the whole machine: this one is no other
	// test's.
	content := wheel("# " + t.TempDir() + "\nanswer = 42\n")
	b.web(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/small-thing/":
			fmt.Fprint(w, `<a href="../../files/w">small_thing-1.0-py3-none-any.whl</a>`)
		case "/files/w":
			w.Write(content)
		default:
			http.NotFound(w, r)
		}
	})
	const fetch = "#+begin_src sh :uses net :results output\npip-fetch --index https://api.example.com/simple Small.Thing==1.0 || echo $?\n#+end_src\n"
	const use = "#+begin_src python :deps small-thing==1.0 :results output\nimport small_thing\nprint(small_thing.answer)\n#+end_src\n"
	_, report := b.run("before.org", use)
	if failed := report.Failed(); failed == nil || !strings.Contains(failed.Err.Error(), "small_thing (:deps) is not pinned in wb.lock") {
		t.Errorf("before it is pinned: %+v", failed)
	}
	if text, _ := b.run("fetch.org", fetch); !strings.Contains(text, ": 7\n") {
		t.Errorf("without the net:\n%s", text)
	}
	text, _ := b.run("fetch.org", fetch, "net")
	if !strings.Contains(text, ": small-thing==1.0 small_thing-1.0-py3-none-any.whl sha256:") {
		t.Errorf("fetched:\n%s", text)
	}
	if lock, err := os.ReadFile(filepath.Join(b.dir, "wb.lock")); err != nil || !strings.Contains(string(lock), `"small-thing==1.0"`) {
		t.Errorf("%s %v", lock, err)
	}
	if text, _ := b.run("use.org", use); !strings.Contains(text, ": 42\n") {
		t.Errorf("imported:\n%s", text)
	}
	content = wheel("answer = 'another'")
	text, _ = b.run("fetch.org", fetch, "net")
	if !strings.Contains(text, ": 7\n") || len(b.denials()) != 2 {
		t.Errorf("another content under the same name: %q\n%s", b.denials(), text)
	}
}

// TestEveryOperationNamesItsGrant calls each operation in a block that was granted
// nothing, as a stranger to wb would: the message says what to type, lint has said
// it before, and with the grant the message is another.
func TestEveryOperationNamesItsGrant(t *testing.T) {
	b := newBench(t)
	var body, uses strings.Builder
	for _, name := range dock.Capabilities() {
		uses.WriteString(" " + name)
	}
	var list []dock.Operation
	for _, op := range dock.Operations() {
		if op.Capability == "" || op.Capability == "vfs" { // which every profile holds
			continue
		}
		list = append(list, op)
		args := make([]string, len(op.Params))
		for i, p := range op.Params {
			args[i] = map[bool]string{true: "undefined", false: `"x"`}[p.JSON]
		}
		fmt.Fprintf(&body, "try { wb.%s(%s); console.log('%s done'); } catch (e) { console.log('%s', e.message); }\n", &op, strings.Join(args, ", "), &op, &op)
	}
	book := "#+NAME: all\n#+begin_src js :uses" + uses.String() + " :results output\nimport wb from 'wb';\n" + body.String() + "#+end_src\n"
	text, _ := b.run("all.org", book)
	granted, _ := b.run("all.org", book, dock.Capabilities()...)
	for _, op := range list {
		want := fmt.Sprintf("\n%s %s is not granted (the block asks with :uses %s, and wb run --grant %s", &op, op.Capability, op.Capability, op.Capability)
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
		if strings.Contains(granted, want) || !strings.Contains(granted, "\n"+op.String()+" ") {
			t.Errorf("%s with every grant is like without any", &op)
		}
	}
	if n := len(b.denials()); n < len(list) {
		t.Errorf("%d denials of %d operations are recorded", n, len(list))
	}
	noted := workbook.LintPlan(workbook.NewPlan("all.org", []byte(book)), workbook.LintOptions{})
	for _, name := range dock.Capabilities() {
		if !slices.ContainsFunc(noted, func(d diag.Finding) bool {
			return d.Code == "not-granted" && d.Hint == "run it with --grant "+name
		}) && name != "vfs" {
			t.Errorf("lint says nothing of %s", name)
		}
	}
}
