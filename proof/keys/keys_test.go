package keys

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/fault"
)

func key(t testing.TB, n byte) identity.Key {
	t.Helper()
	k, err := identity.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVerifyStrict(t *testing.T) {
	k := key(t, 1)
	message := []byte("message")
	sig := k.Sign(message)
	changed := func(change func(sig []byte)) string {
		s := bytes.Clone(sig)
		change(s)
		return Encode(s)
	}
	weak := func(point string) string { return identity.DIDOf(unhex(t, point)) }
	identityPoint := "01" + strings.Repeat("00", 31)
	for _, c := range []struct {
		name, did, signature string
		want                 fault.Code
	}{
		{"good", k.DID(), Encode(sig), ""},
		{"other message's key", key(t, 2).DID(), Encode(sig), fault.SignatureInvalid},
		{"no did", "did:web:x", Encode(sig), fault.KeyMalformed},
		{"identity point", weak(identityPoint), Encode(append(unhex(t, identityPoint), make([]byte, 32)...)), fault.KeyWeak},
		{"order 2", weak("ec" + strings.Repeat("ff", 30) + "7f"), Encode(sig), fault.KeyWeak},
		{"order 4", weak(strings.Repeat("00", 32)), Encode(sig), fault.KeyWeak},
		{"order 4, other sign", weak(strings.Repeat("00", 31) + "80"), Encode(sig), fault.KeyWeak},
		{"order 8", weak("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"), Encode(sig), fault.KeyWeak},
		{"order 8, other", weak("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), Encode(sig), fault.KeyWeak},
		{"y is p", weak("ed" + strings.Repeat("ff", 30) + "7f"), Encode(sig), fault.KeyNoncanonical},
		{"y is p+1, signed", weak("ee" + strings.Repeat("ff", 31)), Encode(sig), fault.KeyNoncanonical},
		{"short", k.DID(), Encode(sig[:63]), fault.SignatureMalformed},
		{"empty", k.DID(), "", fault.SignatureMalformed},
		{"line break", k.DID(), Encode(sig) + "\n", fault.SignatureMalformed},
		{"url alphabet", k.DID(), strings.Repeat("_", 86) + "==", fault.SignatureMalformed},
		{"loose last bits", k.DID(), strings.TrimSuffix(Encode(sig), "==")[:85] + "/==", fault.SignatureMalformed},
		{"s + L", k.DID(), changed(func(s []byte) { addOrder(s[32:]) }), fault.SignatureNoncanonical},
		{"s is huge", k.DID(), changed(func(s []byte) { s[63] = 0xff }), fault.SignatureNoncanonical},
		{"R is p", k.DID(), changed(func(s []byte) { copy(s, fieldPrime) }), fault.SignatureNoncanonical},
		{"R is the identity", k.DID(), changed(func(s []byte) { copy(s, smallY[0]) }), fault.SignatureWeak},
		{"flipped bit", k.DID(), changed(func(s []byte) { s[40] ^= 1 }), fault.SignatureInvalid},
	} {
		if err := Verify(c.did, message, c.signature); fault.CodeOf(err) != c.want || (err == nil) != (c.want == "") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// addOrder adds L, which gives a second scalar with the same effect.
func addOrder(s []byte) {
	carry := 0
	for i := range s {
		sum := int(s[i]) + int(groupOrder[i]) + carry
		s[i], carry = byte(sum), sum>>8
	}
}

func TestLog(t *testing.T) {
	one, two, three := key(t, 1), key(t, 2), key(t, 3)
	log, err := NewLog(one, noon)
	if err != nil {
		t.Fatal(err)
	}
	short := log.Text()
	if log, err = log.Rotate(one, two, 5, noon); err != nil {
		t.Fatal(err)
	}
	if log, err = log.Revoke(two, one.DID(), 3, "stolen", noon); err != nil {
		t.Fatal(err)
	}
	if log.Identity() != one.DID() || log.Current() != two.DID() {
		t.Errorf("identity %s, current %s", log.Identity(), log.Current())
	}
	for _, c := range []struct {
		key      identity.Key
		sequence int
		want     fault.Code
	}{
		{one, 2, ""}, {one, 3, fault.KeyRevoked}, {one, NoSequence, fault.KeyRevoked},
		{two, 9, ""}, {two, NoSequence, ""}, {three, 1, fault.KeyUnknown},
	} {
		if err := log.Allows(c.key.DID(), c.sequence); fault.CodeOf(err) != c.want {
			t.Errorf("%s at %d: %v, want %q", c.key.DID(), c.sequence, err, c.want)
		}
	}
	if err := log.Continues(short); err != nil {
		t.Error(err)
	}
	before, _ := ParseLog(short)
	if err := before.Continues(log.Text()); fault.CodeOf(err) != fault.KeylogRollback {
		t.Errorf("a shorter log: %v", err)
	}
	if _, err := log.Rotate(one, three, 9, noon); fault.CodeOf(err) != fault.KeylogChain {
		t.Errorf("rotation by an old key: %v", err)
	}
	if _, err := log.Rotate(two, one, 9, noon); fault.CodeOf(err) != fault.KeylogChain {
		t.Errorf("an old key came back: %v", err)
	}
	lines := bytes.SplitAfter(log.Text(), []byte("\n"))
	for name, c := range map[string]struct {
		text []byte
		want fault.Code
	}{
		"changed reason": {bytes.Replace(log.Text(), []byte("stolen"), []byte("mislai"), 1), fault.KeylogSignature},
		"line left out":  {append(bytes.Clone(lines[0]), lines[2]...), fault.KeylogChain},
		"no first line":  {append(bytes.Clone(lines[1]), lines[2]...), fault.KeylogChain},
		"no newline":     {bytes.TrimSuffix(log.Text(), []byte("\n")), fault.KeylogMalformed},
		"spaces":         {bytes.Replace(log.Text(), []byte(`{"at":`), []byte(`{"at": `), 1), fault.JSONNoncanonical},
		"unknown field":  {bytes.Replace(log.Text(), []byte(`{"at":`), []byte(`{"aa":1,"at":`), 1), fault.KeylogMalformed},
	} {
		if _, err := ParseLog(c.text); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	log, err := NewLog(key(f, 1), noon)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(log.Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		if l, err := ParseLog(text); err == nil && l.Current() == "" {
			t.Fatal("a log without a key")
		}
	})
}

func TestStore(t *testing.T) {
	t.Setenv(identity.EnvSeed, "")
	dir := t.TempDir()
	s, err := Open(dir, "default", noon)
	if err != nil {
		t.Fatal(err)
	}
	first := s.Key.DID()
	old, err := s.Rotate(4, noon)
	if err != nil || old != first || s.Key.DID() == first {
		t.Fatalf("rotate: %s %v", old, err)
	}
	if err := s.Revoke(first, 0, "lost", noon); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, "default", noon)
	if err != nil || again.Key.DID() != s.Key.DID() || !bytes.Equal(again.Log.Text(), s.Log.Text()) {
		t.Fatalf("read again: %v %v", again, err)
	}
	info, err := os.Stat(again.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v %v", info, err)
	}
}

// A process that stops between naming the next key in the log and putting it
// in its place leaves a store that the next one can use.
func TestStoreCrash(t *testing.T) {
	t.Setenv(identity.EnvSeed, "")
	dir := t.TempDir()
	s, err := Open(dir, "default", noon)
	if err != nil {
		t.Fatal(err)
	}
	next, err := identity.Load(dir, "default.next")
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.Log.Rotate(s.Key, next, 1, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.keep(log); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, "default", noon)
	if err != nil || again.Key.DID() != next.DID() {
		t.Fatalf("%v %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "default.next.ed25519")); !os.IsNotExist(err) {
		t.Errorf("the next key lies still aside: %v", err)
	}
}

// Revoking the current key puts another in its place: the store goes on, and
// publishes what was revoked.
func TestRevokeCurrent(t *testing.T) {
	t.Setenv(identity.EnvSeed, "")
	dir := t.TempDir()
	s, err := Open(dir, "default", noon)
	if err != nil {
		t.Fatal(err)
	}
	first := s.Key.DID()
	if err := s.Revoke(first, 7, "stolen", noon); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, "default", noon)
	if err != nil || again.Key.DID() == first || again.Log.Identity() != first || again.Log.Current() != again.Key.DID() {
		t.Fatalf("%v: %s signs for %s", err, again.Key.DID(), again.Log.Identity())
	}
	for sequence, want := range map[int]fault.Code{6: "", 7: fault.KeyRevoked, NoSequence: fault.KeyRevoked} {
		if err := again.Log.Allows(first, sequence); fault.CodeOf(err) != want {
			t.Errorf("release %d: %v, want %q", sequence, err, want)
		}
	}
	if err := again.Log.Allows(again.Key.DID(), NoSequence); err != nil {
		t.Error(err)
	}

	if err := again.Another(noon); err != nil {
		t.Fatal(err)
	}
	logs, err := KnownLogs(dir, "default")
	if err != nil || len(logs) != 2 || again.Log.Identity() == first {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	list, err := RevokedList(logs...)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadLogs(list)
	if err != nil || len(read) != 1 || LogOf(first, read) == nil || LogOf(again.Key.DID(), read) != nil {
		t.Fatalf("%d logs, %v", len(read), err)
	}
	if got := read[0].Revocations(); len(got) != 1 || got[0] != (Revocation{Identity: first, Key: first, Sequence: 7, Reason: "stolen", At: "2026-01-02T12:00:00Z"}) {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		old, new string
		want     fault.Code
	}{
		{`"sequence":7}`, `"sequence":9}`, fault.KeylogMalformed},
		{`"stolen","sequence"`, `"mislaid","sequence"`, fault.KeylogMalformed},
		{"stolen", "mislaid", fault.KeylogSignature},
		{`"revoked":[{`, `"revoked":[],"x":[{`, fault.JSONNoncanonical},
	} {
		changed := bytes.Replace(list, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(changed, list) {
			t.Fatalf("the list has no %s", c.old)
		}
		if _, err := ReadLogs(changed); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}
