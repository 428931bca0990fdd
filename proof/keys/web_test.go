package keys

import (
	"encoding/json"
	"strings"
	"testing"

	"wb/internal/identity"
)

func TestWebURL(t *testing.T) {
	for did, want := range map[string]string{
		"did:web:example.org":               "https://example.org/.well-known/did.json",
		"did:web:EXAMPLE.org":               "https://example.org/.well-known/did.json",
		"did:web:localhost%3A8080":          "https://localhost:8080/.well-known/did.json",
		"did:web:example.org:people:ada":    "https://example.org/people/ada/did.json",
		"did:web:example.org:t:with%20room": "https://example.org/t/with%20room/did.json",
	} {
		if u, err := WebURL(did); err != nil || u.String() != want {
			t.Errorf("%s: %v %v", did, u, err)
		}
	}
	for _, bad := range []string{"", "did:web:", "did:key:z6Mk", "did:web:a/b", "did:web:a%2Fb", "did:web:user%40host", "did:web:host:..", "did:web:host:%2e%2e",
		"did:web:host::x", "did:web:host%3Fx", "did:web:host%23x", "did:web:%zz", "did:web:a b", "did:web:host%3Aport"} {
		if u, err := WebURL(bad); err == nil {
			t.Errorf("%q: %s", bad, u)
		}
	}
	for _, c := range [][]string{{"example.org"}, {"localhost:8080"}, {"example.org", "people", "ada"}} {
		if u, err := WebURL(DIDWeb(c[0], c[1:]...)); err != nil || u.Host != c[0] {
			t.Errorf("%q: %v %v", c, u, err)
		}
	}
}

func TestReadDocument(t *testing.T) {
	one, err := identity.FromSeed([]byte(strings.Repeat("1", 32)))
	if err != nil {
		t.Fatal(err)
	}
	const did = "did:web:example.org"
	text, err := json.Marshal(Document(did, one.DID()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadDocument(did, text)
	if err != nil || len(got) != 1 || got[0] != one.DID() {
		t.Fatalf("%v %v", got, err)
	}
	multibase := strings.TrimPrefix(one.DID(), "did:key:")
	method := `{"id":"` + did + `#k","type":"Multikey","controller":"` + did + `","publicKeyMultibase":"` + multibase + `"}`
	for name, good := range map[string]string{
		"a fragment":  `{"id":"did:web:example.org","assertionMethod":["#k"],"verificationMethod":[` + method + `]}`,
		"inline":      `{"id":"did:web:example.org","assertionMethod":[` + method + `]}`,
		"with others": `{"id":"did:web:example.org","assertionMethod":["#p256","#k"],"verificationMethod":[{"id":"#p256","type":"JsonWebKey2020"},` + method + `]}`,
	} {
		if got, err := ReadDocument(did, []byte(good)); err != nil || len(got) != 1 || got[0] != one.DID() {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	for name, bad := range map[string]string{
		"not JSON":           "x",
		"another's":          strings.ReplaceAll(string(text), did, "did:web:example.com"),
		"may not assert":     `{"id":"did:web:example.org","authentication":["#k"],"verificationMethod":[` + method + `]}`,
		"controlled by them": `{"id":"did:web:example.org","assertionMethod":["#k"],"verificationMethod":[` + strings.Replace(method, `"controller":"`+did, `"controller":"did:web:evil.org`, 1) + `]}`,
		"no key":             `{"id":"did:web:example.org","assertionMethod":["#k"],"verificationMethod":[` + strings.Replace(method, multibase, "z123", 1) + `]}`,
		"weak key":           `{"id":"did:web:example.org","assertionMethod":["#k"],"verificationMethod":[` + strings.Replace(method, multibase, strings.TrimPrefix(identity.DIDOf(make([]byte, 32)), "did:key:"), 1) + `]}`,
		"also known as":      `{"id":"did:web:example.org","alsoKnownAs":["` + one.DID() + `"]}`,
	} {
		if got, err := ReadDocument(did, []byte(bad)); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzWebURL(f *testing.F) {
	f.Add("did:web:example.org")
	f.Add("did:web:localhost%3A8080:a:b")
	f.Fuzz(func(t *testing.T, did string) {
		if u, err := WebURL(did); err == nil && (u.Host == "" || u.User != nil || u.RawQuery != "" || strings.Contains(u.Path, "/../")) {
			t.Fatalf("%q: %s", did, u)
		}
	})
}
