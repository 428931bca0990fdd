package page

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/manifest"
	"wb/workbook"
)

// Fact records how a component's result came to be.
type Fact struct {
	ID      string
	Lang    string
	Pos     diag.Position
	Source  string            // sha256 of code, arguments and shape
	Inputs  map[string]string // sha256 of each input's value, by its name
	Result  string            // sha256 of the value as JSON, "" when nothing is kept
	Tools   string            // lane and compiler, with its digest
	Profile string            // what it may do: "compute" is nothing but compute
	Caps    []string          // the capabilities it had
	Fuel    int64             // units used
	Memory  int64             // bytes, at most
	Kept    bool              // a result made from exactly this source is known

	// From the events of the run that wrote the result; zero without them.
	Run      string        // its id
	When     time.Time     // when the component ended
	Duration time.Duration // how long it took when it was executed
	Cache    string        // "hit", "miss" or why nothing was kept
}

// Facts asks the cache what it knows about the components of a workbook.
// Nothing runs. A component whose source changed since it ran has no Kept
// result.
func Facts(ctx context.Context, book workbook.Book) (map[string]Fact, error) {
	plan := workbook.NewPlan(book.File, book.Source)
	facts := map[string]Fact{}
	for _, c := range plan.Components {
		if c.Kind == workbook.KindData {
			continue
		}
		f := Fact{ID: c.ID, Lang: c.Lang, Pos: c.Pos}
		e, err := workbook.ExplainIn(ctx, plan, workbook.Options{Book: book}, c.ID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // no run gets to it: it is shown as source
			facts[c.ID] = f
			continue
		}
		if e.Now != nil {
			f.Source, f.Inputs, f.Tools, f.Profile, f.Caps = e.Now.Source, e.Now.Inputs, toolchain(e.Now.Toolchain), e.Now.Profile, e.Now.Caps
		}
		if e.Kept != nil && !e.WouldRun {
			text, err := e.Kept.Value.MarshalJSON()
			if err != nil {
				return nil, err
			}
			f.Kept, f.Fuel, f.Memory, f.Result = true, e.Kept.Fuel, e.Kept.Memory, manifest.SHA256(text)
		}
		facts[c.ID] = f
	}
	return facts, nil
}

// longestTools is how much of a toolchain's description a statement spells out.
const longestTools = 160

// toolchain names a lane and its compiler. Some lanes describe themselves by the
// whole program that they run in the interpreter, of which a digest says as much.
func toolchain(described string) string {
	if len(described) <= longestTools {
		return described
	}
	name := described[:40]
	return name[:strings.LastIndexByte(name, '/')+1] + manifest.SHA256([]byte(described))
}

// AddEvents adds to facts what the events of a run say: when and by which run
// a result was written, how long it took, whether it was executed then or kept
// from before. A duration is that of the execution, so for a kept result it
// comes from the run that executed it, when its events are still there.
func AddEvents(facts map[string]Fact, events []trace.Event) {
	for _, e := range events {
		f, ok := facts[e.Component]
		if !ok {
			continue
		}
		switch e.Kind {
		case trace.KindComponentEnd:
			if e.Error != "" || e.Exit != nil && *e.Exit != 0 {
				continue
			}
			f.Run, f.When, f.Cache = e.Run, e.Time, e.Cache
			if e.Cache != "hit" && e.Duration > 0 {
				f.Duration = e.Duration
			}
		case trace.KindCacheHit:
			f.Run, f.When, f.Cache = e.Run, e.Time, "hit"
		default:
			continue
		}
		facts[e.Component] = f
	}
}

// StatementLabel is the label of the assertion about one component.
const StatementLabel = "workbooks.component"

// Statements are the facts as in-toto statements, for a page's manifest: the
// subject is the component's result, the predicate says what it was made from.
func Statements(plan *workbook.Plan, source string, facts map[string]Fact) []manifest.Assertion {
	var out []manifest.Assertion
	for _, c := range plan.Components {
		f := facts[c.ID]
		if !f.Kept {
			continue
		}
		profile := f.Profile
		if profile == "" {
			profile = "compute"
		}
		inputs := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(f.Inputs)) {
			inputs[name] = f.Inputs[name]
		}
		predicate := map[string]any{"workbook": source, "language": c.Lang, "source_sha256": f.Source, "inputs_sha256": inputs, "toolchain": f.Tools,
			"profile": profile, "fuel": f.Fuel, "memory": f.Memory, "output_sha256": f.Result}
		if len(f.Caps) > 0 {
			caps := make([]any, len(f.Caps))
			for i, name := range f.Caps {
				caps[i] = name
			}
			predicate["capabilities"] = caps
		}
		out = append(out, manifest.Assertion{Label: StatementLabel, Data: map[string]any{
			"_type":         "https://in-toto.io/Statement/v1",
			"subject":       []any{map[string]any{"name": c.ID, "digest": map[string]any{"sha256": f.Result}}},
			"predicateType": "urn:workbooks:component:v1",
			"predicate":     predicate,
		}})
	}
	return out
}
