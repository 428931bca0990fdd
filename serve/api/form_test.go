package api_test

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
)

const typedBook = `* Mean of heights
:PROPERTIES:
:sig: mean(heights: list<f64>, label: string, rounded: bool, digits: s32, names: list<string>, box: record {a: f64}, extra: option<u32>) -> f64
:END:
#+begin_src sh
echo 1
#+end_src
`

// The form of a workbook has a field of its kind for each input, and says at each field
// what does not fit; what was filled in stays.
func TestForm(t *testing.T) {
	b := newBench(t, scribe)
	write(t, filepath.Join(b.dir("ada"), "heights.org"), typedBook)
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})
	_, text, _ := p.get("/new")
	if !strings.Contains(text, `href="/new?workbook=heights.org"`) || !strings.Contains(text, `href="/new?agent=team.org%23waldo"`) {
		t.Errorf("what can be run: %s", text)
	}
	status, text, _ := p.get("/new?workbook=heights.org")
	for _, want := range []string{`<textarea id="in-heights"`, "numbers, one a line", `<input type="checkbox" id="in-rounded"`, `type="number" id="in-digits" name="in.digits" value="" step="1" min="-2147483648"`,
		`<textarea id="in-label"`, "texts, one a line", "as JSON", `extra <span class="dim">optional`} {
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("the form (%d) has no %s", status, want)
		}
	}
	if outside.MatchString(text) {
		t.Errorf("the form is not safe: %s", text)
	}
	right := url.Values{"workbook": {"heights.org"}, "in.heights": {"1\r\n2.5"}, "in.label": {"<b>"}, "in.digits": {"3"}, "in.names": {"ada\nlin"}, "in.box": {`{"a":1}`}}
	for _, c := range []struct{ field, value, want string }{
		{"digits", "2.5", "2.5 is not a whole number"},
		{"digits", "", "a value is needed"},
		{"digits", "many", "&#34;many&#34; is not a number"},
		{"digits", "3000000000", "3000000000 is not between -2147483648 and 2147483647"},
		{"heights", "1\nhello", "line 2: &#34;hello&#34; is not a number"},
		{"box", "{", "not JSON"},
		{"box", `{"b":1}`, "it does not fit"},
		{"extra", "-1", "-1 is not between 0 and 4294967295"},
	} {
		form := url.Values{}
		for name, value := range right {
			form[name] = value
		}
		form.Set("in."+c.field, c.value)
		status, text, _ := p.post("/workbook", form)
		wrong := regexp.MustCompile(`<p id="wrong-` + c.field + `" class="wrong">([^<]*)</p>`).FindStringSubmatch(text)
		if status != 422 || wrong == nil || !strings.HasPrefix(wrong[1], c.want) {
			t.Errorf("%s %q: %d, %q", c.field, c.value, status, wrong)
		}
		if n := strings.Count(text, "aria-invalid"); n != 1 || !strings.Contains(text, "&lt;b&gt;") {
			t.Errorf("%s %q: %d fields are wrong, or what was filled in is lost", c.field, c.value, n)
		}
	}
	if status, _, response := p.post("/workbook", right); status == 422 || !strings.HasPrefix(response.Request.URL.Path, "/run/") {
		t.Errorf("what fits is not run: %d %s", status, response.Request.URL)
	}
	if status, text, _ := p.get("/new?workbook=../x.org"); status != 404 || !strings.Contains(text, "no such file") {
		t.Errorf("a workbook elsewhere: %d", status)
	}
	if status, text, _ := p.post("/run", url.Values{"agent": {"team.org#waldo"}, "task": {" "}, "model": {"m-1"}}); status != 422 || !strings.Contains(text, `id="task-wrong"`) || !strings.Contains(text, "m-1") {
		t.Errorf("no task: %d %s", status, text)
	}
}

// What models write is set as Markdown or org, without anything that runs, loads or
// leaves the page's outline.
func TestSetText(t *testing.T) {
	for _, evil := range []string{
		"# Title\n\n#### Deep\n\n[run](javascript:alert(1)) <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png)\n\n| a |\n|--:|\n| 1 |\n",
		"#+title: x\n* Title\n[[javascript:alert(1)][run]] @@html:<script>alert(1)</script>@@\n#+begin_export html\n<iframe src=//evil.example></iframe>\n#+end_export\n[[https://evil.example/p.png]]\n",
	} {
		b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: evil} })
		id := b.run(map[string]any{"agent": "team.org#waldo", "task": "x"})
		b.ended(id)
		p := b.person()
		p.post("/login", url.Values{"token": {adaToken}})
		_, text, _ := p.get("/run/" + id)
		result := regexp.MustCompile(`(?s)id="result">(.*?)<details class="source">`).FindStringSubmatch(text)
		if result == nil {
			t.Fatalf("the result is not set: %s", text)
		}
		for _, never := range []string{"javascript:", "<img", "<iframe", "<script", "onerror", "style=", "<h1", "<h2", "<h5", "<h6"} {
			if strings.Contains(result[1], never) {
				t.Errorf("%s is in\n%s", never, result[1])
			}
		}
		if !strings.Contains(result[1], ">Title</h") {
			t.Errorf("no heading: %s", result[1])
		}
	}
}

// What is not there has no form, and the page says so.
func TestFormOfNothing(t *testing.T) {
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "Done."} })
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})
	for path, want := range map[string]string{
		"/new?agent=nobody.org":          "no such file: nobody.org",
		"/new?agent=team.org%23nobody":   "it has waldo",
		"/new?workbook=nothing.org":      "no such file: nothing.org",
		"/new?workbook=../bob/notes.org": "no such file: ../bob/notes.org",
	} {
		status, text, _ := p.get(path)
		if status != 404 || !strings.Contains(text, want) || strings.Contains(text, `class="go"`) || strings.Contains(text, "takes no input") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text, _ := p.get("/new?agent=team.org%23waldo"); status != 200 || !strings.Contains(text, `class="go"`) {
		t.Errorf("an agent that is there: %d %s", status, text)
	}
	if status, text, _ := p.get("/compare?run=A&run=A"); status != 400 || !strings.Contains(text, "choose two different runs") {
		t.Errorf("a run compared with itself: %d %s", status, text)
	}
}

// Where a component of a workbook failed is told by its path in the directory, not by
// where that is on the server.
func TestFailedWorkbookPaths(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "shell", "toolbox")
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "Done."} })
	write(t, filepath.Join(b.dir("ada"), "broken.org"), "#+begin_src sh\necho no >&2; exit 3\n#+end_src\n")
	id := b.run(map[string]any{"workbook": "broken.org"})
	if got := b.ended(id); got["status"] != "error" {
		t.Fatalf("the run is %v", got)
	}
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})
	_, page, _ := p.get("/run/" + id)
	for _, f := range b.frames(id, 0) {
		page += f.Error + f.Output
	}
	if !strings.Contains(page, "broken.org:") || strings.Contains(page, b.dir("ada")) {
		t.Errorf("what is told is %s", page)
	}
}
