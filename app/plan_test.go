package app

import (
	"strings"
	"testing"

	"wb/workbook"
)

// A person is told what would stay with the caller, and why.
func TestPlanText(t *testing.T) {
	p := workbook.NewPlan("a.org", []byte("#+NAME: free\n#+begin_src js\n1\n#+end_src\n\n#+NAME: kept\n#+begin_src js :session s :var x=free\n1\n#+end_src\n"))
	var out strings.Builder
	if err := (&PlanOut{Plan: p, Placed: workbook.Placements(p, workbook.Authority{}, workbook.Venue{})}).text(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"free", "kept", "with workers (wb run --workers N): 1 program there, 1 here"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("%q, want %s", lines[i], want)
		}
	}
	if !strings.HasSuffix(lines[1], "← x=free  (stays with the caller: its session lives here)") {
		t.Errorf("%q", lines[1])
	}
}
