package frozen

import (
	"encoding/binary"
	"fmt"
	"strings"

	"wb/internal/identity"
)

// maxSignature bounds what stands behind the digest.
const maxSignature = 1 << 10

// signed is the end of a file: its signer and the signature of its digest, or
// nothing of either.
func signed(digest []byte, by identity.Signer) []byte {
	text := ""
	if by != nil {
		text = by.DID() + "\n" + string(by.Sign(statement(digest)))
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// statement is the signed text: it cannot be mistaken for anything else that a key signs.
func statement(digest []byte) []byte {
	return fmt.Appendf(nil, "wb frozen session\nsha256 %x\n", digest)
}

// signerOf checks the end of a file and names its signer, "" without one.
func signerOf(digest, end []byte) (string, error) {
	if len(end) < 4 {
		return "", Errorf(CodeTruncated, "its end is missing")
	}
	n, end := binary.LittleEndian.Uint32(end), end[4:]
	switch {
	case n > maxSignature || int(n) < len(end):
		return "", Errorf(CodeDigest, "its end is damaged")
	case int(n) > len(end):
		return "", Errorf(CodeTruncated, "its end is missing")
	case n == 0:
		return "", nil
	}
	did, signature, _ := strings.Cut(string(end), "\n")
	if err := identity.Verify(did, statement(digest), []byte(signature)); err != nil {
		return "", &Error{CodeSignature, fmt.Sprintf("it differs from what %.80q signed: %v", did, err), "somebody has changed it; ask for it again"}
	}
	return did, nil
}
