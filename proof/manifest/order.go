package manifest

import (
	"time"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
)

// OrderVersion is the version of orders.
const OrderVersion = "workbooks-order/1"

// Order is a signed request of a site's key holder to a server, for what a token alone
// is not enough for: to show readers an older release than they have seen.
type Order struct {
	Version     string `json:"version"`
	IdentityDID string `json:"identity_did"` // of the site
	IssuerDID   string `json:"issuer_did"`   // the key that signed
	IssuedAt    string `json:"issued_at"`
	Site        string `json:"site"`     // its address at the server: /w/notes/
	Release     string `json:"release"`  // to show
	Replaces    string `json:"replaces"` // that is shown now, so that an order holds once
	Signature   string `json:"signature"`
}

// SignOrder signs the order to show release in the place of replaces.
func SignOrder(site, release, replaces, identity string, signer identity.Signer, at time.Time) ([]byte, error) {
	o := Order{Version: OrderVersion, IdentityDID: identity, IssuerDID: signer.DID(), IssuedAt: Stamp(at), Site: site, Release: release, Replaces: replaces}
	message, err := signedForm(o)
	if err != nil {
		return nil, err
	}
	o.Signature = keys.Encode(signer.Sign(message))
	return jcs.Marshal(o)
}

// ReadOrder reads an order and checks its signature, and nothing else.
func ReadOrder(text []byte) (*Order, error) {
	v, err := jcs.Check(text)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(v, OrderVersion); err != nil {
		return nil, err
	}
	var o Order
	if err := jcs.Assign(v, &o, fault.ManifestFields); err != nil {
		return nil, err
	}
	message, err := signedForm(o)
	if err != nil {
		return nil, err
	}
	return &o, keys.Verify(o.IssuerDID, message, o.Signature)
}
