package netbroker

import (
	"fmt"

	"wb/internal/diag"
)

// DeniedError is a request that was not made.
type DeniedError struct {
	URL    string // without user and query
	Reason string
	Grant  string // the grant that would allow it; "" when none does
}

func (e *DeniedError) Error() string { return fmt.Sprintf("request to %s denied: %s", e.URL, e.Reason) }

// Hint names the grant that is missing.
func (e *DeniedError) Hint() string {
	if e.Grant == "" {
		return ""
	}
	return "allow it with --grant " + e.Grant
}

// ExitCode is that of what is not permitted.
func (e *DeniedError) ExitCode() int { return diag.ExitForbidden }

// LimitError is a reply or request beyond what is allowed.
type LimitError struct {
	URL   string
	What  string // "body", "redirects", "request", "calls"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %s limit %d exceeded", e.URL, e.What, e.Limit)
}

// FetchError is a request that failed on its way.
type FetchError struct {
	URL string
	Err error

	unreached bool // no answer came
}

func (e *FetchError) Error() string { return fmt.Sprintf("fetch %s: %v", e.URL, e.Err) }
func (e *FetchError) Unwrap() error { return e.Err }
