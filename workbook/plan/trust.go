package plan

// The words of #+TRUST:.
const (
	TrustFirst = "first-party"
	TrustThird = "third-party"
)
