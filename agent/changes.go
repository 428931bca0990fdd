package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"wb/internal/trace"
)

// Effects are the entries of a journal; a [*trace.Journal] has them.
type Effects interface {
	Entries() []trace.Entry
	Body(trace.Entry) ([]byte, error)
}

// Changes are the files that a run has written or removed, as its journal has them:
// each as the run left it, by path.
func Changes(j Effects) ([]FileChange, error) {
	last := map[string]FileChange{}
	for _, e := range j.Entries() {
		if e.Kind != trace.EntryEffect {
			continue
		}
		body, err := j.Body(e)
		if err != nil {
			return nil, err
		}
		var made effect
		if err := json.Unmarshal(body, &made); err != nil {
			return nil, fmt.Errorf("entry %d of run %s: %w", e.Seq, e.Run, err)
		}
		for _, c := range made.Output.Files {
			last[c.Path] = c
		}
	}
	var all []FileChange
	for _, name := range slices.Sorted(maps.Keys(last)) {
		all = append(all, last[name])
	}
	return all, nil
}
