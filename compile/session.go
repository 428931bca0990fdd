package compile

import "context"

// SessionCloser is a lane that keeps an interpreter alive for each Job.Session.
// Whoever chose the names ends the sessions; a name may be used again after.
type SessionCloser interface {
	CloseSession(ctx context.Context, name string) error
}

// CloseSession ends a session of lane. Lanes without sessions do nothing.
func CloseSession(ctx context.Context, lane Lane, name string) error {
	for {
		if closer, ok := lane.(SessionCloser); ok {
			return closer.CloseSession(ctx, name)
		}
		wrapped, ok := lane.(interface{ Unwrap() Lane })
		if !ok {
			return nil
		}
		lane = wrapped.Unwrap()
	}
}

// SourceEndings are the endings of files in its :dir that a block may need to
// be built, none when it needs no others.
func SourceEndings(lane Lane, src *Source) []string {
	for {
		if l, ok := lane.(interface{ SourceEndings(*Source) []string }); ok {
			return l.SourceEndings(src)
		}
		wrapped, ok := lane.(interface{ Unwrap() Lane })
		if !ok {
			return nil
		}
		lane = wrapped.Unwrap()
	}
}

// Unwrapped finds the lane of a type behind wrappers such as [Cached].
func Unwrapped[L Lane](lane Lane) (found L, ok bool) {
	for {
		if found, ok = lane.(L); ok {
			return found, true
		}
		wrapped, more := lane.(interface{ Unwrap() Lane })
		if !more {
			return found, false
		}
		lane = wrapped.Unwrap()
	}
}
