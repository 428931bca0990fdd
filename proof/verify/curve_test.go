package verify_test

import (
	"crypto/sha512"
	"math/big"
)

// The curve of Ed25519 (RFC 8032, 5.1) by its definition, slow and plain: to
// make signatures that no honest program makes.

var (
	prime  = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	order  = fromText("7237005577332262213973186563042994240857116359379907606001950938285454250989")
	curveD = mod(new(big.Int).Mul(big.NewInt(-121665), inverse(big.NewInt(121666))))
	base   = point{fromText("15112221349535400772501151409588531511454012693041857206046113283949847762202"),
		fromText("46316835694926478169428394003475163141307993866256225615783033603165251855960")}
	zero = point{big.NewInt(0), big.NewInt(1)}
)

type point struct{ x, y *big.Int }

func fromText(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s) // a constant of this file
	}
	return n
}

func mod(n *big.Int) *big.Int     { return n.Mod(n, prime) }
func inverse(n *big.Int) *big.Int { return new(big.Int).ModInverse(mod(new(big.Int).Set(n)), prime) }
func times(a, b *big.Int) *big.Int {
	return mod(new(big.Int).Mul(a, b))
}

// add is the complete addition law of the curve −x² + y² = 1 + d x² y².
func add(a, b point) point {
	both := times(times(a.x, b.x), times(a.y, b.y))
	both = times(curveD, both)
	x := times(mod(new(big.Int).Add(times(a.x, b.y), times(a.y, b.x))), inverse(new(big.Int).Add(big.NewInt(1), both)))
	y := times(mod(new(big.Int).Add(times(a.y, b.y), times(a.x, b.x))), inverse(new(big.Int).Sub(big.NewInt(1), both)))
	return point{x, y}
}

func multiply(n *big.Int, p point) point {
	out := zero
	for i := n.BitLen() - 1; i >= 0; i-- {
		out = add(out, out)
		if n.Bit(i) == 1 {
			out = add(out, p)
		}
	}
	return out
}

// encode is the encoding of a point.
func encode(p point) []byte {
	out := little(p.y)
	out[31] |= byte(p.x.Bit(0)) << 7
	return out
}

// little is a number in 32 bytes, little-endian.
func little(n *big.Int) []byte {
	out := make([]byte, 32)
	n.FillBytes(out)
	for i := range 16 {
		out[i], out[31-i] = out[31-i], out[i]
	}
	return out
}

func number(b []byte) *big.Int {
	out := make([]byte, len(b))
	for i, c := range b {
		out[len(b)-1-i] = c
	}
	return new(big.Int).SetBytes(out)
}

// decode finds the point of an encoding; ok is false where there is none.
func decode(b []byte) (p point, ok bool) {
	y := number(b)
	sign := y.Bit(255)
	y.SetBit(y, 255, 0)
	yy := times(y, y)
	xx := times(mod(new(big.Int).Sub(yy, big.NewInt(1))), inverse(new(big.Int).Add(times(curveD, yy), big.NewInt(1))))
	x := new(big.Int).ModSqrt(xx, prime)
	if x == nil {
		return p, false
	}
	if x.Bit(0) != sign {
		x = mod(new(big.Int).Neg(x))
	}
	return point{x, mod(y)}, true
}

// torsion is a point of order 8: any point times L, until it is one.
func torsion() point {
	for n := byte(2); ; n++ {
		p, ok := decode([]byte{n, 31: 0})
		if !ok {
			continue
		}
		t := multiply(order, p)
		if four := multiply(big.NewInt(4), t); four.y.Cmp(zero.y) != 0 {
			return t
		}
	}
}

// secret is the scalar of a seed.
func secret(seed []byte) (scalar *big.Int, prefix []byte) {
	h := sha512.Sum512(seed)
	h[0] &= 248
	h[31] = h[31]&127 | 64
	return number(h[:32]), h[32:]
}

// challenge is what binds a commitment, a key and a message.
func challenge(commitment, key, message []byte) *big.Int {
	h := sha512.New()
	h.Write(commitment)
	h.Write(key)
	h.Write(message)
	n := number(h.Sum(nil))
	return n.Mod(n, order)
}

// forge makes the signature (R, r + h·a) for encodings of R and of the key that
// the caller chooses.
func forge(commitment, key, message []byte, r, a *big.Int) []byte {
	s := new(big.Int).Mul(challenge(commitment, key, message), a)
	s.Add(s, r).Mod(s, order)
	return append(append([]byte(nil), commitment...), little(s)...)
}
