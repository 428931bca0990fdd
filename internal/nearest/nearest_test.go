package nearest

import "testing"

func TestWord(t *testing.T) {
	known := []string{"run", "plan", "query", "tags", "todo", "javascript"}
	for word, want := range map[string]string{
		"rnu": "run", "qeury": "query", "Tood": "todo", "javasript": "javascript", "xyzzy": "", "": "", "r": "",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if d := Distance("abc", "acb"); d != 1 {
		t.Errorf("a swap costs %d", d)
	}
}
