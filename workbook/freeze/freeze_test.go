package freeze

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func sample() *File {
	return &File{Document: "a.org", Sessions: []Session{{Name: "s", Lang: "js", Fingerprint: "f", Meta: []byte("{}"), State: Blob{Bytes: []byte("memory")},
		Ran: []Ran{{Component: "one", Key: "k", Outcome: json.RawMessage(`{"value":1}`), Made: []Item{{"out.txt", Blob{Bytes: []byte("made")}}}}}}},
		KV: []Item{{"key", Blob{Bytes: []byte("value")}}}, Files: []Item{{"workspace:a", Blob{Bytes: nil}}}}
}

func encoded(t testing.TB) []byte {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	data := encoded(t)
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := f.Write(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
		t.Errorf("written again it differs (%v)", err)
	}
	if string(f.Sessions[0].State.Bytes) != "memory" || string(f.Sessions[0].Ran[0].Made[0].Data.Bytes) != "made" || string(f.KV[0].Data.Bytes) != "value" {
		t.Errorf("got %+v", f)
	}
}

// Every file that is cut short or changed is refused, with a code.
func TestDamage(t *testing.T) {
	data := encoded(t)
	for n := range data {
		if _, err := Parse(data[:n]); code(err) == "" {
			t.Errorf("%d bytes of %d: %v", n, len(data), err)
		}
		changed := bytes.Clone(data)
		changed[n] ^= 1
		if _, err := Parse(changed); code(err) == "" {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
	if _, err := Parse(append(bytes.Clone(data), 0)); code(err) != CodeDigest {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := Parse([]byte("wb-freeze 2\nsomething")); code(err) != CodeVersion {
		t.Errorf("another version: %v", err)
	}
	if _, err := Parse([]byte("#+TITLE: not this")); code(err) != CodeFormat {
		t.Errorf("something else: %v", err)
	}
}

func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func FuzzParse(f *testing.F) {
	f.Add(encoded(f))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Parse(data); err != nil && code(err) == "" {
			t.Fatalf("an error without a code: %v", err)
		}
	})
}
