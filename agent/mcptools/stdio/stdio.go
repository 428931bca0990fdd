// Package stdio starts MCP servers that are programs. It is one of the few
// places where wb starts a process: the command line is the user's, from wb.toml
// in the user's configuration directory, and no word of a document or a model
// becomes part of it.
package stdio

import (
	"errors"
	"io"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Dial starts a command for each connection. The program gets env and nothing
// else of the environment; what it writes to its standard error goes to log.
func Dial(command, env []string, log io.Writer) func() (mcp.Transport, error) {
	return func() (mcp.Transport, error) {
		if len(command) == 0 {
			return nil, errors.New("no command")
		}
		c := exec.Command(command[0], command[1:]...)
		c.Env, c.Stderr = env, log
		return &mcp.CommandTransport{Command: c, TerminateDuration: 2 * time.Second}, nil
	}
}
