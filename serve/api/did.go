package api

import (
	"net/url"
	"strings"

	"wb/trace/identity"
)

// didWeb is the did:web document of a host: the same key as the did:key that
// runs are signed with.
func didWeb(host string, key identity.Key) map[string]any {
	id := "did:web:" + strings.ReplaceAll(url.QueryEscape(host), "+", "%20")
	method := id + "#key-1"
	return map[string]any{
		"@context": []string{"https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"},
		"id":       id,
		"verificationMethod": []any{map[string]string{"id": method, "type": "Multikey", "controller": id,
			"publicKeyMultibase": strings.TrimPrefix(key.DID(), "did:key:")}},
		"authentication":  []string{method},
		"assertionMethod": []string{method},
		"alsoKnownAs":     []string{key.DID()},
	}
}
