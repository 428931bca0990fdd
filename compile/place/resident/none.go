//go:build !linux

package resident

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"

	"wb/compile"
)

// Supported says why there are no residents here.
func Supported() error {
	return &OffError{fmt.Sprintf("not on %s: there is no way here that wb knows to be sure whose socket it is", runtime.GOOS)}
}

func socketPath(string) (string, error)     { return "", errors.ErrUnsupported }
func connect(string) (*net.UnixConn, error) { return nil, errors.ErrUnsupported }
func reach(string) (*net.UnixConn, error)   { return nil, errors.ErrUnsupported }
func launch(string, Config) error           { return errors.ErrUnsupported }

// IsChild reports whether the arguments of a program make it a resident: never,
// here.
func IsChild([]string) bool { return false }

// Child is the main function of a resident.
func Child([]string, io.Writer, func(*compile.Env) (*compile.Registry, error)) int { return 1 }
