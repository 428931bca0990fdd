// Package keys says who signed: strict Ed25519, and the log in which an
// identity replaces and revokes its keys.
//
// # Strict signatures
//
// RFC 8032 leaves verifiers room: encodings that one accepts and another
// refuses, keys of small order under which a signature of anything can be
// made up. [Verify] leaves none. A key or commitment of small order, a second
// encoding of a point or scalar, and base64 that is not the one spelling of its
// bytes are refused, each with its own code, so that Go and the WebCrypto of
// every browser come to one verdict.
//
// # The key log
//
// An identity is the key of the first entry of its log. Each further entry
// names the one before by digest: a rotation is signed by the old key and by
// the new one, a revocation by the current key. Both say from which release of
// a site on they hold, so what was signed before stays good.
//
// Where the keys themselves lie is the matter of wb/trace/identity.
package keys

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"wb/internal/identity"
	"wb/proof/fault"
)

// Encode is the spelling of a signature in manifests: standard base64.
func Encode(signature []byte) string { return base64.StdEncoding.EncodeToString(signature) }

// Verify checks that did signed message. Errors are [fault.Error]s.
func Verify(did string, message []byte, signature string) error {
	public, err := Public(did)
	if err != nil {
		return err
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(signature)
	if err != nil || len(sig) != ed25519.SignatureSize || Encode(sig) != signature {
		return fault.New(fault.SignatureMalformed, "not the base64 of 64 bytes")
	}
	return VerifyRaw(public, message, sig)
}

// Public reads the key of a did:key and refuses one that proves nothing.
func Public(did string) (ed25519.PublicKey, error) {
	public, err := identity.PublicOf(did)
	if err != nil {
		return nil, fault.New(fault.KeyMalformed, "%v", err)
	}
	switch {
	case !canonicalPoint(public):
		return nil, fault.New(fault.KeyNoncanonical, "%s encodes a point in a second way", did)
	case smallOrder(public):
		return nil, fault.New(fault.KeyWeak, "%s is a point of small order", did)
	}
	return public, nil
}

// VerifyRaw is [Verify] for the bytes of a key that Public returned and of a
// signature.
func VerifyRaw(public ed25519.PublicKey, message, sig []byte) error {
	commitment, scalar := sig[:32], sig[32:]
	switch {
	case !less(scalar, groupOrder), !canonicalPoint(commitment):
		return fault.New(fault.SignatureNoncanonical, "a second spelling of a signature")
	case smallOrder(commitment):
		return fault.New(fault.SignatureWeak, "its commitment is a point of small order")
	case !ed25519.Verify(public, message, sig):
		return fault.New(fault.SignatureInvalid, "the key did not sign this")
	}
	return nil
}

// Numbers of the curve, little-endian like everything Ed25519 encodes.
var (
	fieldPrime = littleEndian("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f") // 2²⁵⁵ − 19
	groupOrder = littleEndian("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010") // L
	// smallY are the y coordinates of the eight points of small order, which
	// come in pairs but for the first two.
	smallY = [][]byte{
		littleEndian("0100000000000000000000000000000000000000000000000000000000000000"), // order 1
		littleEndian("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"), // order 2
		littleEndian("0000000000000000000000000000000000000000000000000000000000000000"), // order 4
		littleEndian("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), // order 8
		littleEndian("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), // order 8
	}
)

func littleEndian(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err) // a constant of this file
	}
	return b
}

// less compares little-endian numbers.
func less(a, b []byte) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// yOf is the y coordinate of an encoded point: all but the sign of x.
func yOf(point []byte) []byte {
	y := bytes.Clone(point)
	y[31] &= 0x7f
	return y
}

func canonicalPoint(point []byte) bool { return less(yOf(point), fieldPrime) }

func smallOrder(point []byte) bool {
	y := yOf(point)
	return slices.ContainsFunc(smallY, func(small []byte) bool { return bytes.Equal(y, small) })
}
