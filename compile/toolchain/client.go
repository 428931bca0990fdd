package toolchain

import "os/exec"

// Clients are the programs of the user that provisioning may start, by name,
// and what they are needed for.
func Clients() map[string]string {
	return map[string]string{
		"npm":     "fetches compilers on first use; install Node.js with your package manager",
		"apt-get": "fetches source code that compilers are built from; without it use wb toolchain install NAME --from FILE",
		"go":      "builds the shell and other Go programs for the sandbox; install Go 1.26 or newer",
	}
}

// FindClient returns the path of one of Clients and whether it is on PATH.
func FindClient(name string) (path string, ok bool) {
	path, err := exec.LookPath(name)
	return path, err == nil
}
