package lazyregexp

import "testing"

func TestUse(t *testing.T) {
	re := New(`(\w+)=(\d+)`)
	if got := re.ReplaceAllString("a=1 b=2", "$2"); got != "1 2" {
		t.Errorf("replaced: %q", got)
	}
	if got := re.FindStringSubmatch("x a=1"); len(got) != 3 || got[2] != "1" {
		t.Errorf("found: %q", got)
	}
	if re.MatchString("a=b") {
		t.Error("a=b matches")
	}
}

// TestFaulty shows that tests learn of a faulty expression without using it.
func TestFaulty(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a faulty expression was taken")
		}
	}()
	New(`(`)
}
