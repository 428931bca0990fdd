package verify_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
)

// signed is a claim that a key signed a message, and the code it is refused
// with, "" for none.
type signed struct {
	Name      string     `json:"name"`
	DID       string     `json:"did"`
	Message   []byte     `json:"message"`
	Signature string     `json:"signature"`
	Want      fault.Code `json:"want"`
}

// edgeCases are the ways in which verifiers of Ed25519 are known to differ, and
// those in which none must. Each is made here, from the curve's definition.
func edgeCases(t testing.TB) []signed {
	t.Helper()
	seed := bytes.Repeat([]byte{7}, 32)
	private := ed25519.NewKeyFromSeed(seed)
	public := []byte(private.Public().(ed25519.PublicKey))
	did := identity.DIDOf(public)
	a, _ := secret(seed)
	message := []byte("what was signed")
	good := ed25519.Sign(private, message)
	var out []signed
	raw := func(name string, key, message, sig []byte, want fault.Code) {
		out = append(out, signed{name, identity.DIDOf(key), message, keys.Encode(sig), want})
	}
	text := func(name, did, sig string, want fault.Code) {
		out = append(out, signed{name, did, message, sig, want})
	}
	with := func(change func(sig []byte)) []byte {
		sig := bytes.Clone(good)
		change(sig)
		return sig
	}

	raw("as it was signed", public, message, good, "")
	if forged := forge(good[:32], public, message, secretNonce(seed, message), a); !bytes.Equal(forged, good) {
		t.Fatal("the curve of this test is not that of crypto/ed25519")
	}

	// A second scalar with the same effect, as long as it fits into 32 bytes.
	s := number(good[32:])
	for k := int64(1); ; k++ {
		again := new(big.Int).Add(s, new(big.Int).Mul(order, big.NewInt(k)))
		if again.BitLen() > 256 {
			break
		}
		raw(fmt.Sprintf("S + %dL", k), public, message, with(func(sig []byte) { copy(sig[32:], little(again)) }), fault.SignatureNoncanonical)
	}
	raw("S is L", public, message, with(func(sig []byte) { copy(sig[32:], little(order)) }), fault.SignatureNoncanonical)
	raw("S is L − 1", public, message, with(func(sig []byte) { copy(sig[32:], little(new(big.Int).Sub(order, big.NewInt(1)))) }), fault.SignatureInvalid)
	raw("S is 0", public, message, with(func(sig []byte) { copy(sig[32:], make([]byte, 32)) }), fault.SignatureInvalid)

	// Encodings of y that are not below p, with either sign of x.
	for i := range int64(19) {
		for _, sign := range []byte{0, 0x80} {
			y := little(new(big.Int).Add(prime, big.NewInt(i)))
			y[31] |= sign
			raw(fmt.Sprintf("R is p + %d, sign %02x", i, sign), public, message, with(func(sig []byte) { copy(sig, y) }), fault.SignatureNoncanonical)
			raw(fmt.Sprintf("A is p + %d, sign %02x", i, sign), y, message, good, fault.KeyNoncanonical)
		}
	}

	// The points of small order, and what a signature by one of them proves:
	// with A = kT and R = lT and S = 0 the equation holds for every message
	// whose challenge fits.
	eighth := torsion()
	for k := range int64(8) {
		weak := encode(multiply(big.NewInt(k), eighth))
		raw(fmt.Sprintf("A of small order, %d/8", k), weak, message, good, fault.KeyWeak)
		raw(fmt.Sprintf("A of small order, %d/8, S is 0", k), weak, message, append(encode(zero), make([]byte, 32)...), fault.KeyWeak)
		raw(fmt.Sprintf("R of small order, %d/8", k), public, message, forge(weak, public, message, big.NewInt(0), a), fault.SignatureWeak)
	}
	for _, y := range []string{"01", "ec" + strings.Repeat("ff", 30) + "7f"} { // x is 0, and has a sign
		b, err := hex.DecodeString(y)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, make([]byte, 32-len(b))...)
		b[31] |= 0x80
		raw("A is x = −0", b, message, good, fault.KeyWeak)
		raw("R is x = −0", public, message, forge(b, public, message, big.NewInt(0), a), fault.SignatureWeak)
	}

	// Points of mixed order. A verifier that multiplies by 8 takes all of these;
	// ours, as those of browsers, takes one where the small part cancels out.
	r := big.NewInt(424242)
	for k := int64(1); k < 8; k++ {
		small := multiply(big.NewInt(k), eighth)
		commitment := encode(add(multiply(r, base), small))
		raw(fmt.Sprintf("R of mixed order, %d/8", k), public, message, forge(commitment, public, message, r, a), fault.SignatureInvalid)
		mixed := encode(add(multiply(a, base), small))
		plain := encode(multiply(r, base))
		var fits, fails bool
		for n := 0; !fits || !fails; n++ {
			message := fmt.Appendf(nil, "message %d", n)
			h := challenge(plain, mixed, message)
			rest := multiply(h, small)
			switch cancels := rest.y.Cmp(zero.y) == 0; {
			case cancels && !fits:
				fits = true
				raw(fmt.Sprintf("A of mixed order, %d/8, cancels", k), mixed, message, forge(plain, mixed, message, r, a), "")
			case !cancels && !fails:
				fails = true
				raw(fmt.Sprintf("A of mixed order, %d/8", k), mixed, message, forge(plain, mixed, message, r, a), fault.SignatureInvalid)
			}
		}
	}

	// Encodings of no point.
	for n, found := byte(2), 0; found < 4; n++ {
		b := []byte{n, 31: 0}
		if _, ok := decode(b); ok {
			continue
		}
		found++
		raw(fmt.Sprintf("A is not a point, y = %d", n), b, message, good, fault.SignatureInvalid)
		raw(fmt.Sprintf("R is not a point, y = %d", n), public, message, with(func(sig []byte) { copy(sig, b) }), fault.SignatureInvalid)
	}

	// Bits that are not those that were signed.
	for bit := 0; bit < 512; bit += 11 {
		sig := with(func(sig []byte) { sig[bit/8] ^= 1 << (bit % 8) })
		want := fault.SignatureInvalid
		if number(sig[32:]).Cmp(order) >= 0 {
			want = fault.SignatureNoncanonical
		}
		raw(fmt.Sprintf("bit %d of the signature", bit), public, message, sig, want)
	}
	for bit := 0; bit < len(message)*8; bit += 17 {
		other := bytes.Clone(message)
		other[bit/8] ^= 1 << (bit % 8)
		raw(fmt.Sprintf("bit %d of the message", bit), public, other, good, fault.SignatureInvalid)
	}
	for bit := 0; bit < 255; bit += 13 {
		other := bytes.Clone(public)
		other[bit/8] ^= 1 << (bit % 8)
		raw(fmt.Sprintf("bit %d of the key", bit), other, message, good, fault.SignatureInvalid)
	}
	raw("no key", nil, message, good, fault.KeyMalformed)
	raw("message cut short", public, message[:3], good, fault.SignatureInvalid)
	raw("message with more", public, append(bytes.Clone(message), 0), good, fault.SignatureInvalid)
	raw("no message", public, nil, good, fault.SignatureInvalid)

	// Halves that belong elsewhere.
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, 32))
	theirs := ed25519.Sign(other, message)
	raw("another key's signature", public, message, theirs, fault.SignatureInvalid)
	raw("another key's R", public, message, append(bytes.Clone(theirs[:32]), good[32:]...), fault.SignatureInvalid)
	raw("another key's S", public, message, append(bytes.Clone(good[:32]), theirs[32:]...), fault.SignatureInvalid)
	raw("R is A", public, message, append(bytes.Clone(public), good[32:]...), fault.SignatureInvalid)
	raw("R is the base point", public, message, append(encode(base), good[32:]...), fault.SignatureInvalid)
	raw("negated R", public, message, with(func(sig []byte) { sig[31] ^= 0x80 }), fault.SignatureInvalid)
	raw("negated S", public, message, with(func(sig []byte) { copy(sig[32:], little(new(big.Int).Sub(order, s))) }), fault.SignatureInvalid)
	raw("all zero", public, message, make([]byte, 64), fault.SignatureWeak)
	raw("all ones", public, message, bytes.Repeat([]byte{0xff}, 64), fault.SignatureNoncanonical)

	// Ed25519ctx and Ed25519ph are other schemes.
	for name, options := range map[string]*ed25519.Options{"a context": {Context: "x"}, "a hash": {Hash: crypto.SHA512}} {
		what := message
		if options.Hash != 0 {
			sum := sha512.Sum512(message)
			what = sum[:]
		}
		sig, err := private.Sign(nil, what, options)
		if err != nil {
			t.Fatal(err)
		}
		raw("with "+name, public, message, sig, fault.SignatureInvalid)
	}

	// Spellings of 64 bytes, and of other lengths.
	for _, n := range []int{0, 1, 32, 63, 65, 96, 128} {
		sig := append(bytes.Clone(good), good...)[:n]
		raw(fmt.Sprintf("%d bytes", n), public, message, sig, fault.SignatureMalformed)
	}
	spelled := keys.Encode(good)
	for name, bad := range map[string]string{
		"without padding": strings.TrimRight(spelled, "="), "more padding": spelled + "=", "padding within": spelled[:8] + "=" + spelled[8:],
		"URL alphabet": base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 64)), "hexadecimal": hex.EncodeToString(good),
		"a space before": " " + spelled, "a space after": spelled + " ", "a line break": spelled[:40] + "\n" + spelled[40:], "carriage return": spelled + "\r",
		"loose last bits": spelled[:85] + string(spelled[85]+1) + "==", "a letter outside": "é" + spelled[2:], "a nul": spelled + "\x00",
	} {
		text("spelled "+name, did, bad, fault.SignatureMalformed)
	}
	for name, bad := range map[string]string{
		"no did": "x", "another method": "did:web:example.org", "no multibase": "did:key:" + did[9:], "an upper-case prefix": "DID" + did[3:],
		"a letter outside": did[:20] + "0" + did[21:], "cut short": did[:len(did)-1], "longer": did + "1", "a leading 1": "did:key:z1" + did[9:],
		"a secp256k1 key": "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme", "a fragment": did + "#" + did[8:], "a space": did + " ",
	} {
		text("key with "+name, bad, spelled, fault.KeyMalformed)
	}
	return out
}

// secretNonce is the nonce of a signature, for comparing with the library.
func secretNonce(seed, message []byte) *big.Int {
	_, prefix := secret(seed)
	h := sha512.New()
	h.Write(prefix)
	h.Write(message)
	n := number(h.Sum(nil))
	return n.Mod(n, order)
}

func TestEd25519(t *testing.T) {
	cases := edgeCases(t)
	refused := 0
	for _, c := range cases {
		if c.Want != "" {
			refused++
		}
		if err := keys.Verify(c.DID, c.Message, c.Signature); fault.CodeOf(err) != c.Want || (err == nil) != (c.Want == "") {
			t.Errorf("%s: %v, want %q", c.Name, err, c.Want)
		}
	}
	if refused < 80 {
		t.Errorf("only %d edge cases", refused)
	}
	t.Logf("%d edge cases, %d of them refused", len(cases), refused)
}

// known are the signatures of RFC 8032's authors that Go's own tests come with.
func known(t testing.TB, most int) []signed {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not there: it brings the vectors")
	}
	f, err := os.Open(filepath.Join(strings.TrimSpace(string(root)), "src", "crypto", "ed25519", "testdata", "sign.input.gz"))
	if err != nil {
		t.Skipf("this Go comes without its tests: %v", err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []signed
	lines := bufio.NewScanner(zip)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(out) < most {
		fields := strings.Split(lines.Text(), ":") // seed+key, key, message, signature+message
		part := func(i, from, to int) []byte {
			b, err := hex.DecodeString(fields[i])
			if err != nil || len(b) < to {
				t.Fatalf("line %d: %v", len(out)+1, err)
			}
			if to < 0 {
				return b
			}
			return b[from:to]
		}
		out = append(out, signed{Name: fmt.Sprint("line ", len(out)+1), DID: identity.DIDOf(part(1, 0, 32)), Message: part(2, 0, -1), Signature: keys.Encode(part(3, 0, 64))})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestKnownSignatures(t *testing.T) {
	all := known(t, 1024)
	if len(all) < 100 {
		t.Fatalf("only %d signatures", len(all))
	}
	for _, c := range all {
		if err := keys.Verify(c.DID, c.Message, c.Signature); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if err := keys.Verify(c.DID, append(c.Message, 'x'), c.Signature); fault.CodeOf(err) != fault.SignatureInvalid {
			t.Errorf("%s, with more: %v", c.Name, err)
		}
	}
}

// TestBrowserEd25519 gives the same to the verifier in JavaScript.
func TestBrowserEd25519(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there: apt-get install nodejs")
	}
	text, err := json.Marshal(append(edgeCases(t), known(t, 128)...))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "signatures.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, filepath.Join("testdata", "ed25519.mjs"), file).CombinedOutput()
	if bytes.Contains(out, []byte("no Ed25519")) {
		t.Skip("this node has no Ed25519 in WebCrypto: install node 20 or later")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
