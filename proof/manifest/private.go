package manifest

import "strings"

// private are files that stay where they are.
var private = map[string]bool{"events.org": true, "_steps.jsonl": true, "_ledger.json": true, "approvals.org": true, "wb.toml": true}

// Private reports whether a file never leaves the machine: it, or a directory
// it lies in, is kept by the host or hidden.
func Private(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if private[strings.ToLower(part)] || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
