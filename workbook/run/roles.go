package run

// One runner is shared by all that a run does. Its own methods decide what runs
// and when; the rest is done by roles, each of which sees the runner and has
// methods of its own.
type (
	// binder makes programs of components: inputs, expanded source, grants.
	binder struct{ *runner }
	// executor brings about outcomes: from the cache, the sandbox or an agent.
	executor struct{ *runner }
	// recorder puts results into the document and keeps those that stand there.
	recorder struct{ *runner }
	// placer settles how far from this process programs run, and opens that place.
	placer struct{ *runner }
	// teller lets listeners hear of the run, one call at a time.
	teller struct{ *runner }
)

func binding(r *runner) binder     { return binder{r} }
func executing(r *runner) executor { return executor{r} }
func recording(r *runner) recorder { return recorder{r} }
func placing(r *runner) placer     { return placer{r} }
func telling(r *runner) teller     { return teller{r} }
