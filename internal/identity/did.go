package identity

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// didPrefix and the multicodec prefix of an Ed25519 public key.
const didPrefix = "did:key:z"

var multicodec = []byte{0xed, 0x01}

// DIDOf is the did:key of a public key.
func DIDOf(public ed25519.PublicKey) string {
	return didPrefix + base58(append(append([]byte(nil), multicodec...), public...))
}

// PublicOf reads the public key out of a did:key.
func PublicOf(did string) (ed25519.PublicKey, error) {
	text, ok := strings.CutPrefix(did, didPrefix)
	if !ok {
		return nil, fmt.Errorf("%q is not a did:key", did)
	}
	data, err := unbase58(text)
	if err != nil || len(data) != len(multicodec)+ed25519.PublicKeySize || data[0] != multicodec[0] || data[1] != multicodec[1] {
		return nil, fmt.Errorf("%q is not an Ed25519 did:key", did)
	}
	return ed25519.PublicKey(data[len(multicodec):]), nil
}

// bitcoin is the base58 alphabet of Bitcoin.
const bitcoin = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58(data []byte) string {
	n, rem, radix := new(big.Int).SetBytes(data), new(big.Int), big.NewInt(58)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, radix, rem)
		out = append(out, bitcoin[rem.Int64()])
	}
	for i := 0; i < len(data) && data[i] == 0; i++ {
		out = append(out, bitcoin[0])
	}
	for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
		out[a], out[b] = out[b], out[a]
	}
	return string(out)
}

func unbase58(text string) ([]byte, error) {
	if len(text) > 128 {
		return nil, errors.New("base58: too long")
	}
	n, radix := new(big.Int), big.NewInt(58)
	for _, c := range text {
		digit := strings.IndexRune(bitcoin, c)
		if digit < 0 {
			return nil, fmt.Errorf("base58: bad character %q", c)
		}
		n.Mul(n, radix).Add(n, big.NewInt(int64(digit)))
	}
	zeros := 0
	for zeros < len(text) && text[zeros] == bitcoin[0] {
		zeros++
	}
	return append(make([]byte, zeros), n.Bytes()...), nil
}

// ErrBadSignature is a signature that the named key did not make.
var ErrBadSignature = errors.New("signature does not match")

// Verify checks that the owner of did signed data. The error is
// [ErrBadSignature] when somebody else did.
func Verify(did string, data, signature []byte) error {
	public, err := PublicOf(did)
	if err != nil {
		return err
	}
	if !ed25519.Verify(public, data, signature) {
		return ErrBadSignature
	}
	return nil
}
