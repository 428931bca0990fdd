//go:build long

package programs_test

const (
	components    = 1000
	killedWorkers = 30
)
