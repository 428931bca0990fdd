package keys

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"wb/proof/fault"
)

// A did:web names a host, and maybe a path at it, whose did.json holds keys. It
// proves as much as the host's TLS certificate does: that whoever controls the
// host says so. https://w3c-ccg.github.io/did-method-web/

// DIDWeb is the did:web of a host, with a port or without, and of a path there.
func DIDWeb(host string, path ...string) string {
	parts := []string{"did:web", strings.ReplaceAll(host, ":", "%3A")}
	for _, part := range path {
		parts = append(parts, url.PathEscape(part))
	}
	return strings.Join(parts, ":")
}

// WebURL is where the document of a did:web is.
func WebURL(did string) (*url.URL, error) {
	text, ok := strings.CutPrefix(did, "did:web:")
	if !ok || text == "" {
		return nil, fault.New(fault.DIDMalformed, "%q is not a did:web", did)
	}
	var parts []string
	for part := range strings.SplitSeq(text, ":") {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, "/?#@\\") {
			return nil, fault.New(fault.DIDMalformed, "%q is not a did:web", did)
		}
		parts = append(parts, plain)
	}
	if len(parts) == 1 {
		parts = append(parts, ".well-known")
	}
	u := &url.URL{Scheme: "https", Host: strings.ToLower(parts[0]), Path: "/" + strings.Join(parts[1:], "/") + "/did.json"}
	if again, err := url.Parse(u.String()); err != nil || again.Hostname() == "" || again.Host != u.Host {
		return nil, fault.New(fault.DIDMalformed, "%q is not a did:web", did)
	}
	return u, nil
}

// Document is the did:web document that republishes a did:key. Keys that were
// revoked stand in it with the time of that, and may assert nothing.
func Document(did, key string, revoked ...Revocation) map[string]any {
	multibase := key[len("did:key:"):]
	name := did + "#" + multibase
	methods := []map[string]string{{"id": name, "type": "Multikey", "controller": did, "publicKeyMultibase": multibase}}
	for _, r := range revoked {
		if old := r.Key[len("did:key:"):]; old != multibase {
			methods = append(methods, map[string]string{"id": did + "#" + old, "type": "Multikey", "controller": did, "publicKeyMultibase": old, "revoked": r.At})
		}
	}
	return map[string]any{
		"@context":           []string{"https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"},
		"id":                 did,
		"alsoKnownAs":        []string{key},
		"assertionMethod":    []string{name},
		"authentication":     []string{name},
		"verificationMethod": methods,
	}
}

// ReadDocument gives the did:keys that a did:web document says may assert: its
// verification methods of type Multikey, or Ed25519VerificationKey2020, that
// assertionMethod names. Keys of other kinds are passed over.
func ReadDocument(did string, text []byte) ([]string, error) {
	var doc struct {
		ID              string            `json:"id"`
		AssertionMethod []json.RawMessage `json:"assertionMethod"`
		Methods         []method          `json:"verificationMethod"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fault.New(fault.DIDDocument, "the document of %s is not JSON: %v", did, err)
	}
	if doc.ID != did {
		return nil, fault.New(fault.DIDDocument, "the document of %s is that of %q", did, doc.ID)
	}
	var out []string
	for _, raw := range doc.AssertionMethod {
		var m method
		var name string
		if json.Unmarshal(raw, &name) == nil {
			i := slices.IndexFunc(doc.Methods, func(m method) bool { return m.ID == name || did+m.ID == name || m.ID == did+name })
			if i < 0 {
				continue
			}
			m = doc.Methods[i]
		} else if json.Unmarshal(raw, &m) != nil {
			continue
		}
		key := "did:key:" + m.Multibase
		if _, err := Public(key); err == nil && m.Revoked == "" && m.Controller == did && (m.Type == "Multikey" || m.Type == "Ed25519VerificationKey2020") {
			out = append(out, key)
		}
	}
	if len(out) == 0 {
		return nil, fault.New(fault.DIDDocument, "the document of %s names no Ed25519 key that may assert", did)
	}
	return out, nil
}

// method is a verification method.
type method struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Controller string `json:"controller"`
	Multibase  string `json:"publicKeyMultibase"`
	Revoked    string `json:"revoked"` // when, of a key that is not to be believed
}
