package resident

import (
	"time"

	"wb/compile/place/remote"
)

// protocol changes when what is said on the socket does.
const protocol = 1

// The kinds of frame. The caller sends one of the first three, the resident the
// others.
const (
	frameBuild  = 'q' // a remote.Request that only builds
	frameStatus = 's'
	frameEnd    = 'e'

	frameReady = 'R' // a greeting, at once
	frameReply = 'r' // a remote.Reply, or a Status
)

// greeting is what a resident says first.
type greeting struct {
	Protocol int    `json:"protocol"`
	Build    string `json:"build"` // of wb
}

// Status is how a resident is.
type Status struct {
	PID    int           `json:"pid"`
	Up     time.Duration `json:"up"`
	Idle   time.Duration `json:"idle"` // it ends after that long without work
	Memory int64         `json:"memory"`
	Limit  int64         `json:"limit"`
	Served int           `json:"served"`
	Loaded []string      `json:"loaded,omitempty"`
	Notes  []string      `json:"notes,omitempty"` // walls that this system does not have
}

// residentTakes and callerTakes are the frames each side takes, and how long they
// may be.
func residentTakes(kind byte) int64 {
	switch kind {
	case frameBuild:
		return remote.MaxMessage
	case frameStatus, frameEnd:
		return 0
	}
	return -1
}

func callerTakes(kind byte) int64 {
	switch kind {
	case frameReady:
		return 4 << 10
	case frameReply:
		return remote.MaxMessage
	}
	return -1
}
