package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// eventsDigest is the member of a result's args in _steps.jsonl that holds the
// SHA-256 over all records of the run in events.org, in order. Through it the
// ledger covers events.org as well, and through the OUTPUT_SHA256 and
// SOURCE_SHA256 there the bodies and the source.
const eventsDigest = "events_sha256"

// RunIntegrity says whether a run's records in events.org are as written.
type RunIntegrity struct {
	Run string `json:"run"`
	// Intact is true when every record of the run is there, unchanged and in
	// order. Headlines that are not events do not count: they are notes.
	Intact bool `json:"intact"`
	// Reason says why not.
	Reason string `json:"reason,omitempty"`
}

// VerifyEvents compares an events.org text with the digests that the results
// in a _steps.jsonl text hold, in the order of those results. Runs that share
// the steps but were recorded in another events.org are reported as missing;
// runs without a digest, because they crashed or their record was incomplete,
// are left out.
func VerifyEvents(events, steps []byte) []RunIntegrity {
	sums := map[string]hash.Hash{}
	for record := range ScanEvents(events) {
		run := record.Run()
		if sums[run] == nil {
			sums[run] = sha256.New()
		}
		sums[run].Write(record.Text)
	}
	var found []RunIntegrity
	for line := range bytes.Lines(steps) {
		if !bytes.Contains(line, []byte(eventsDigest)) { // spares parsing most lines
			continue
		}
		step, err := parseStep(bytes.TrimSpace(line))
		if err != nil || step.Kind != KindResult {
			continue
		}
		var args map[string]any
		if json.Unmarshal(step.Args, &args) != nil {
			continue
		}
		want, ok := args[eventsDigest].(string)
		if !ok {
			continue
		}
		integrity := RunIntegrity{Run: step.Run}
		switch sum := sums[step.Run]; {
		case sum == nil:
			integrity.Reason = "no record in events.org"
		case hex.EncodeToString(sum.Sum(nil)) != want:
			integrity.Reason = "records in events.org were changed, added or removed"
		default:
			integrity.Intact = true
		}
		found = append(found, integrity)
	}
	return found
}
