package plan

import "wb/org"

// The words of #+TRUST:.
const (
	TrustFirst = "first-party"
	TrustThird = "third-party"
)

// ThirdParty is the word of #+TRUST: that makes a document a third party's. An
// unknown word is no reason for trust.
func ThirdParty(doc *org.Document) (word org.Token, is bool) {
	for k := range doc.Keywords("TRUST") {
		if k.Value.Text != TrustFirst {
			return k.Value, true
		}
	}
	return org.Token{}, false
}
