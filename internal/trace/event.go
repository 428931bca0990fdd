package trace

import (
	"encoding/json"
	"time"
)

// Kind says what an event reports. It is the tag of the event's headline.
type Kind string

// The kinds of event, in the order a run produces them.
const (
	KindRun            Kind = "run"             // the header of a run
	KindComponentStart Kind = "component_start" // a component begins
	KindComponentEnd   Kind = "component_end"   // a component ended, well or not
	KindCacheHit       Kind = "cache_hit"       // a component's kept result was used
	KindCompile        Kind = "compile"         // a block was compiled
	KindModelTurn      Kind = "model_turn"      // a model answered
	KindToolCall       Kind = "tool_call"       // a tool was called by a model
	KindDenial         Kind = "denial"          // a capability was refused
	KindRetry          Kind = "retry"           // something is tried again
	KindApproval       Kind = "approval"        // a person was asked, or answered
	KindLog            Kind = "log"             // a message
	KindArtifact       Kind = "artifact"        // a file was made
	KindError          Kind = "error"           // something failed outside a component or tool
	KindResult         Kind = "result"          // the end of a run
)

// Kinds lists every kind.
var Kinds = []Kind{KindRun, KindComponentStart, KindComponentEnd, KindCacheHit, KindCompile, KindModelTurn, KindToolCall,
	KindDenial, KindRetry, KindApproval, KindLog, KindArtifact, KindError, KindResult}

// timed reports whether events of the kind always carry a duration.
func (k Kind) timed() bool {
	switch k {
	case KindComponentEnd, KindCompile, KindModelTurn, KindToolCall, KindResult:
		return true
	}
	return false
}

// Event is one thing that happened in a run. A zero field does not apply and
// is not written.
type Event struct {
	Run  string // id of the run; [Run] fills it in
	Call int    // position in the run, from 0; [Run] fills it in
	Kind Kind   // what happened
	// RootRun is the outermost and first run that this belongs to, where runs
	// start or resume runs; InnerRun is the run inside Run that it happened in.
	RootRun, InnerRun string
	Session           string    // the caller's label for runs that belong together
	Time              time.Time // when it ended; [Run] fills it in when zero

	Step      int    // the model turn an agent is in, from 1; 0 outside agents
	Agent     string // id of the agent
	Component string // id of the component
	Lang      string // language of the component
	Profile   string // the profile it ran under
	Tool      string // the tool that was called, or what was denied or retried
	Model     string // the model that answered
	Path      string // the artifact's path

	// Args are the call's arguments as JSON.
	Args json.RawMessage
	// ArgsSHA256 names the blob with the whole arguments when Args is abridged.
	ArgsSHA256 string

	Cache    string        // "hit", "miss" or why nothing was cached
	Exit     *int          // exit code, see [Exit]; nil when there is none
	Error    string        // what went wrong, one line
	Status   string        // how the run or the approval ended: "ok", "failed", "done", …
	Duration time.Duration // how long it took
	Fuel     int64         // fuel spent in the sandbox
	Usage    Usage         // what the model charged

	// Output is the whole text that came out. Views write an excerpt of it.
	Output string
	// OutputSHA256 is the digest of the whole output, in hex. It names a blob
	// when the excerpt does not say it all.
	OutputSHA256 string

	// Workbook, SourceSHA256 and ParentRun describe a run (KindRun only).
	Workbook     string
	SourceSHA256 string
	ParentRun    string

	// Incomplete says that some view of the run could not be written
	// (KindResult only).
	Incomplete bool

	// lined says that Args has been through jsonLine.
	lined bool

	// Props are further properties, for kinds that need them. Names are upper
	// case letters, digits, - and _.
	Props []Prop
}

// Prop is one further property of an event.
type Prop struct{ Name, Value string }

// The properties of the end of a component, besides its duration.
const (
	PropQueued = "QUEUED_MS" // how long it waited for its turn, in milliseconds
	PropStderr = "STDERR"    // what a program that succeeded wrote to standard error
)

// Usage is the consumption of model calls: tokens and United States dollars.
type Usage struct {
	TokensIn     int64   `json:"tokens_in"`
	TokensOut    int64   `json:"tokens_out"`
	TokensCached int64   `json:"tokens_cached,omitempty"`
	CostUSD      float64 `json:"cost_usd,omitempty"`
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.TokensIn + v.TokensIn, u.TokensOut + v.TokensOut, u.TokensCached + v.TokensCached, u.CostUSD + v.CostUSD}
}

// Exit makes an exit code for an [Event].
func Exit(code int) *int { return &code }

// Failed reports whether the event says that something went wrong.
func (e *Event) Failed() bool {
	return e.Error != "" || e.Exit != nil && *e.Exit != 0 || e.Kind == KindError || e.Kind == KindDenial
}

// A Sink takes events. Emit must not keep the event's slices after it returns
// and must be safe for concurrent use. An error says that this view of the run
// is incomplete; the run goes on.
type Sink interface {
	Emit(Event) error
}

// SinkFunc is a function as a [Sink].
type SinkFunc func(Event) error

// Emit calls the function.
func (f SinkFunc) Emit(e Event) error { return f(e) }

// Discard drops every event.
var Discard Sink = SinkFunc(func(Event) error { return nil })
