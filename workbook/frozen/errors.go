package frozen

import (
	"fmt"

	"wb/internal/diag"
)

// Codes of errors.
const (
	CodeFormat    = "freeze-format"    // it is not a frozen session
	CodeVersion   = "freeze-version"   // it is one of another version
	CodeTruncated = "freeze-truncated" // its end is missing
	CodeDigest    = "freeze-digest"    // it differs from what was written
	CodeSignature = "freeze-signature" // it differs from what its signer signed
	CodeSigner    = "freeze-signer"    // no trusted signer signed it
	CodeToolchain = "freeze-toolchain" // it needs another version of a language
	CodeSession   = "freeze-session"   // a session cannot be frozen, or does not thaw
	CodeConflict  = "freeze-conflict"  // what it holds already exists here and differs
	CodeTier      = "freeze-tier"      // the session lives in another tier
)

// Error says why a session cannot be frozen or resumed.
type Error struct {
	Code, Message, Help string
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// ExitCode tells a file that is damaged from one whose signer is not trusted.
func (e *Error) ExitCode() int {
	switch e.Code {
	case CodeFormat, CodeVersion, CodeTruncated, CodeDigest, CodeSignature:
		return diag.ExitVerify
	case CodeSigner:
		return diag.ExitForbidden
	}
	return diag.ExitFailed
}

// Errorf makes an Error.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
