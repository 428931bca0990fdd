//go:build !amd64 && !arm64

package tier

import "errors"

func filterCalls() error { return errors.New("not on this architecture") }
