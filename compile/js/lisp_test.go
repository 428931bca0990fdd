package js

import (
	"testing"

	"wb/compile"
	"wb/tangle/elisp"
)

// lispVars reads variables as testdata/babel writes them: ((x . 5) (y . "a")).
func lispVars(t *testing.T, text string) []compile.Var {
	t.Helper()
	list, err := elisp.Read(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pairs, _ := elisp.Items(list)
	var vars []compile.Var
	for _, pair := range pairs {
		v, err := elisp.ToValue(elisp.Cdr(pair))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		vars = append(vars, compile.Var{Name: elisp.Princ(elisp.Car(pair)), Value: v})
	}
	return vars
}
