package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/sandbox/grants"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func key(t *testing.T, n byte) identity.Key {
	t.Helper()
	k, err := identity.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func check(t *testing.T, log *keys.Log, err error) *keys.Log {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func logOf(t *testing.T, k identity.Key) *keys.Log {
	log, err := keys.NewLog(k, noon)
	return check(t, log, err)
}

func TestBy(t *testing.T) {
	one, two, three := key(t, 1), key(t, 2), key(t, 3)
	log, theirs := logOf(t, one), logOf(t, three)
	rotate, err := log.Rotate(one, two, 1, noon)
	rotated := check(t, rotate, err)
	revoke, err := rotated.Revoke(two, one.DID(), 0, "stolen", noon)
	revoked := check(t, revoke, err)
	ended, err := rotated.Revoke(two, two.DID(), 0, "stolen too", noon)
	gone := check(t, ended, err)
	asks := []string{"kv", "net:api.example.com"}
	trusted := grants.TrustedSigner{DID: one.DID(), Grants: []string{"kv", "net:*"}}
	with := func(change func(*grants.TrustedSigner)) grants.TrustedSigner {
		s := trusted
		change(&s)
		return s
	}
	for _, c := range []struct {
		name   string
		signer grants.TrustedSigner
		seen   string
		issuer identity.Key
		log    *keys.Log
		want   bool
	}{
		{"the key, without a log", trusted, "", one, nil, true},
		{"the key, with its log", trusted, "", one, log, true},
		{"another key", trusted, "", three, nil, false},
		{"another key with its own log", trusted, "", three, theirs, false},
		{"another key with the trusted one's log", trusted, "", three, log, false},
		{"the next key of the identity", trusted, "", two, rotated, true},
		{"the next key without the log", trusted, "", two, nil, false},
		{"the next key, and the log is known", with(func(s *grants.TrustedSigner) { s.Keys = string(rotated.Text()) }), "", two, nil, true},
		{"rotated away, signed before", trusted, "", one, rotated, true},
		{"revoked in the log that came", trusted, "", one, revoked, false},
		{"revoked in the log that was trusted", with(func(s *grants.TrustedSigner) { s.Keys = string(revoked.Text()) }), "", one, log, false},
		{"revoked in a log seen at a site", trusted, string(revoked.Text()), one, log, false},
		{"revoked in a log seen, and none came", trusted, string(revoked.Text()), one, nil, false},
		{"the next key revoked", trusted, "", two, gone, false},
		{"the next key revoked, by what was seen", trusted, string(gone.Text()), two, rotated, false},
		{"a log that goes another way", with(func(s *grants.TrustedSigner) { s.Keys = string(theirs.Text()) }), "", one, log, false},
		{"the next key alone is trusted", grants.TrustedSigner{DID: two.DID(), Grants: []string{"kv"}}, "", two, rotated, true},
		{"the next key alone is trusted, the first one signs", grants.TrustedSigner{DID: two.DID(), Grants: []string{"kv"}}, "", one, rotated, false},
	} {
		trust := &Trust{Signers: []grants.TrustedSigner{c.signer}, Seen: func(string) string { return c.seen }}
		var text []byte
		if c.log != nil {
			text = c.log.Text()
		}
		did, granted := trust.By(c.issuer.DID(), text, asks)
		if (did != "") != c.want || c.want && (did != c.signer.DID || len(granted) == 0) {
			t.Errorf("%s: %q %q", c.name, did, granted)
		}
	}
	trust := &Trust{Signers: []grants.TrustedSigner{trusted}}
	if _, granted := trust.By(one.DID(), nil, []string{"kv:a", "net:x.org", "llm"}); !slices.Equal(granted, []string{"kv:a", "net:x.org"}) {
		t.Errorf("granted %q", granted)
	}
	if did, _ := trust.By(one.DID(), nil, []string{"llm"}); did != "" {
		t.Error("granted what nobody granted")
	}
	if did, _ := trust.By(one.DID(), []byte("broken\n"), asks); did != "" {
		t.Error("trusted with a broken key log")
	}
}

func TestWorkbook(t *testing.T) {
	one, stranger := key(t, 1), key(t, 3)
	file := filepath.Join(t.TempDir(), "a.org")
	trust := &Trust{Signers: []grants.TrustedSigner{{DID: one.DID(), Grants: []string{"kv"}}}}
	granted := func(program string) bool {
		did, _, err := trust.File(file, program, []string{"kv"})
		if err != nil {
			t.Fatal(err)
		}
		return did != ""
	}
	if granted("aa") {
		t.Error("granted without a signature")
	}
	put := func(text []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+manifest.DetachedSuffix, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(manifest.SignDetached([]byte("* x"), one, logOf(t, one), noon, manifest.ProgramAssertion("aa")))
	if !granted("aa") || granted("bb") || granted("") {
		t.Error("a signature must hold for its program and for no other")
	}
	put(manifest.SignDetached([]byte("* x"), stranger, logOf(t, stranger), noon, manifest.ProgramAssertion("aa")))
	if granted("aa") {
		t.Error("granted for a stranger's signature")
	}
	put([]byte("{}\n"), nil)
	if granted("aa") {
		t.Error("granted for a broken signature")
	}
}

// TestPublished: a page or bundle grants for the workbook in it.
func TestPublished(t *testing.T) {
	one, stranger := key(t, 1), key(t, 3)
	trust := &Trust{Signers: []grants.TrustedSigner{{DID: one.DID(), Grants: []string{"kv"}}}}
	dir := t.TempDir()
	for _, by := range []identity.Key{one, stranger} {
		zip, err := sign.Bundle(manifest.Files{"a.org": []byte("* x")}, sign.Issuer{Signer: by, Keys: logOf(t, by)}, noon)
		if err != nil {
			t.Fatal(err)
		}
		page, err := manifest.SignPage(bundle.Embed([]byte("<p>x"), zip), by, noon)
		if err != nil {
			t.Fatal(err)
		}
		empty, err := manifest.SignPage([]byte("<p>x"), by, noon)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			data []byte
			want bool
		}{
			"a.wbundle": {zip, by.DID() == one.DID()}, "b.html": {page, by.DID() == one.DID()}, "c.html": {empty, false},
			"d.html": {bytes.Replace(page, []byte("<p>x"), []byte("<p>y"), 1), false}, "e.wbundle": {append(bytes.Clone(zip), 0), false},
		} {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			if did, _, err := trust.File(file, "", []string{"kv"}); err != nil || (did != "") != c.want {
				t.Errorf("%s by %s: %q %v", name, by.DID(), did, err)
			}
		}
	}
}

// TestCheck: of all logs of an identity the longest says whether a key may sign.
func TestCheck(t *testing.T) {
	one, two, three := key(t, 1), key(t, 2), key(t, 3)
	log, theirs := logOf(t, one), logOf(t, three)
	rotate, err := log.Rotate(one, two, 1, noon)
	rotated := check(t, rotate, err)
	revoke, err := rotated.Revoke(two, one.DID(), 0, "stolen", noon)
	revoked := check(t, revoke, err)
	fork, err := log.Rotate(one, three, 1, noon)
	forked := check(t, fork, err)
	text := func(l *keys.Log) string {
		if l == nil {
			return ""
		}
		return string(l.Text())
	}
	for _, c := range []struct {
		name               string
		issuer             identity.Key
		came               *keys.Log
		given, seen, trust *keys.Log
		want               fault.Code
		identity           string // of the log that counts, "" for none
	}{
		{"nothing is known", one, nil, nil, nil, nil, "", ""},
		{"its log came", one, log, nil, nil, nil, "", one.DID()},
		{"another's log came", one, theirs, nil, nil, nil, fault.KeyUnknown, three.DID()},
		{"another's is known", one, log, theirs, theirs, theirs, "", one.DID()},
		{"the next key", two, rotated, log, nil, nil, "", one.DID()},
		{"gave way", one, log, rotated, nil, nil, "", one.DID()},
		{"revoked in the log that came", one, revoked, nil, nil, nil, fault.KeyRevoked, one.DID()},
		{"revoked in a log that was given", one, log, revoked, nil, nil, fault.KeyRevoked, one.DID()},
		{"revoked in a log seen", one, log, nil, revoked, nil, fault.KeyRevoked, one.DID()},
		{"revoked in a log trusted", one, log, nil, nil, revoked, fault.KeyRevoked, one.DID()},
		{"no log came, and one is given", one, nil, revoked, nil, nil, fault.KeyRevoked, one.DID()},
		{"no log came, and one was seen", one, nil, nil, revoked, nil, fault.KeyRevoked, one.DID()},
		{"no log came, the next key", two, nil, nil, nil, revoked, "", one.DID()},
		{"the log went another way", one, forked, rotated, nil, nil, fault.KeylogRollback, ""},
	} {
		trust := &Trust{Given: []string{text(c.given)}, Signers: []grants.TrustedSigner{{DID: three.DID(), Keys: text(c.trust)}},
			Seen: func(identity string) string {
				if c.seen != nil && c.seen.Identity() == identity {
					return text(c.seen)
				}
				return ""
			}}
		log, err := trust.Check(c.issuer.DID(), []byte(text(c.came)))
		if fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if got := ""; log != nil {
			got = log.Identity()
			if got != c.identity {
				t.Errorf("%s: the log of %q", c.name, got)
			}
		} else if c.identity != "" {
			t.Errorf("%s: no log", c.name)
		}
	}
	if _, err := (&Trust{}).Check(one.DID(), []byte("nonsense\n")); err == nil {
		t.Error("nonsense is a log")
	}
	ends, err := revoked.Revoke(two, two.DID(), 0, "stolen too", noon)
	over := check(t, ends, err)
	both := &Trust{Signers: []grants.TrustedSigner{{DID: one.DID(), Grants: []string{"kv"}}}, Given: []string{text(theirs), text(over)}}
	if did, _ := both.By(two.DID(), rotated.Text(), []string{"kv"}); did != "" {
		t.Error("what the user revoked is granted")
	}
}
