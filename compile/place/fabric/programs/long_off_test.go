//go:build !long

package programs_test

const (
	components    = 60
	killedWorkers = 3
)
