//go:build !unix

package oql

import "testing"

// reportCPU does nothing where processor time is not known.
func reportCPU(*testing.B) func() { return func() {} }
