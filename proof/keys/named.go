package keys

import (
	"encoding/json"
	"errors"
	"strings"
)

// Name is a key that a file names, with the key log when the file is one.
type Name struct{ DID, Log string }

// Named reads the keys that a file names: a key log, whose identity it is; the
// document of a did:web; or a text whose first line is a did:key and nothing else.
func Named(text []byte) ([]Name, error) {
	if log, err := ParseLog(text); err == nil {
		return []Name{{log.Identity(), string(text)}}, nil
	}
	var doc struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(text, &doc) == nil && doc.ID != "" {
		dids, err := ReadDocument(doc.ID, text)
		var out []Name
		for _, did := range dids {
			out = append(out, Name{DID: did})
		}
		return out, err
	}
	line, _, _ := strings.Cut(string(text), "\n") // as wb key show prints it
	did := strings.TrimSpace(line)
	if !strings.HasPrefix(did, "did:key:") {
		return nil, errors.New("expected a key log, a did:web document or a did:key")
	}
	_, err := Public(did)
	return []Name{{DID: did}}, err
}
