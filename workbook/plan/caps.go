package plan

import (
	"strings"
)

// KnownCapabilities are the capabilities that :uses and #+CAPS may name.
var KnownCapabilities = []string{
	"vfs", "commands", "exec", "process", "parallel", "kv", "queue", "secrets", "net", "net-private", "browse", "tcp", "udp", "tls", "serve",
	"tcp-serve", "build", "llm", "vars", "clock", "random", "posix",
}

// ProfileCaps are the capabilities each profile holds, smallest first.
var ProfileCaps = map[string][]string{
	"compute": {"vfs"},
	"minimal": {"vfs", "commands", "exec", "kv", "vars", "secrets", "queue", "tcp", "udp", "tls"},
	"network": {"vfs", "commands", "exec", "kv", "vars", "secrets", "queue", "tcp", "udp", "tls", "net", "llm", "browse"},
	"posix":   {"vfs", "commands", "exec", "kv", "vars", "secrets", "queue", "tcp", "udp", "tls", "net", "llm", "browse", "posix", "parallel"},
}

// Capability is the name of what :uses asks for: workbook:llm/complete, llm
// and llm:model all name llm.
func Capability(use string) string {
	use = strings.TrimPrefix(use, "workbook:")
	if i := strings.IndexAny(use, "/:"); i >= 0 {
		use = use[:i]
	}
	return use
}
