//go:build unix && !linux

package tier_test

func capabilities() string { return "" }
