package sandbox

import "fmt"

// Recycle makes an instance of the snapshot's module as good as one that
// Restore has just made for the command, for a fraction of the cost: memory and
// globals are the snapshot's again, streams, files, clock, random numbers and
// limits are the command's. Module and Host of the command are ignored; the
// instance keeps the host functions it was made with. It fails for an instance
// whose memory has grown, since that can be told from a fresh one, and for one
// that is closed or running; what failed can only be closed.
func (in *Instance) Recycle(s *Snapshot, c Command) error {
	if !in.Recyclable(s) {
		return fmt.Errorf("%s: memory has grown from %s to %s", in.module.name, byteSize(s.size), byteSize(int64(len(in.memory.bytes))))
	}
	if err := in.Reset(s); err != nil {
		return err
	}
	in.sys.close()
	in.meter.start(c.Limits.withDefaults())
	in.memory.allow(in.meter.limits.Memory, s.size)
	in.sys = newWASI(c, in.meter.limits)
	return nil
}

// Recyclable reports whether the instance's memory is still as large as the
// snapshot's.
func (in *Instance) Recyclable(s *Snapshot) bool { return int64(len(in.memory.bytes)) == s.size }
