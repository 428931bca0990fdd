package page

import (
	"context"

	"wb/publish/manifest"
	"wb/workbook"
)

// Facts asks the cache what it knows about the components of a workbook.
// Nothing runs. A component whose source changed since it ran has no Kept
// result.
func Facts(ctx context.Context, opts workbook.Options) (map[string]Fact, error) {
	plan := workbook.NewPlan(opts.File, opts.Source)
	facts := map[string]Fact{}
	for _, c := range plan.Components {
		if c.Kind == workbook.KindData {
			continue
		}
		f := Fact{ID: c.ID, Lang: c.Lang, Pos: c.Pos}
		e, err := workbook.Explain(ctx, opts, c.ID)
		if err != nil {
			return nil, err
		}
		if e.Now != nil {
			f.Source, f.Tools = e.Now.Source, e.Now.Toolchain
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
		out = append(out, manifest.Assertion{Label: StatementLabel, Data: map[string]any{
			"_type":         "https://in-toto.io/Statement/v1",
			"subject":       []any{map[string]any{"name": c.ID, "digest": map[string]any{"sha256": f.Result}}},
			"predicateType": "urn:workbooks:component:v1",
			"predicate": map[string]any{"workbook": source, "language": c.Lang, "source_sha256": f.Source, "toolchain": f.Tools,
				"profile": "compute", "fuel": f.Fuel, "memory": f.Memory},
		}})
	}
	return out
}
