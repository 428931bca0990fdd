package workbook

import (
	"context"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/sandbox"
	"wb/workbook/format"
	"wb/workbook/lint"
	"wb/workbook/plan"
	"wb/workbook/run"
)

// The types of the phases, under the names that callers know.
type (
	AgentAnswer     = run.AgentAnswer
	AgentTask       = run.AgentTask
	Agents          = run.Agents
	Authority       = run.Authority
	Book            = run.Book
	Checks          = run.Checks
	Inputs          = run.Inputs
	Listeners       = run.Listeners
	Selection       = run.Selection
	Venue           = run.Venue
	Writing         = run.Writing
	AskedLimit      = run.AskedLimit
	Cache           = run.Cache
	Component       = plan.Component
	ComponentLimits = run.ComponentLimits
	Digests         = run.Digests
	DockRequest     = run.DockRequest
	Docks           = run.Docks
	Begun           = run.Begun
	Done            = run.Done
	ExitError       = run.ExitError
	Explanation     = run.Explanation
	Feed            = run.Feed
	Input           = plan.Input
	LintOptions     = lint.Options
	NotFoundError   = run.NotFoundError
	Offprint        = run.Offprint
	OffprintInput   = run.OffprintInput
	Options         = run.Options
	Placement       = plan.Placement
	Plan            = plan.Plan
	PlanError       = run.PlanError
	PlanShape       = plan.PlanShape
	Printed         = run.Printed
	QueryOptions    = run.QueryOptions
	Report          = run.Report
	Schedule        = plan.Schedule
	Signature       = plan.Signature
	Status          = run.Status
	Tiers           = run.Tiers
	Where           = plan.Where
	World           = plan.World
)

// The words of the phases.
const (
	AtCaller        = plan.AtCaller
	AtWorkers       = plan.AtWorkers
	DialectBabel    = plan.DialectBabel
	KindBlock       = plan.KindBlock
	KindCall        = plan.KindCall
	KindData        = plan.KindData
	KindInline      = plan.KindInline
	KindInlineCall  = plan.KindInlineCall
	LangAgent       = plan.LangAgent
	StatusBlocked   = run.StatusBlocked
	StatusCached    = run.StatusCached
	StatusCancelled = run.StatusCancelled
	StatusData      = run.StatusData
	StatusFailed    = run.StatusFailed
	StatusOK        = run.StatusOK
	StatusSkipped   = run.StatusSkipped
	WriteAll        = run.WriteAll
	WriteFiles      = run.WriteFiles
	WriteNothing    = run.WriteNothing
)

// Tables of the phases.
var (
	AgentArguments = plan.AgentArguments
)

// Asks lists what the components of a document ask for, as they write it,
// sorted.
func Asks(p *Plan) []string { return run.Asks(p) }

// BookAt is a workbook whose outcomes are kept beside it. A nil source reads the file.
func BookAt(file string, source []byte, lanes *compile.Registry) Book {
	return run.BookAt(file, source, lanes)
}

// CacheBeside is the cache of a workbook: .wb in its directory.
func CacheBeside(file string) *Cache { return run.CacheBeside(file) }

// Capabilities lists what :uses may ask for, sorted.
func Capabilities() []string { return plan.Capabilities() }

// Capability is the name of what :uses asks for: workbook:llm/complete, llm
// and llm:model all name llm.
func Capability(use string) string { return plan.Capability(use) }

// CheckUpgrade compares the outside of two versions of a workbook: what was
// there and is gone breaks its users, what it newly asks for they should know.
// Bodies may change freely, and so may anything that only grows.
func CheckUpgrade(old, new *Plan) []diag.Finding { return plan.CheckUpgrade(old, new) }

// ExecShapes lists the words that :exec knows, sorted.
func ExecShapes() []string { return plan.ExecShapes() }

// Explain finds out whether a run with these options would execute a component,
// and for which reason, without executing anything.
func Explain(ctx context.Context, opts Options, id string) (*Explanation, error) {
	return run.Explain(ctx, opts, id)
}

// ExplainIn is Explain for those who ask about many components: p is the plan of
// the workbook.
func ExplainIn(ctx context.Context, p *Plan, opts Options, id string) (*Explanation, error) {
	return run.ExplainIn(ctx, p, opts, id)
}

// ExplainLimits says what each component of a workbook may use with these options,
// and runs nothing.
func ExplainLimits(ctx context.Context, opts Options) ([]ComponentLimits, error) {
	return run.ExplainLimits(ctx, opts)
}

// Exported is the document as its readers are to see it: :exports says of each
// block, call and piece of code in running text whether its code, its results,
// both or none are shown, as in Emacs, and :noweb whether references in the
// code are filled in. Results are those that stand in the document; nothing
// runs. Sections that Emacs does not export (COMMENT, :ARCHIVE:) stay as they
// are, for the exporter to leave out.
func Exported(ctx context.Context, file string, src []byte) ([]byte, error) {
	return run.Exported(ctx, file, src)
}

// Exports are the edits that make of a document what its readers are to see,
// as [Exported] describes it; they do not overlap. Macros, {{{results(…)}}}
// among them, are left to be expanded.
func Exports(ctx context.Context, p *Plan) []org.Edit { return run.Exports(ctx, p) }

// LimitNames are the limits that ParseLimits knows.
func LimitNames() []string { return run.LimitNames() }

// LintPlan checks a workbook without running it and returns what it found in
// source order. Errors are mistakes that make a run, a tangle or a site wrong;
// warnings are things that Org silently reads differently from what stands
// there. Every diagnostic has a code that names the check.
func LintPlan(p *Plan, opts LintOptions) []diag.Finding { return lint.Plan(p, opts) }

// Map runs one component over many inputs, several at once, and returns what
// each gave, in order. What the component needs otherwise runs first, once. An
// input is the component's only input; where it has several, an object with a
// member for each that is to be set. One input's failure is its own.
func Map(ctx context.Context, opts Options, id string, inputs []value.Value) ([]run.Mapped, error) {
	return run.Map(ctx, opts, id, inputs)
}

// WriteIf is WriteAll or WriteNothing.
func WriteIf(allowed bool) Writing { return run.WriteIf(allowed) }

// NewPlan reads a workbook and finds out how its components hang together.
// file is the name positions carry. It never fails: what is wrong stands in
// Problems.
func NewPlan(file string, src []byte) *Plan { return plan.New(file, src) }

// NotText finds the first byte of a file that no text has: a NUL, or one that
// is not UTF-8. Emacs opens such a file as well, but guesses what the bytes mean,
// and pages, manifests and hashes of it would differ from what it shows.
func NotText(file string, src []byte) (found diag.Finding, bad bool) { return plan.NotText(file, src) }

// Offprints lays out every component that is run, in document order. Nothing is
// executed, but blocks whose program is not kept are compiled.
func Offprints(ctx context.Context, book Book) ([]Offprint, error) {
	return run.Offprints(ctx, book)
}

// ParseLimits reads timeout=60s,memory=512MiB,fuel=1e11,output=64MiB.
func ParseLimits(text string) (l sandbox.Limits, err error) { return run.ParseLimits(text) }

// ParseReference reads a reference as org-babel-ref-resolve does.
func ParseReference(text string) plan.Reference { return plan.ParseReference(text) }

// Placements foretells where the programs of a plan run when a run has workers, in
// document order.
func Placements(p *Plan, may Authority, at Venue) []plan.Placement { return run.Placements(p, may, at) }

// PlanDocument is NewPlan for a workbook that is parsed already.
func PlanDocument(file string, doc *org.Document) *Plan { return plan.Of(file, doc) }

// ProfileHolds lists the capabilities of a profile, nil for one that is not
// there.
func ProfileHolds(profile string) []string { return plan.ProfileHolds(profile) }

// Profiles lists the profiles, sorted; ProfileHolds says what each holds.
func Profiles() []string { return plan.Profiles() }

// ProgramDigest names what a document does: the code of its components, how they
// are wired and what they ask for, in hex. Prose and results do not change it.
func ProgramDigest(p *Plan) string { return run.ProgramDigest(p) }

// RefreshQueries returns the text of a file with its query blocks answered, and
// notes on those that could not be. Such blocks, and everything else, stay as
// they are.
func RefreshQueries(ctx context.Context, path string, src []byte, opts QueryOptions) ([]byte, []format.Note, error) {
	return run.RefreshQueries(ctx, path, src, opts)
}

// Resolve returns what a reference stands for in a workbook, such as totals,
// totals(n=4) or totals[0,1]: it runs the component named and what that needs.
// The file stays as it is. Tangling asks it for <<totals()>> and :var x=totals.
func Resolve(ctx context.Context, opts Options, expr string) (value.Value, error) {
	return run.Resolve(ctx, opts, expr)
}

// Run runs a workbook: every component whose source, inputs, toolchain,
// profile or capabilities changed since its kept result was made, in parallel
// as the plan allows, and writes the results into the file.
func Run(ctx context.Context, opts Options) (*Report, error) { return run.Run(ctx, opts) }

// Slug makes an identifier of a title: lower case, runs of anything but
// letters and digits become one "-".
func Slug(title string) string { return plan.Slug(title) }

// ThirdParty reports whether a document says that a third party wrote it.
func ThirdParty(doc *org.Document) bool {
	_, is := plan.ThirdParty(doc)
	return is
}
