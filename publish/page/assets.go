package page

import "wb/proof/verify/js"

// Style is the style sheet of a page, for sites that have it once.
func Style() string { return style }

// Verifier is the ES module behind the button at the foot of a page, for sites
// that have it once.
func Verifier() string { return js.Source + proof }
