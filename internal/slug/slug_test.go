package slug

import "testing"

func TestOf(t *testing.T) {
	for title, want := range map[string]string{
		"":                    "",
		" - ":                 "",
		"Plan the week":       "plan-the-week",
		"C++ & Go, 2nd part!": "c-go-2nd-part",
		"Ärger: größer":       "ärger-größer",
		"--a__b--":            "a-b",
	} {
		if got := Of(title); got != want {
			t.Errorf("Of(%q) = %q, want %q", title, got, want)
		}
	}
}
