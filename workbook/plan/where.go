package plan

// Where is at which end of a fabric a program runs.
type Where string

// The ends, and neither of them.
const (
	AtWorkers Where = "workers"
	AtCaller  Where = "caller"
	AtNeither Where = "none" // nothing of it runs
)

// Placement says where a component's program runs in a run that has workers,
// and why not at them.
type Placement struct {
	Component string `json:"component"`
	Where     Where  `json:"where"`
	Why       string `json:"why,omitempty"`
}
