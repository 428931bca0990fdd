//go:build !linux && !darwin

package walls

import "os"

// Restart says what is not there. Nothing is started anew.
func Restart(fence Fence) ([]string, error) {
	return []string{"files and the network are not confined: wb knows no way on this system"}, os.Chdir(fence.Dir)
}

// Seal shuts nothing: there is no way here that wb knows.
func Seal(...uint32) []string { return nil }
