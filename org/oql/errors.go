package oql

import (
	"fmt"

	"wb/internal/diag"
)

// SyntaxError is a query that cannot be read, with its place and, where one
// helps, a hint.
type SyntaxError struct {
	Pos     Pos
	Message string
	Tip     string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("query:%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Message)
}

// Hint says what to try instead.
func (e *SyntaxError) Hint() string { return e.Tip }

// ExitCode is the exit code of a usage error.
func (e *SyntaxError) ExitCode() int { return diag.ExitUsage }

func errorf(pos Pos, tip, format string, args ...any) *SyntaxError {
	return &SyntaxError{Pos: pos, Message: fmt.Sprintf(format, args...), Tip: tip}
}
