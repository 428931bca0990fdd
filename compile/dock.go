package compile

import (
	"context"

	"wb/sandbox"
)

// Host are the functions that a compiled program may import to reach the dock.
// They are declared even where nothing is granted, so that a program which needs
// one is refused with the capability's name.
func (j *Job) Host() []sandbox.HostModule { return []sandbox.HostModule{j.Dock.HostModule()} }

// Docked is the job's tree of files, with the dock's device in front when the
// job has a dock: for interpreters that cannot import functions.
func (j *Job) Docked(ctx context.Context) sandbox.FS {
	if j.Dock == nil {
		return j.Files
	}
	return j.Dock.Device(ctx, j.Files)
}
