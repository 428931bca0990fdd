package dock

import (
	"context"
	"errors"
	"fmt"

	"wb/internal/diag"
)

// Codes of errors, the same in every language.
const (
	CodeDenied   = "denied"   // not granted, or revoked
	CodeLimit    = "limit"    // too large, too many, too often
	CodeInvalid  = "invalid"  // the arguments make no sense
	CodeNotFound = "notfound" // an unknown name
	CodeFailed   = "failed"   // it was tried and did not work
)

// Error tells a guest why an operation was not done. It never holds
// a secret, nor anything of the host that the guest did not name.
type Error struct {
	Code    string
	Message string
	Help    string // what to do about it, may be empty
}

func (e *Error) Error() string { return e.Message }

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// Errorf makes an error with a code.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotGranted is the error of an operation whose capability the guest does not
// hold. It names the narrowest grant that allows the call.
func NotGranted(op *Operation, args [][]byte) *Error {
	grant := op.Capability
	if scope := op.scope(args); scope != "" {
		grant += ":" + scope
	}
	return &Error{Code: CodeDenied, Message: op.Capability + " is not granted", Help: "the block asks with :uses " + op.Capability + ", and wb run --grant " + grant + " grants it"}
}

// asError is err as guests may see it. What is no *Error is the host's own
// trouble; its text is shown, since brokers keep secrets out of theirs.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeLimit, Message: "time limit exceeded"}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeFailed, Message: "cancelled"}
	}
	return &Error{Code: CodeFailed, Message: err.Error(), Help: diag.HintOf(err)}
}

// Denial is a call that was refused, for the records.
type Denial struct {
	Principal  Principal
	Operation  string // what was asked for, as the guest wrote it when unknown
	Capability string
	Reason     string
}
