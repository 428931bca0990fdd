package trace

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"wb/internal/identity"
)

// LedgerReport is the result of a verification.
type LedgerReport struct {
	Lines int `json:"lines"` // of _steps.jsonl
	Seals int `json:"seals"` // of the ledger
	// Sealed is how many lines, from the first, are as they were sealed.
	Sealed int `json:"sealed"`
	// TamperEvident is true when every sealed line is as it was.
	TamperEvident bool `json:"tamper_evident"`
	// Attributable is true when every seal is signed too.
	Attributable bool     `json:"attributable"`
	DIDs         []string `json:"dids"`           // who signed
	Head         string   `json:"head,omitempty"` // of the last seal
	// BadLine is the first line that is not as it was sealed; 0 when there is
	// none. Reason says what is wrong with it, or with the ledger.
	BadLine int    `json:"bad_line,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Unsealed counts the lines after the last seal. UnsealedRuns wrote them:
	// they are running or crashed.
	Unsealed     int      `json:"unsealed,omitempty"`
	UnsealedRuns []string `json:"unsealed_runs,omitempty"`
	// SealedRuns are the runs that ended with a seal, in order.
	SealedRuns []string `json:"sealed_runs"`
	// Events says of each run whether its records in events.org are as they
	// were written; nil when events.org was not looked at. People may edit that
	// file, so it does not decide TamperEvident.
	Events []RunIntegrity `json:"events,omitempty"`
}

// Summary says the result in one line.
func (r *LedgerReport) Summary() string {
	switch {
	case r.BadLine > 0:
		return fmt.Sprintf("line %d: %s", r.BadLine, r.Reason)
	case !r.TamperEvident:
		return r.Reason
	}
	text := fmt.Sprintf("%d lines sealed by %d runs", r.Sealed, r.Seals)
	if !r.Attributable {
		text += ", not all of them signed"
	}
	if r.Unsealed > 0 {
		text += fmt.Sprintf("; %d lines from line %d are not sealed yet (a run is going or crashed)", r.Unsealed, r.Sealed+1)
	}
	for _, e := range r.Events {
		if !e.Intact {
			text += fmt.Sprintf("; run %s: %s", e.Run, e.Reason)
		}
	}
	return text
}

// VerifyFiles checks the views of a directory: the steps against the ledger,
// and events.org, if named, against the digests in the steps. A missing ledger is
// an error for which [os.IsNotExist] holds; other missing files are lines and
// records that are gone.
func VerifyFiles(files Files) (*LedgerReport, error) {
	ledger, err := os.ReadFile(files.Ledger)
	if err != nil {
		return nil, err
	}
	steps, err := os.ReadFile(files.Steps)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	r := VerifyLedger(ledger, steps)
	if files.Events == "" {
		return r, nil
	}
	events, err := os.ReadFile(files.Events)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	r.Events = VerifyEvents(events, steps)
	return r, nil
}

// VerifyLedger checks the lines of a _steps.jsonl text against a ledger.
func VerifyLedger(ledger, steps []byte) *LedgerReport {
	seals, torn := ReadLedger(ledger)
	v := verifier{rest: steps, chain: newChain(), report: &LedgerReport{Seals: len(seals), Attributable: len(seals) > 0, DIDs: []string{}, SealedRuns: []string{}}}
	r := v.report
	r.Lines = bytes.Count(steps, newline)
	if len(steps) > 0 && steps[len(steps)-1] != '\n' {
		r.Lines++
	}
	if torn && r.Reason == "" && len(seals) == 0 {
		r.Reason = "the ledger holds no seal that can be read"
		return r
	}
	for _, seal := range seals {
		if !v.seal(&seal) {
			r.Attributable = false
			return r
		}
	}
	r.TamperEvident = true
	v.tail()
	return r
}

type verifier struct {
	rest   []byte // what is not verified yet
	chain  *chain
	report *LedgerReport
}

// bad ends the verification at a line; 0 blames the ledger itself.
func (v *verifier) bad(line int, format string, args ...any) bool {
	v.report.BadLine, v.report.Reason = line, fmt.Sprintf(format, args...)
	return false
}

// seal checks one seal and the lines it adds.
func (v *verifier) seal(seal *SealRecord) bool {
	r := v.report
	if seal.FirstLine != r.Sealed+1 {
		if seal.FirstLine == 1 {
			return v.bad(1, "run %s started the chain anew: the %d lines sealed before it are gone", seal.Run, r.Sealed)
		}
		return v.bad(0, "the seal of run %s starts at line %d, expected %d: a seal is missing", seal.Run, seal.FirstLine, r.Sealed+1)
	}
	marks, _ := base64.StdEncoding.DecodeString(seal.Marks)
	var scratch, last []byte
	suspect := 0
	for i := range seal.Count {
		if len(v.rest) == 0 {
			if suspect == 0 {
				suspect = r.Sealed + i + 1
			}
			return v.bad(suspect, "not as run %s sealed it: %d lines are missing", seal.Run, seal.Count-i)
		}
		line, rest, _ := bytes.Cut(v.rest, newline)
		sum, s := v.chain.add(line, scratch)
		scratch, last, v.rest = s, line, rest
		if mark := marks[min(i*markLen, len(marks)):]; suspect == 0 && len(mark) >= markLen && !bytes.Equal(mark[:markLen], sum[:markLen]) {
			suspect = r.Sealed + i + 1
		}
	}
	if string(v.chain.head[:]) != seal.Head {
		if suspect == 0 { // the marks were changed as well
			suspect = seal.FirstLine
		}
		return v.bad(suspect, "not as run %s sealed it", seal.Run)
	}
	if seal.Count > 0 && runOf(last) != seal.Run {
		return v.bad(0, "the seal over lines %d–%d names run %s, but line %d belongs to %q", seal.FirstLine, seal.LastLine, seal.Run, seal.LastLine, runOf(last))
	}
	if !v.signature(seal) {
		return false
	}
	r.Sealed, r.Head = seal.LastLine, seal.Head
	r.SealedRuns = append(r.SealedRuns, seal.Run)
	return true
}

func (v *verifier) signature(seal *SealRecord) bool {
	if seal.DID == "" && seal.Sig == "" {
		v.report.Attributable = false
		return true
	}
	sig, err := hex.DecodeString(seal.Sig)
	if err == nil {
		err = identity.Verify(seal.DID, []byte(seal.Head), sig)
	}
	if err != nil {
		return v.bad(0, "the seal of run %s over lines %d–%d: %v", seal.Run, seal.FirstLine, seal.LastLine, err)
	}
	if !slices.Contains(v.report.DIDs, seal.DID) {
		v.report.DIDs = append(v.report.DIDs, seal.DID)
	}
	return true
}

// tail counts what no seal covers.
func (v *verifier) tail() {
	r := v.report
	for line := range bytes.Lines(v.rest) {
		r.Unsealed++
		if run := runOf(line); run != "" && !slices.Contains(r.UnsealedRuns, run) {
			r.UnsealedRuns = append(r.UnsealedRuns, run)
		}
	}
}

// runOf is the run that a line of _steps.jsonl names, or "".
func runOf(line []byte) string {
	var step struct{ Run string }
	_ = json.Unmarshal(line, &step) // a torn line belongs to no run
	return step.Run
}
