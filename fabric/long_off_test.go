//go:build !long

package fabric_test

// kills is how many workers are killed at random moments.
const kills = 5
