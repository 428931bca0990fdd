package rebuild

import (
	"testing"

	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/publish/page"
	"wb/workbook"
)

// TestCheck changes one thing at a time in what is said of a component.
func TestCheck(t *testing.T) {
	plan := workbook.NewPlan("a.org", []byte("#+name: sum\n#+begin_src js :var t=1\nreturn t\n#+end_src\n"))
	happened := page.Fact{ID: "sum", Lang: "js", Source: "aa", Inputs: map[string]string{"t": "bb"}, Result: "cc", Tools: "js/3", Fuel: 7, Kept: true}
	said := func(change func(predicate, subject map[string]any)) statement {
		all := page.Statements(plan, "a.org", map[string]page.Fact{"sum": happened})
		if len(all) != 1 {
			t.Fatalf("%d statements", len(all))
		}
		predicate := all[0].Data["predicate"].(map[string]any)
		predicate["fuel"] = 7.0 // as JSON has it
		change(predicate, all[0].Data["subject"].([]any)[0].(map[string]any))
		return statements(all)[0]
	}
	set := func(name string, value any) statement {
		return said(func(predicate, _ map[string]any) { predicate[name] = value })
	}
	for _, c := range []struct {
		name string
		said statement
		want fault.Code
	}{
		{"as it happened", said(func(_, _ map[string]any) {}), ""},
		{"another source", set("source_sha256", "00"), fault.StatementSubject},
		{"another input", set("inputs_sha256", map[string]any{"t": "00"}), fault.RebuildDiffers},
		{"an input by another name", set("inputs_sha256", map[string]any{"u": "bb"}), fault.RebuildDiffers},
		{"one input more", set("inputs_sha256", map[string]any{"t": "bb", "u": "bb"}), fault.RebuildDiffers},
		{"no input", set("inputs_sha256", map[string]any{}), fault.RebuildDiffers},
		{"inputs of another type", set("inputs_sha256", "bb"), fault.RebuildDiffers},
		{"another result", set("output_sha256", "00"), fault.RebuildDiffers},
		{"less fuel", set("fuel", 1.0), fault.RebuildDiffers},
		{"another profile", set("profile", "network"), fault.RebuildDiffers},
		{"another toolchain, which may use other fuel", said(func(p, _ map[string]any) { p["toolchain"], p["fuel"] = "js/2", 1.0 }), ""},
		{"another toolchain with another result", said(func(p, _ map[string]any) { p["toolchain"], p["output_sha256"] = "js/2", "00" }), fault.RebuildDiffers},
		{"nothing", statements([]manifest.Assertion{{Label: page.StatementLabel, Data: map[string]any{}}})[0], fault.StatementSubject},
	} {
		if err := c.said.check(happened, "a.org"); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
