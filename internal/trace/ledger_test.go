package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/identity"
)

func testKey(t testing.TB, n byte) identity.Key {
	t.Helper()
	key, err := identity.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sealedRuns writes three sealed runs and returns both files' texts.
func sealedRuns(t testing.TB) (ledger, steps []byte) {
	t.Helper()
	dir := t.TempDir()
	files := FilesIn(dir)
	w := NewStepsFile(files.Steps)
	defer w.Close()
	for run, lines := range []int{3, 1, 4} {
		id := fmt.Sprintf("run-%d", run+1)
		var end int64
		for i := range lines {
			var err error
			if end, err = w.file.append(AppendStep(nil, &Event{Run: id, Call: i, Kind: KindLog, Output: "x", Time: noon})); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Seal(files.Ledger, files.Steps, end, id, testKey(t, 1), noon); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := os.ReadFile(files.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	steps, err = os.ReadFile(files.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return ledger, steps
}

// The chain is the one that the design describes, computed here once more.
func TestLedgerChain(t *testing.T) {
	ledger, steps := sealedRuns(t)
	sum := sha256.Sum256([]byte("workbooks-ledger-v1"))
	head := hex.EncodeToString(sum[:])
	for line := range strings.Lines(string(steps)) {
		sum = sha256.Sum256([]byte(head + strings.TrimSuffix(line, "\n")))
		head = hex.EncodeToString(sum[:])
	}
	seals, torn := ReadLedger(ledger)
	if torn || len(seals) != 3 || seals[2].Head != head {
		t.Fatalf("torn %v, seals %+v", torn, seals)
	}
	if s := seals[1]; s.Run != "run-2" || s.FirstLine != 4 || s.LastLine != 4 || s.Count != 1 || s.TS != noon.Unix() {
		t.Errorf("second seal: %+v", s)
	}
	golden(t, "_ledger.json", ledger)
	golden(t, "_steps.jsonl", steps)
}

func TestVerifyLedger(t *testing.T) {
	ledger, steps := sealedRuns(t)
	r := VerifyLedger(ledger, steps)
	if !r.TamperEvident || !r.Attributable || r.Sealed != 8 || r.Unsealed != 0 || !slices.Equal(r.DIDs, []string{testKey(t, 1).DID()}) {
		t.Errorf("untouched: %+v", r)
	}
	lines := bytes.SplitAfter(steps, newline)[:8]
	join := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	for i := range lines {
		changed := slices.Clone(lines)
		changed[i] = bytes.Replace(lines[i], []byte(`"output":"x"`), []byte(`"output":"y"`), 1)
		swapped := slices.Clone(lines)
		swapped[i], swapped[(i+1)%8] = swapped[(i+1)%8], swapped[i]
		for what, text := range map[string][]byte{
			"changed":  join(changed...),
			"removed":  join(slices.Delete(slices.Clone(lines), i, i+1)...),
			"blank":    join(slices.Insert(slices.Clone(lines), i, newline)...),
			"inserted": join(slices.Insert(slices.Clone(lines), i, lines[0])...),
			"cut":      join(lines[:i]...),
		} {
			want := i + 1
			if what == "inserted" && i < 1 {
				want = 2 // the copy of line 1 before line 1 is line 1
			}
			if r := VerifyLedger(ledger, text); r.TamperEvident || r.Attributable || r.BadLine != want {
				t.Errorf("line %d %s: %+v", i+1, what, r)
			}
		}
		if i < 7 {
			if r := VerifyLedger(ledger, join(swapped...)); r.BadLine != i+1 {
				t.Errorf("line %d swapped: %+v", i+1, r)
			}
		}
	}
	r = VerifyLedger(ledger, append(slices.Clone(steps), `{"run":"run-4"}`+"\n{\"to"...))
	if !r.TamperEvident || r.Unsealed != 2 || !slices.Equal(r.UnsealedRuns, []string{"run-4"}) {
		t.Errorf("tail: %+v", r)
	}
}

// Every member of a seal is bound by the lines or by the signature.
func TestForgedSeal(t *testing.T) {
	ledger, steps := sealedRuns(t)
	other := testKey(t, 2)
	seals, _ := ReadLedger(ledger)
	forge := func(old, new string) []byte { return bytes.Replace(ledger, []byte(old), []byte(new), 1) }
	for what, text := range map[string][]byte{
		"run":        forge(`"run":"run-2"`, `"run":"run-9"`),
		"first line": forge(`"first_line":4,"last_line":4`, `"first_line":5,"last_line":5`),
		"count":      forge(`"last_line":4,`, `"last_line":5,`),
		"owner":      forge(seals[0].DID, other.DID()),
		"signature":  forge(seals[0].Sig, hex.EncodeToString(other.Sign([]byte(seals[0].Head)))),
		"no owner":   forge(`"did":"`+seals[0].DID, `"did":"`),
		"head":       forge(seals[0].Head, seals[1].Head),
		"removed":    slices.Concat(ledger[:2], ledger[bytes.Index(ledger, []byte(`{"run":"run-2"`)):]),
		"empty":      []byte("[\n]\n"),
	} {
		r := VerifyLedger(text, steps)
		if what == "empty" {
			if r.Seals != 0 || r.Unsealed != 8 || r.Attributable {
				t.Errorf("%s: %+v", what, r)
			}
			continue
		}
		if r.TamperEvident {
			t.Errorf("%s: %+v", what, r)
		}
	}
	// Marks prove nothing and are not needed.
	if r := VerifyLedger(forge(seals[0].Marks, "AAAA"), steps); !r.TamperEvident {
		t.Errorf("marks: %+v", r)
	}
	// Unsigned seals are evidence without an owner.
	unsigned := bytes.ReplaceAll(ledger, []byte(seals[0].DID), nil)
	for _, s := range seals {
		unsigned = bytes.ReplaceAll(unsigned, []byte(s.Sig), nil)
	}
	if r := VerifyLedger(unsigned, steps); !r.TamperEvident || r.Attributable {
		t.Errorf("unsigned: %+v", r)
	}
}

// However far a crash got in writing a seal, the seals before it count and
// the next run goes on.
func TestTornLedger(t *testing.T) {
	ledger, steps := sealedRuns(t)
	third := bytes.Index(ledger, []byte(`{"run":"run-3"`)) - 2
	for cut := third; cut < len(ledger); cut++ {
		dir := t.TempDir()
		files := FilesIn(dir)
		os.WriteFile(files.Ledger, ledger[:cut], 0o644)
		os.WriteFile(files.Steps, steps, 0o644)
		if _, err := Seal(files.Ledger, files.Steps, int64(len(steps)), "run-3", testKey(t, 1), noon); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		text := read(t, files.Ledger)
		report := VerifyLedger(text, steps)
		if _, torn := ReadLedger(text); torn || !report.TamperEvident || !report.Attributable || report.Unsealed != 0 {
			t.Fatalf("cut at %d: %+v in\n%s", cut, report, text)
		}
	}
}

func TestSealAfterRemoval(t *testing.T) {
	ledger, steps := sealedRuns(t)
	dir := t.TempDir()
	files := FilesIn(dir)
	os.WriteFile(files.Ledger, ledger, 0o644)
	first := steps[:bytes.IndexByte(steps, '\n')+1]
	os.WriteFile(files.Steps, first, 0o644) // somebody removed the file; a new run began
	if _, err := Seal(files.Ledger, files.Steps, int64(len(first)), "run-1", nil, noon); err != nil {
		t.Fatal(err)
	}
	if r := VerifyLedger(read(t, files.Ledger), first); r.TamperEvident || r.BadLine != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := VerifyFiles(Files{Ledger: filepath.Join(dir, "none"), Steps: files.Steps}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing ledger: %v", err)
	}
}

func FuzzVerifyLedger(f *testing.F) {
	ledger, steps := sealedRuns(f)
	f.Add(ledger, steps)
	f.Add([]byte("[\n{}\n]\n"), []byte("x"))
	f.Add([]byte(`{"run":"a","first_line":1,"last_line":9223372036854775807,"count":9223372036854775807,"head":"`+strings.Repeat("0", 64)+`"}`), []byte("x\n"))
	f.Fuzz(func(t *testing.T, ledger, steps []byte) {
		r := VerifyLedger(ledger, steps)
		if r.TamperEvident && r.Sealed+r.Unsealed != r.Lines {
			t.Fatalf("%+v", r)
		}
		_ = r.Summary()
	})
}
