package api_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/chromium"
	"wb/internal/test/llmtest"
	"wb/serve/api"
)

// A directory such as people have: a team of two, a workbook with typed inputs, cases,
// tickets, notes and a picture.
const (
	walkTeam = `* Editor :agent:
:PROPERTIES:
:ID: editor
:TAGLINE: writes and checks the weekly report
:TOOLS: vfs_write vfs_read edit scout
:SCHEDULE: @daily
:END:
** System prompt
You edit the report. Ask *scout* for facts:
- never invent numbers
* Scout :agent:
:PROPERTIES:
:ID: scout
:TAGLINE: finds facts in the notes
:TOOLS: vfs_read
:END:
You find facts.
`
	walkBook = `* Mean of heights
:PROPERTIES:
:sig: mean(heights: list<f64>, label: string, rounded: bool, digits: s32, extra: option<string>) -> f64
:END:
#+begin_src json
[1]
#+end_src
`
	walkEvals = `* Says the total :eval:
:PROPERTIES:
:AGENT: scout
:TASK: what is the total
:END:
#+EXPECT: 1 240
* Refuses to guess :eval:
:PROPERTIES:
:AGENT: scout
:TASK: guess the total
:END:
#+EXPECT: no number
`
	walkTickets = `* TODO The chart has no legend :issue:
:PROPERTIES:
:ID: issue-3f2a
:CREATED: [2026-11-20 Fri 10:00]
:END:
Seen in *report.org*: nobody can tell the weeks apart.
`
)

// walkDir writes the files.
func walkDir(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{"team.org": walkTeam, "heights.org": walkBook,
		"evals.org": walkEvals + "* Scout :agent:\n:PROPERTIES:\n:ID: scout\n:TOOLS: vfs_read\n:END:\nYou find facts.\n", "issues.org": walkTickets,
		"notes.json": `{"total":1240,"weeks":[{"week":46,"kg":600},{"week":47,"kg":640}],"weighed_by":"Ada"}`, "notes.md": "# Notes\n\n- week 46: *600 kg*\n"} {
		write(t, filepath.Join(dir, name), text)
	}
	chart := image.NewRGBA(image.Rect(0, 0, 200, 80))
	for x := range 200 {
		for y := range 80 {
			chart.Set(x, y, color.RGBA{uint8(90 + y), 140, 220, 255})
		}
	}
	file, err := os.Create(filepath.Join(dir, "chart.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, chart); err != nil {
		t.Fatal(err)
	}
}

// walkModel is the model of the team.
func walkModel(r llmtest.Request) llmtest.Step {
	messages := r.Body["messages"].([]any)
	turn := 0
	for _, m := range messages {
		if m.(map[string]any)["role"] == "assistant" {
			turn++
		}
	}
	calls := func(tool string, args any, text string) llmtest.Step {
		b, _ := json.Marshal(args)
		return llmtest.Step{Text: text, Calls: []llmtest.Call{{Name: tool, Args: string(b)}}, In: 812, Out: 64}
	}
	if strings.Contains(fmt.Sprint(messages[0]), "You find facts") {
		switch turn {
		case 0:
			return calls("vfs_read", map[string]string{"path": "notes.json"}, "Let me look.")
		case 1:
			return calls("vfs_read", map[string]string{"path": "notes.md"}, "")
		}
		return llmtest.Step{Text: "The total is **1 240** kg, says `notes.json`.", In: 700, Out: 20}
	}
	switch turn {
	case 0:
		return calls("scout", map[string]string{"task": "What is the total harvest, and who weighed it?"}, "I ask scout for the numbers first.")
	case 1:
		return calls("vfs_read", map[string]string{"path": "chart.png"}, "")
	case 2:
		return calls("vfs_read", map[string]string{"path": "gone.txt"}, "")
	case 3:
		return calls("vfs_write", map[string]string{"path": "report.org", "content": "#+title: Harvest\n* Total\n1 240 kg, weighed by *Ada*.\n"}, "Now the report.")
	}
	return calls("done", map[string]string{"result": "# Harvest report\n\nThe total is **1 240 kg**.\n\n| week | kg |\n|---|---|\n| 46 | 600 |\n\nIt stands in `report.org`."}, "")
}

// walker is a person at a browser who looks at each page on a phone and a desk, by day
// and by night. What axe finds wrong with a page is an error.
type walker struct {
	*chromium.Page
	t    *testing.T
	base string
	axe  string
}

var walkViews = map[string]chromium.View{
	"phone": {Width: 390, Height: 844, Still: true}, "phone-dark": {Width: 390, Height: 844, Dark: true, Still: true},
	"desk": {Width: 1280, Height: 900, Still: true}, "desk-dark": {Width: 1280, Height: 900, Dark: true, Still: true},
}

func (w *walker) look(name string) {
	w.t.Helper()
	for kind, view := range walkViews {
		w.Look(view)
		if over := w.Overflow(); over > 0 {
			w.t.Errorf("%s (%s) is %v px too wide", name, kind, over)
		}
		if kind == "phone" || kind == "desk-dark" { // both widths, and both colours
			if found := w.Violations(w.axe); len(found) > 0 {
				w.t.Errorf("%s (%s): %s", name, kind, strings.Join(found, "\n"))
			}
		}
		w.Keep(name + "-" + kind)
	}
}

func (w *walker) to(path string) { w.t.Helper(); w.Navigate(w.base + path) }

// here is the path of the page.
func (w *walker) here() string { w.t.Helper(); return w.Text("location.pathname") }

// ended waits for a run to end.
func (w *walker) ended(word string) {
	w.t.Helper()
	w.Wait(fmt.Sprintf(`document.querySelector("#status") && document.querySelector("#status").textContent === %q`, word))
}

// says wants a text on the page.
func (w *walker) says(words ...string) {
	w.t.Helper()
	for _, want := range words { // the browser may still be reading the page
		w.Wait(fmt.Sprintf("document.body.textContent.includes(%q)", want))
	}
}

// A person starts an agent from its form, allows what it asks for, follows it, unfolds
// what it did, reads what its model saw, forks it, denies, compares the two, replays,
// fills in a workbook's form wrongly, has cases tried out, and finds everything again.
func TestWalk(t *testing.T) {
	axe := chromium.NeedAxe(t)
	browser := chromium.Start(t)
	b := newBench(t, walkModel, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Token = "" // nobody is there to type one
		plain := c.Runtime
		c.Runtime = func(t api.Tenant) *host.Runtime {
			rt := plain(t)
			rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{"vfs_write"}}}
			return rt
		}
	})
	walkDir(t, b.config.Tenants[0].Dir)
	w := &walker{browser.Open(t, b.http.URL+"/"), t, b.http.URL, axe}
	w.look("empty")

	// start, by keyboard
	w.to("/new")
	w.says("Editor", "writes and checks the weekly report", "heights.org")
	w.look("new")
	w.Eval(`[...document.querySelectorAll(".offers a")].find((a) => a.textContent === "Editor").focus()`)
	w.Key("Enter")
	w.Wait(`document.querySelector("#task") !== null`)
	w.look("agent")
	w.Type("#task", "Write this week's harvest report")
	w.Eval(`document.querySelector(".form .go").focus()`)
	w.Key("Enter")

	// follow and approve
	w.Wait(`document.querySelector(".status.waiting") !== null && document.querySelector("button[value=allow]") !== null`)
	w.look("waiting")
	run := w.here()
	w.to("/?status=waiting")
	w.Wait(`document.querySelectorAll(".runs tbody tr").length === 1`)
	w.to(run)
	w.Click("button[value=allow]")
	w.ended("done")
	w.says("allowed by page", "Harvest report")
	if n := w.Eval(`document.querySelectorAll(".trail .call").length`); n != 7.0 {
		t.Errorf("%v calls are shown, not each once", n)
	}
	if n := w.Eval(`document.querySelectorAll(".kids .call").length`); n != 2.0 {
		t.Errorf("%v calls stand below scout's", n)
	}
	w.look("run")
	w.Eval(`document.querySelector(".trail .call summary").focus()`)
	w.Key("Enter")
	w.Wait(`document.querySelector(".trail .call .row[open] .body").offsetHeight > 0`)
	w.Click("[data-fold=open]")
	w.Eval(`for (const d of document.querySelectorAll(".files details")) d.open = true`)
	w.Eval(`document.querySelector(".body img").scrollIntoView()`)
	w.Wait(`document.querySelector(".body img").naturalWidth === 200`)
	w.says("no such file: gone.txt", `"weighed_by": "Ada"`, "+* Total")
	w.look("open")

	// what the model saw
	w.Click(`a[href$="/turn/3"]`)
	w.Wait(`document.querySelectorAll(".messages > li").length === 7`)
	w.Wait(`document.querySelector(".messages img").naturalWidth === 200`)
	w.says("You edit the report", "chart.png is a picture", "Tools it was offered")
	w.look("turn")

	// fork, deny, compare, replay
	w.to(run)
	w.Eval(`document.querySelector("#fork-3").click()`)
	w.Wait(fmt.Sprintf(`location.pathname !== %q && document.querySelector("button[value=deny]") !== null`, run))
	w.says("Forked from", "at turn 3")
	w.Click("button[value=deny]")
	w.ended("done")
	fork := w.here()
	w.to("/")
	w.look("list")
	for _, id := range []string{run, fork} {
		w.Click("#pick-" + strings.TrimPrefix(id, "/run/"))
	}
	w.Click("#compare")
	w.Wait(`document.querySelector(".steps .removed") !== null`)
	w.says("Both gave the same result", "approval denied", "vfs_write")
	w.look("compare")
	w.to(run)
	w.Click("#replay")
	w.Wait(`document.querySelector("#verdict") !== null`)
	w.says("does the same")
	w.look("replay")

	// a workbook's form
	w.to("/new?workbook=heights.org")
	w.look("form")
	w.Eval(`document.querySelector(".form").noValidate = true`)
	w.Type("#in-heights", "1.5\nhello")
	w.Type("#in-digits", "2.5")
	w.Click(".form .go")
	w.Wait(`document.querySelector("[aria-invalid]") !== null`)
	w.says("2.5 is not a whole number", `line 2: "hello" is not a number`)
	w.look("wrong")

	// the boards
	w.to("/schedules")
	w.says("team.org#editor", "@daily")
	w.look("schedules")
	w.to("/tickets")
	w.says("The chart has no legend")
	w.look("tickets")
	w.to("/evals")
	w.Click(".suite button")
	w.Wait(`document.querySelector(".scores") !== null`)
	w.says("1 of 2", `the result has no "no number"`)
	w.look("evals")

	w.to("/?q=harvest&status=done")
	w.Wait(`document.querySelectorAll(".runs tbody tr").length === 2`)
	w.to("/?q=nothing+like+it")
	w.says("No run is like that")

	w.to("/no/such/page")
	w.says("There is no page here", "/no/such/page")
	w.look("missing")

	// the server goes away
	w.to("/")
	b.stop()
	w.Wait(`!document.querySelector("#away").hidden`)
	for _, trouble := range w.Troubles() {
		// the wrong form, the page that is not there, and the server that left
		if !strings.Contains(trouble, "422") && !strings.HasSuffix(trouble, "/no/such/page") && !strings.Contains(trouble, "net::ERR") {
			t.Errorf("a page complains: %s", trouble)
		}
	}
}
