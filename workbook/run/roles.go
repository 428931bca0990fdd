package run

// One runner is shared by all that a run does. Its own methods decide what runs
// and when; the rest is done by three roles, each of which sees the runner and has
// methods of its own.
type (
	// binder makes programs of components: inputs, expanded source, grants.
	binder struct{ *runner }
	// executor brings about outcomes: from the cache, the sandbox or an agent.
	executor struct{ *runner }
	// recorder puts results into the document and keeps those that stand there.
	recorder struct{ *runner }
)

func binding(r *runner) binder     { return binder{r} }
func executing(r *runner) executor { return executor{r} }
func recording(r *runner) recorder { return recorder{r} }
