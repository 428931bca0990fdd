package agent_test

import (
	"testing"

	"wb/agent"
	"wb/org"
)

// What agents that stay are told by their headline.
func TestKeptDefinitions(t *testing.T) {
	const text = `* Morning :agent:
SCHEDULED: <2026-06-06 Sat 07:00 +1d>
:PROPERTIES:
:ID: morning
:MISSED: skip
:BUDGET_DAY_USD: 0.5
:BUDGET_MONTH_TOKENS: 100_000
:BUDGET_TOTAL_TOKENS: 1000000
:END:
You wake.
* Paused :agent:
SCHEDULED: [2026-06-06 Sat]
You sleep.
* Both :agent:
SCHEDULED: <2026-06-06 Sat>
:PROPERTIES:
:SCHEDULE: @daily
:END:
You do.
* Broken :agent:
:PROPERTIES:
:MISSED: perhaps
:END:
`
	all, found := agent.Definitions(org.Parse([]byte(text)), "a.org")
	if len(all) != 3 || len(found) == 0 {
		t.Fatalf("%d agents, %v", len(all), found)
	}
	for i, want := range []string{"2026-06-06T07:00 +1d", "", "@daily"} {
		if all[i].Schedule != want {
			t.Errorf("%s has the schedule %q, want %q", all[i].ID, all[i].Schedule, want)
		}
	}
	if d := all[0]; !d.SkipMissed || d.Allowance != (agent.Allowance{Day: agent.Bounds{USD: 0.5}, Month: agent.Bounds{Tokens: 100_000}, Total: agent.Bounds{Tokens: 1_000_000}}) {
		t.Errorf("%+v", d)
	}
}
