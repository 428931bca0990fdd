package babel

import (
	"slices"
	"strings"
	"testing"
)

// TestArguments holds each row of the table to being complete.
func TestArguments(t *testing.T) {
	for _, a := range Arguments {
		switch {
		case a.Name == "" || a.Name != strings.ToLower(a.Name):
			t.Errorf("%q is not a name", a.Name)
		case !strings.HasSuffix(a.Doc, "."):
			t.Errorf(":%s has no sentence: %q", a.Name, a.Doc)
		case a.Acts == 0:
			t.Errorf(":%s is read by nothing", a.Name)
		}
	}
	names := Names()
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name stands twice in %q", names)
	}
	if a, ok := Lookup(":VAR+"); !ok || a.Name != "var" || a.Computes() {
		t.Errorf(":VAR+ gives %+v, %v", a, ok)
	}
	if _, ok := Lookup("vars"); ok {
		t.Error(":vars is not an argument")
	}
}
