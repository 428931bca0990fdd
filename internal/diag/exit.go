package diag

// The exit codes of wb. Errors carry them through an ExitCode method; nothing
// guesses them from text.
const (
	ExitFailed      = 1   // a component failed, or a mistake was found
	ExitUsage       = 2   // the command line is wrong
	ExitUnavailable = 3   // a toolchain, a server or a key is missing
	ExitNotFound    = 4   // a file, a name or a run does not exist
	ExitVerify      = 5   // a signature or a digest does not hold
	ExitConflict    = 6   // another process changed it, or is working on it
	ExitForbidden   = 7   // not granted, or the system does not permit it
	ExitInterrupted = 130 // stopped by the user
)

// exitNames are the machine-readable names of exit codes.
var exitNames = map[int]string{
	ExitFailed: "failed", ExitUsage: "usage", ExitUnavailable: "unavailable",
	ExitNotFound: "not_found", ExitVerify: "verification_failed",
	ExitConflict: "conflict", ExitForbidden: "not_permitted", ExitInterrupted: "interrupted",
}

// ExitName is the name of an exit code in JSON answers, such as not_found.
// A code that has no name is failed.
func ExitName(code int) string {
	if name, ok := exitNames[code]; ok {
		return name
	}
	return exitNames[ExitFailed]
}
