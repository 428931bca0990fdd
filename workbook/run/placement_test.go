package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"wb/sandbox/dock"
	"wb/workbook/plan"
)

// TestPlacements foretells what travels under the grants of a run.
func TestPlacements(t *testing.T) {
	const text = `#+NAME: free
#+begin_src js :var v=table
return 1
#+end_src

#+NAME: kept
#+begin_src js :session s
1
#+end_src

#+NAME: timed
#+begin_src js :uses clock
return 1
#+end_src

#+NAME: asks
#+begin_src js :uses workbook:net :uses kv
return 1
#+end_src

#+NAME: table
| 1 |

#+NAME: never
#+begin_src js :eval no
return 1
#+end_src

#+NAME: called
#+CALL: asks()
`
	docks := func(context.Context, DockRequest) *dock.Dock { return nil }
	for _, c := range []struct {
		name, head string
		opts       Options
		want       []string
	}{
		{"no grants", "", Options{Authority: Authority{Docks: docks}}, []string{"free workers", "kept caller its session", "timed workers", "asks workers", "table none", "never none :eval no", "called workers"}},
		{"grants", "", Options{Authority: Authority{Docks: docks, Grants: []string{"clock", "net:api.example.com"}}},
			[]string{"free workers", "kept caller its session", "timed caller it reads the clock", "asks caller it was granted net,", "table none", "never none", "called caller it was granted net,"}},
		{"profile", "", Options{Authority: Authority{Docks: docks, Profile: "minimal"}}, []string{"free workers", "kept caller", "timed workers", "asks caller it was granted kv,"}},
		{"nothing serves", "", Options{Authority: Authority{Grants: []string{"kv"}}}, []string{"free workers", "kept caller", "timed workers", "asks workers"}},
		{"third party", "#+TRUST: third-party\n\n", Options{}, []string{"free caller a third-party document runs in the tier process", "kept caller a third-party", "timed caller", "asks caller", "table none"}},
		{"third party sent away", "#+TRUST: third-party\n\n", Options{Venue: Venue{TrustTier: tierNode}}, []string{"free workers", "kept caller its session"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			placed := Placements(plan.New("a.org", []byte(c.head+text)), c.opts.Authority, c.opts.Venue)
			for _, want := range c.want {
				id, rest, _ := strings.Cut(want, " ")
				i := slices.IndexFunc(placed, func(p plan.Placement) bool { return p.Component == id || strings.HasSuffix(p.Component, "/"+id) })
				if i < 0 {
					t.Fatalf("no %s in %v", id, placed)
				}
				if got := string(placed[i].Where) + " " + placed[i].Why; !strings.HasPrefix(got, rest) {
					t.Errorf("%s: %s, want %s", id, got, rest)
				}
			}
		})
	}
}
