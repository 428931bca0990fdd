package textdiff

import (
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// apply rebuilds b from a and the hunks.
func apply(a, b []string, hunks []Hunk) []string {
	var out []string
	at := 0
	for _, h := range hunks {
		out = append(out, a[at:h.A0]...)
		out = append(out, b[h.B0:h.B1]...)
		at = h.A1
	}
	return append(out, a[at:]...)
}

func TestCompareRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	text := func(n, letters int) []string {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = string(rune('a' + r.Intn(letters)))
		}
		return lines
	}
	for range 3000 {
		a := text(r.Intn(12), 1+r.Intn(6))
		b := text(r.Intn(12), 1+r.Intn(6))
		hunks := Compare(a, b)
		if got := strings.Join(apply(a, b, hunks), ""); got != strings.Join(b, "") {
			t.Fatalf("%v → %v by %v gives %s", a, b, hunks, got)
		}
		endA, endB := 0, 0
		for i, h := range hunks {
			if h.A0 < endA || h.B0 < endB || i > 0 && h.A0 == endA && h.B0 == endB {
				t.Fatalf("%v → %v: hunks overlap or touch: %v", a, b, hunks)
			}
			if h.A0-endA != h.B0-endB {
				t.Fatalf("%v → %v: hunks do not line up: %v", a, b, hunks)
			}
			endA, endB = h.A1, h.B1
		}
	}
}

func TestCompareKeepsFunctionsTogether(t *testing.T) {
	a := Lines("one {\n  1\n}\n\ntwo {\n  2\n}\n")
	b := Lines("one {\n  1\n}\n\nnew {\n  9\n}\n\ntwo {\n  2\n}\n")
	hunks := Compare(a, b)
	if len(hunks) != 1 || hunks[0].A0 != hunks[0].A1 || hunks[0].B1-hunks[0].B0 != 4 {
		t.Errorf("%v", hunks)
	}
}

// Large texts without a common line must not take quadratic time or memory.
func TestCompareIsBounded(t *testing.T) {
	a, b := make([]string, 20000), make([]string, 20000)
	for i := range a {
		a[i], b[i] = []string{"x", "y"}[i%2], []string{"z", "y"}[i/2%2]
	}
	hunks := Compare(a, b)
	if got := strings.Join(apply(a, b, hunks), ""); got != strings.Join(b, "") {
		t.Error("the hunks do not lead from a to b")
	}
}

// The patch program understands what Unified writes.
func TestUnifiedWithPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is not installed: apt-get install patch")
	}
	r := rand.New(rand.NewSource(2))
	for range 30 {
		var a, b []string
		for range 20 + r.Intn(30) {
			line := string(rune('a'+r.Intn(26))) + string(rune('a'+r.Intn(26)))
			if r.Intn(6) > 0 {
				a = append(a, line)
			}
			if r.Intn(6) > 0 {
				b = append(b, line)
			}
		}
		textA, textB := strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n"
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(textA), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "-s", file)
		cmd.Stdin = strings.NewReader(Unified("f", "f", textA, textB))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got, _ := os.ReadFile(file); string(got) != textB {
			t.Fatalf("got %q, want %q", got, textB)
		}
	}
}
