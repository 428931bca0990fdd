package identity

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// didPrefix starts every did:key of an Ed25519 key after base58 encoding; z
// marks base58btc (multibase).
const didPrefix = "did:key:z"

// multicodec ed25519-pub, as an unsigned varint.
var ed25519Code = []byte{0xed, 0x01}

// ErrBadSignature is a signature that the named key did not make.
var ErrBadSignature = errors.New("signature does not match")

// DID is the did:key of a public key.
func DID(public ed25519.PublicKey) string {
	return didPrefix + EncodeBase58(append(append([]byte{}, ed25519Code...), public...))
}

// ParseDID reads the public key out of a did:key.
func ParseDID(did string) (ed25519.PublicKey, error) {
	text, ok := strings.CutPrefix(did, didPrefix)
	if !ok {
		return nil, fmt.Errorf("%q is no did:key", did)
	}
	if len(text) > 64 { // 34 bytes take 46 to 48 characters
		return nil, fmt.Errorf("did:key of %d characters is too long", len(text))
	}
	data, err := DecodeBase58(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", did, err)
	}
	if len(data) != len(ed25519Code)+ed25519.PublicKeySize || data[0] != ed25519Code[0] || data[1] != ed25519Code[1] {
		return nil, fmt.Errorf("%s is not an Ed25519 key", did)
	}
	return ed25519.PublicKey(data[2:]), nil
}

// Verify checks that the owner of did signed message. The error wraps
// [ErrBadSignature] when somebody else did.
func Verify(did string, message, signature []byte) error {
	public, err := ParseDID(did)
	if err != nil {
		return err
	}
	if !ed25519.Verify(public, message, signature) {
		return fmt.Errorf("%s: %w", did, ErrBadSignature)
	}
	return nil
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// EncodeBase58 writes bytes in the base 58 of Bitcoin (base58btc): a big-endian
// number, with a 1 for each leading zero byte.
func EncodeBase58(data []byte) string {
	n, radix, digit := new(big.Int).SetBytes(data), big.NewInt(58), new(big.Int)
	var reversed []byte
	for n.Sign() > 0 {
		n.DivMod(n, radix, digit)
		reversed = append(reversed, base58[digit.Int64()])
	}
	for i := 0; i < len(data) && data[i] == 0; i++ {
		reversed = append(reversed, base58[0])
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return string(reversed)
}

// DecodeBase58 reads what [EncodeBase58] writes.
func DecodeBase58(text string) ([]byte, error) {
	n, radix, zeros := new(big.Int), big.NewInt(58), 0
	for i := 0; i < len(text); i++ {
		digit := strings.IndexByte(base58, text[i])
		if digit < 0 {
			return nil, fmt.Errorf("%q at %d is no base58 digit", text[i], i)
		}
		if digit == 0 && zeros == i {
			zeros++
		}
		n.Mul(n, radix)
		n.Add(n, big.NewInt(int64(digit)))
	}
	return append(make([]byte, zeros), n.Bytes()...), nil
}
