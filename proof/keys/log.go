package keys

import (
	"bytes"
	"time"

	"wb/internal/identity"
	"wb/internal/sha"
	"wb/proof/fault"
	"wb/proof/jcs"
)

// LogVersion is the version of a key log's entries.
const LogVersion = "workbooks-keylog/1"

// Kinds of entry.
const (
	Genesis = "genesis" // the first key, signed by itself
	Rotate  = "rotate"  // Key takes the place of Signer
	Revoke  = "revoke"  // Key is no longer to be believed
)

// Entry is one line of a key log, in canonical JSON.
type Entry struct {
	Version  string `json:"version"`
	Kind     string `json:"kind"`
	Index    int    `json:"index"`    // 0 for the first line
	Previous string `json:"previous"` // sha256 of the line before without its newline, hex; "" for the first
	Signer   string `json:"signer"`   // the did:key that was current when this was written
	Key      string `json:"key"`      // the did:key that comes, or goes
	Sequence int    `json:"sequence"` // the first release of a site that this holds for
	Reason   string `json:"reason"`   // for people
	At       string `json:"at"`       // RFC 3339, UTC; informational only
	// Signature is Signer's and Proof is Key's, over the canonical entry
	// without both. Proof shows that who names a new key has it; "" when Key
	// need not agree.
	Signature string `json:"signature"`
	Proof     string `json:"proof"`
}

// message is the signed text.
func (e Entry) message() ([]byte, error) {
	return jcs.Marshal(struct {
		Version  string `json:"version"`
		Kind     string `json:"kind"`
		Index    int    `json:"index"`
		Previous string `json:"previous"`
		Signer   string `json:"signer"`
		Key      string `json:"key"`
		Sequence int    `json:"sequence"`
		Reason   string `json:"reason"`
		At       string `json:"at"`
	}{e.Version, e.Kind, e.Index, e.Previous, e.Signer, e.Key, e.Sequence, e.Reason, e.At})
}

// Log is a key log that holds together.
type Log struct {
	text    []byte
	entries []Entry
	gone    map[string]Entry // by key: the entry that ended it
}

// NewLog begins the log of an identity.
func NewLog(first identity.Signer, at time.Time) (*Log, error) {
	return (&Log{}).extend(Entry{Kind: Genesis, Key: first.DID(), At: stamp(at)}, first, nil)
}

// Rotate replaces the current key by next, for releases from sequence on.
func (l *Log) Rotate(current, next identity.Signer, sequence int, at time.Time) (*Log, error) {
	return l.extend(Entry{Kind: Rotate, Key: next.DID(), Sequence: sequence, At: stamp(at)}, current, next)
}

// Revoke declares a key of the log untrustworthy from release sequence on: 0
// takes back everything it ever signed.
func (l *Log) Revoke(current identity.Signer, key string, sequence int, reason string, at time.Time) (*Log, error) {
	return l.extend(Entry{Kind: Revoke, Key: key, Sequence: sequence, Reason: reason, At: stamp(at)}, current, nil)
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (l *Log) extend(e Entry, signer, subject identity.Signer) (*Log, error) {
	e.Version, e.Index, e.Signer = LogVersion, len(l.entries), signer.DID()
	if e.Index > 0 {
		e.Previous = sha.Hex(lastLine(l.text))
	}
	message, err := e.message()
	if err != nil {
		return nil, err
	}
	e.Signature = Encode(signer.Sign(message))
	if subject != nil {
		e.Proof = Encode(subject.Sign(message))
	}
	line, err := jcs.Marshal(e)
	if err != nil {
		return nil, err
	}
	return ParseLog(append(append(bytes.Clone(l.text), line...), '\n'))
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// ParseLog reads a log and checks each entry against those before it.
func ParseLog(text []byte) (*Log, error) {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return nil, fault.New(fault.KeylogMalformed, "does not end with a line")
	}
	l := &Log{text: text, gone: map[string]Entry{}}
	for line := range bytes.Lines(text) {
		var e Entry
		line = line[:len(line)-1]
		if err := jcs.Decode(line, &e, fault.KeylogMalformed); err != nil {
			return nil, err
		}
		if err := l.add(e); err != nil {
			return nil, err
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

func (l *Log) add(e Entry) error {
	switch {
	case e.Version != LogVersion:
		return fault.New(fault.KeylogMalformed, "entry %d is of version %q", e.Index, e.Version)
	case e.Sequence < 0:
		return fault.New(fault.KeylogMalformed, "entry %d has a negative sequence", e.Index)
	case e.Index != len(l.entries):
		return fault.New(fault.KeylogChain, "entry %d is at position %d", e.Index, len(l.entries))
	case (e.Kind == Genesis) != (e.Index == 0):
		return fault.New(fault.KeylogChain, "entry %d is of kind %s", e.Index, e.Kind)
	}
	if e.Index == 0 {
		if e.Signer != e.Key || e.Previous != "" {
			return fault.New(fault.KeylogChain, "the first key is not its own signer")
		}
		return l.signed(e)
	}
	if e.Previous != sha.Hex(l.line(e.Index-1)) {
		return fault.New(fault.KeylogChain, "entry %d does not follow the one before", e.Index)
	}
	if e.Signer != l.Current() {
		return fault.New(fault.KeylogChain, "entry %d is by a key that was not current", e.Index)
	}
	if end, ended := l.gone[e.Signer]; ended && end.Kind == Revoke {
		return fault.New(fault.KeylogChain, "entry %d is by a revoked key", e.Index)
	}
	if err := l.signed(e); err != nil {
		return err
	}
	switch e.Kind {
	case Rotate:
		if l.has(e.Key) {
			return fault.New(fault.KeylogChain, "entry %d reinstates a revoked key", e.Index)
		}
		l.gone[e.Signer] = e
	case Revoke:
		if !l.has(e.Key) {
			return fault.New(fault.KeylogChain, "entry %d revokes a key that the log never had", e.Index)
		}
		l.gone[e.Key] = e
	default:
		return fault.New(fault.KeylogMalformed, "entry %d is of kind %q", e.Index, e.Kind)
	}
	return nil
}

// signed checks the signatures of an entry.
func (l *Log) signed(e Entry) error {
	message, err := e.message()
	if err != nil {
		return err
	}
	if err := Verify(e.Signer, message, e.Signature); err != nil {
		return fault.New(fault.KeylogSignature, "entry %d: %v", e.Index, err)
	}
	if e.Kind != Rotate {
		if e.Proof != "" {
			return fault.New(fault.KeylogMalformed, "entry %d has a superfluous proof", e.Index)
		}
		return nil
	}
	if err := Verify(e.Key, message, e.Proof); err != nil {
		return fault.New(fault.KeylogSignature, "entry %d: the new key: %v", e.Index, err)
	}
	return nil
}

// line is the text of an entry without its newline.
func (l *Log) line(i int) []byte {
	lines := bytes.SplitN(l.text, []byte("\n"), i+2)
	return lines[i]
}

// Has reports whether key was ever the identity's.
func (l *Log) Has(key string) bool { return l.has(key) }

func (l *Log) has(key string) bool {
	for _, e := range l.entries {
		if e.Kind != Revoke && e.Key == key {
			return true
		}
	}
	return false
}

// Text is the log as it is published.
func (l *Log) Text() []byte { return bytes.Clone(l.text) }

// Entries are the log's lines, first one first.
func (l *Log) Entries() []Entry { return append([]Entry(nil), l.entries...) }

// Identity is the first key: it names the log for good.
func (l *Log) Identity() string { return l.entries[0].Key }

// Current is the key that signs now, revoked or not.
func (l *Log) Current() string {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Kind != Revoke {
			return l.entries[i].Key
		}
	}
	return ""
}

// NoSequence stands for what has no release number, such as a page on its own.
const NoSequence = -1

// Allows reports whether key could sign release sequence. A page without a
// release may be by a key that was rotated away since, never by a revoked one.
func (l *Log) Allows(key string, sequence int) error {
	if !l.has(key) {
		return fault.New(fault.KeyUnknown, "%s is not in the key log of %s", key, l.Identity())
	}
	end, ended := l.gone[key]
	switch {
	case !ended:
	case end.Kind == Revoke && (sequence == NoSequence || sequence >= end.Sequence):
		return fault.New(fault.KeyRevoked, "%s was revoked from release %d on: %s", key, end.Sequence, end.Reason)
	case end.Kind == Rotate && sequence >= end.Sequence:
		return fault.New(fault.KeyRetired, "%s was replaced by %s at release %d", key, end.Key, end.Sequence)
	}
	return nil
}

// Continues checks that l is older, or old with entries added.
func (l *Log) Continues(old []byte) error {
	if !bytes.HasPrefix(l.text, old) {
		return fault.New(fault.KeylogRollback, "the key log of %s lacks entries that it had before", l.Identity())
	}
	return nil
}
