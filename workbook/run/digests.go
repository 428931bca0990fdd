package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wb/internal/sha"
)

// Digests identify everything a component's outcome depends on, one digest for each
// reason to run it again. Files are not among them: what a component reads
// from its files is known only afterwards, and is checked against the tree.
type Digests struct {
	Source    string            `json:"source"`           // code after noweb, header arguments, exec shape
	Inputs    map[string]string `json:"inputs,omitempty"` // by name
	Toolchain string            `json:"toolchain"`        // lane and compiler
	Profile   string            `json:"profile"`
	Caps      []string          `json:"caps,omitempty"`
	Session   string            `json:"session,omitempty"` // what ran before in the same session
}

// Key names the outcome: a digest over all the others.
func (d *Digests) Key() string {
	data, err := json.Marshal(d) // maps are written in order of their keys
	if err != nil {
		panic(err) // strings always marshal
	}
	return sha.Hex(append([]byte("wb outcome "+cacheVersion+"\n"), data...))
}

// differences lists what changed between two sets, in words.
func (d *Digests) differences(now *Digests) []string {
	var changed []string
	note := func(what, before, after string) {
		if before != after {
			changed = append(changed, fmt.Sprintf("%s changed (%s → %s)", what, short(before), short(after)))
		}
	}
	note("source", d.Source, now.Source)
	names := map[string]bool{}
	for name := range d.Inputs {
		names[name] = true
	}
	for name := range now.Inputs {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		note("input "+name, d.Inputs[name], now.Inputs[name])
	}
	note("toolchain", d.Toolchain, now.Toolchain)
	note("profile", d.Profile, now.Profile)
	note("capabilities", strings.Join(d.Caps, " "), strings.Join(now.Caps, " "))
	note("the session before it", d.Session, now.Session)
	return changed
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// short abbreviates a digest for people.
func short(digest string) string {
	switch {
	case digest == "":
		return "none"
	case len(digest) == 64 && !strings.ContainsAny(digest, " /"):
		return digest[:12]
	}
	return digest
}

// cacheVersion changes when outcomes are computed or kept differently, so that
// those of older versions are not used.
const cacheVersion = "1"
