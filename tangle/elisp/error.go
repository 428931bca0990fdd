package elisp

import (
	"fmt"
	"strings"
)

// Error is a form that cannot be read or evaluated.
type Error struct {
	// Offset is the byte in the text where the form begins.
	Offset int
	// Msg says what is wrong, in lower case and without a period.
	Msg string
	// Hint says what to do about it; it may be empty.
	Hint string
}

func (e *Error) Error() string { return e.Msg }

// failf makes an error without a position; eval adds that of the innermost
// form it was evaluating.
func failf(format string, args ...any) *Error {
	return &Error{Offset: -1, Msg: fmt.Sprintf(format, args...)}
}

// wrongType is Emacs's error for an argument of the wrong type.
func wrongType(want string, got Value) *Error {
	return failf("expected %s, found %s", want, abbreviate(Print(got)))
}

func abbreviate(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
