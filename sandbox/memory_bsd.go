//go:build unix && !linux

package sandbox

// noReserve: these systems commit lazily without being asked.
const noReserve = 0
