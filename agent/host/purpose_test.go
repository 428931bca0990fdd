package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
)

const crafts = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: note chart
:END:
You draw.
* Note
:PROPERTIES:
:in: text
:out: note
:SILENT: t
:END:
#+begin_src js
export const note = text => text
#+end_src
* Chart
:PROPERTIES:
:in: title
:out: chart
:ARTIFACT: chart
:END:
#+begin_src js
export const chart = title => ({ title, bars: [1, 2, 3] })
#+end_src
`

// A component of the document may be a silent tool, after which nothing is asked, and
// its result a thing for the caller, which the model does not read.
func TestPurposes(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "quickjs")
	for _, c := range []struct {
		name, tool, args, status, result string
		artifacts                        int
	}{
		{"silent", "note", `{"text":"milk"}`, agent.StatusSilent, "", 0},
		{"artifact", "chart", `{"title":"Sales"}`, agent.StatusText, "here it is", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt, dir, server := bench(t, llmtest.Step{Calls: []llmtest.Call{{Name: c.tool, Args: c.args}}, In: 1, Out: 1}, llmtest.Step{Text: "here it is"})
			writeTeam(t, dir, crafts)
			r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "go"})
			if err != nil || r.Status != c.status || r.Result != c.result || r.ExitCode() != 0 || len(r.Artifacts) != c.artifacts {
				t.Fatalf("%+v %v", r, err)
			}
			if c.artifacts == 0 {
				return
			}
			if a := r.Artifacts[0]; a.Kind != "chart" || !strings.Contains(string(a.Data), `"bars":[1,2,3]`) {
				t.Errorf("%+v", a)
			}
			if requests := server.Requests(); !strings.HasPrefix(requests[1].Outputs()[0], "made: chart (") {
				t.Errorf("the model reads %q", requests[1].Outputs()[0])
			}
		})
	}
}
