package keys

import (
	"bytes"
	"slices"

	"wb/proof/fault"
	"wb/proof/jcs"
)

// RevokedVersion is the version of lists of revoked keys.
const RevokedVersion = "workbooks-revoked/1"

// revokedList says which keys are not to be believed. Logs prove it: everything
// else is there to be read by people and simple programs.
type revokedList struct {
	Version string       `json:"version"`
	Revoked []Revocation `json:"revoked"`
	Logs    []string     `json:"keylogs"`
}

// Revocation is one key that is not to be believed from a release on.
type Revocation struct {
	Identity string `json:"identity_did"`
	Key      string `json:"key_did"`
	Sequence int    `json:"sequence"` // 0 takes back everything
	Reason   string `json:"reason"`
	At       string `json:"at"` // the issuer's clock
}

// Revocations are the keys of the log that were revoked, first one first.
func (l *Log) Revocations() []Revocation {
	out := []Revocation{}
	for _, e := range l.entries {
		if e.Kind == Revoke {
			out = append(out, Revocation{Identity: l.Identity(), Key: e.Key, Sequence: e.Sequence, Reason: e.Reason, At: e.At})
		}
	}
	return out
}

// RevokedList is the list of revoked keys to publish: canonical JSON and a line
// end, with the logs that prove it. It is nil when none of the logs revokes any.
func RevokedList(logs ...*Log) ([]byte, error) {
	list := revokedList{Version: RevokedVersion, Revoked: []Revocation{}, Logs: []string{}}
	for _, l := range logs {
		if gone := l.Revocations(); len(gone) > 0 {
			list.Revoked = append(list.Revoked, gone...)
			list.Logs = append(list.Logs, string(l.text))
		}
	}
	if len(list.Logs) == 0 {
		return nil, nil
	}
	text, err := jcs.Marshal(list)
	return append(text, '\n'), err
}

// ReadLogs reads a file that says something of keys: a key log, or a list of
// revoked keys, which must say what its logs prove.
func ReadLogs(text []byte) ([]*Log, error) {
	if !bytes.Contains(text, []byte(`"`+RevokedVersion+`"`)) {
		log, err := ParseLog(text)
		return []*Log{log}, err
	}
	var list revokedList
	if err := jcs.Decode(bytes.TrimSuffix(text, []byte("\n")), &list, fault.KeylogMalformed); err != nil {
		return nil, err
	}
	var logs []*Log
	var proven []Revocation
	for _, text := range list.Logs {
		log, err := ParseLog([]byte(text))
		if err != nil {
			return nil, err
		}
		logs, proven = append(logs, log), append(proven, log.Revocations()...)
	}
	if list.Version != RevokedVersion || !slices.Equal(proven, list.Revoked) {
		return nil, fault.New(fault.KeylogMalformed, "the list of revoked keys contradicts its key logs")
	}
	return logs, nil
}

// LogOf is the log among several that has a key, the longest of them, nil for none.
func LogOf(key string, logs []*Log) *Log {
	var found *Log
	for _, l := range logs {
		if l.has(key) && (found == nil || len(l.text) > len(found.text)) {
			found = l
		}
	}
	return found
}
