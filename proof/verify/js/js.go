// Package js holds the verifier for browsers: verify.mjs, an ES module that
// needs WebCrypto and nothing else, and gives the codes of wb/publish/verify.
package js

import _ "embed"

// Source is the text of verify.mjs.
//
//go:embed verify.mjs
var Source string
