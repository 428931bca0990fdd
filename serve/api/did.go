package api

import (
	"net/http"

	"wb/proof/keys"
)

// didDocument publishes the key that signs what this host's runs did, by the
// did:web method: the host's is that of the first tenant, and that of each tenant
// is did:web:HOST:t:NAME.
func (s *Server) didDocument(w http.ResponseWriter, r *http.Request) {
	at, did := s.tenants[0], keys.DIDWeb(r.Host)
	if name := r.PathValue("tenant"); name != "" {
		at, did = nil, keys.DIDWeb(r.Host, "t", name)
		for _, t := range s.tenants {
			if t.Name == name {
				at = t
			}
		}
	}
	if at == nil || at.key.IsZero() {
		fail(w, http.StatusNotFound, "not_found", "no signer has that name here")
		return
	}
	answer(w, http.StatusOK, keys.Document(did, at.key.DID()))
}
