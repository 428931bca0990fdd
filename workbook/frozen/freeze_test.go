package frozen

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"wb/internal/identity"
)

func sample() *File {
	return &File{Document: "a.org", Sessions: []Session{{Name: "s", Lang: "js", Fingerprint: "f", Meta: []byte("{}"), State: Blob{Bytes: []byte("memory")},
		Ran: []Ran{{Component: "one", Key: "k", Outcome: json.RawMessage(`{"value":1}`), Made: []Item{{"out.txt", Blob{Bytes: []byte("made")}}}}}}},
		KV: []Item{{"key", Blob{Bytes: []byte("value")}}}, Files: []Item{{"workspace:a", Blob{Bytes: nil}}}}
}

func encoded(t testing.TB) []byte {
	return encodedBy(t, nil)
}

func encodedBy(t testing.TB, by identity.Signer) []byte {
	var b bytes.Buffer
	if err := sample().Write(&b, by); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func key(t testing.TB, n byte) identity.Key {
	k, err := identity.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A file says who signed it, and a changed one that they did not, even if its
// digest was made anew.
func TestSignature(t *testing.T) {
	ada, bob := key(t, 1), key(t, 2)
	for _, by := range []identity.Signer{nil, ada, bob} {
		f, err := Parse(encodedBy(t, by))
		want := ""
		if by != nil {
			want = by.DID()
		}
		if err != nil || f.Signer != want {
			t.Errorf("signed by %q: %v", want, err)
		}
	}
	honest, other := encodedBy(t, ada), sample()
	other.KV[0].Data.Bytes = []byte("forged")
	var b bytes.Buffer
	if err := other.Write(&b, nil); err != nil {
		t.Fatal(err)
	}
	body := func(data []byte) int { return len(data) - len(signed(nil, ada)) }
	forged := append(b.Bytes()[:b.Len()-4], honest[body(honest):]...) // with its own digest, and ada's signature
	if _, err := Parse(forged); code(err) != CodeSignature {
		t.Errorf("forged: %v", err)
	}
	renamed := bytes.Replace(honest, []byte(ada.DID()), []byte(bob.DID()), 1)
	if _, err := Parse(renamed); code(err) != CodeSignature {
		t.Errorf("in another's name: %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	data := encoded(t)
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := f.Write(&again, nil); err != nil || !bytes.Equal(again.Bytes(), data) {
		t.Errorf("written again it differs (%v)", err)
	}
	if string(f.Sessions[0].State.Bytes) != "memory" || string(f.Sessions[0].Ran[0].Made[0].Data.Bytes) != "made" || string(f.KV[0].Data.Bytes) != "value" {
		t.Errorf("got %+v", f)
	}
}

// Every file that is cut short or changed is refused, with a code.
func TestDamage(t *testing.T) {
	t.Run("unsigned", func(t *testing.T) { damage(t, encoded(t)) })
	t.Run("signed", func(t *testing.T) { damage(t, encodedBy(t, key(t, 1))) })
}

func damage(t *testing.T, data []byte) {
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
	if _, err := Parse([]byte("wb-freeze 1\nsomething")); code(err) != CodeVersion {
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
	f.Add(encodedBy(f, key(f, 1)))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Parse(data); err != nil && code(err) == "" {
			t.Fatalf("an error without a code: %v", err)
		}
	})
}
