package compile

import (
	"encoding/json"
	"fmt"
	"strings"
)

// metaResults is the entry of Artifact.Meta in which compiled lanes keep the
// words of :results.
const metaResults = "results"

// Results are the words of :results that the artifact's Meta keeps.
func (a *Artifact) Results() Results { return strings.Fields(a.Meta[metaResults]) }

// SetResults keeps them.
func (a *Artifact) SetResults(r Results) { a.Meta[metaResults] = strings.Join(r, " ") }

// Words are those of a command line that an entry of the artifact's Meta keeps.
func (a *Artifact) Words(entry string) []string {
	if a.Meta[entry] == "" {
		return nil
	}
	return strings.Split(a.Meta[entry], "\x00")
}

// SetWords keeps them.
func (a *Artifact) SetWords(entry string, words []string) {
	a.Meta[entry] = strings.Join(words, "\x00")
}

// metaUnit is the entry of Artifact.Meta in which interpreted lanes keep, as
// JSON, what they know of a block besides its script.
const metaUnit = "unit"

// NewScript is the artifact of a lane that interprets: a script, and what the
// lane knows of the block besides, which has to encode as JSON.
func NewScript(lane Lane, src *Source, script string, unit any) (*Artifact, error) {
	meta, err := json.Marshal(unit)
	if err != nil {
		return nil, err
	}
	return &Artifact{Lane: lane.Info().Name, Shape: src.Shape, Digest: src.Key(lane.Fingerprint()), Script: script, Meta: map[string]string{metaUnit: string(meta)}}, nil
}

// Unit reads what NewScript was given beside the script.
func (a *Artifact) Unit(into any) error {
	if err := json.Unmarshal([]byte(a.Meta[metaUnit]), into); err != nil {
		return fmt.Errorf("artifact %s: %w", a.Digest, err)
	}
	return nil
}
