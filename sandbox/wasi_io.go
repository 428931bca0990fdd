package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"syscall"
)

// vectors calls f for each buffer of a scatter/gather list until one comes
// back short, and writes the number of bytes done to result.
func (in *Instance) vectors(list, count uint64, result uint64, f func([]byte) (int, error)) errno {
	mem := in.Memory()
	count = uint64(uint32(count)) // the high half of a 32-bit parameter is undefined
	iovs, ok := mem.Read(uint32(list), uint32(min(count, 1<<28))*8)
	if !ok || count > 1<<28 {
		return errnoFault
	}
	total := 0
	for ; len(iovs) > 0; iovs = iovs[8:] {
		buf, ok := mem.Read(binary.LittleEndian.Uint32(iovs), binary.LittleEndian.Uint32(iovs[4:]))
		if !ok {
			return errnoFault
		}
		if len(buf) == 0 {
			continue
		}
		n, err := f(buf)
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			if total > 0 {
				break
			}
			return errnoOf(err)
		}
		if n < len(buf) {
			break
		}
	}
	if !mem.WriteU32(uint32(result), uint32(total)) {
		return errnoFault
	}
	return 0
}

func (in *Instance) fdRead(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || !d.readable {
		return in.badRead(d)
	}
	return in.vectors(s[1], s[2], s[3], func(b []byte) (int, error) {
		if d.kind == fdInput {
			return in.readStdin(b)
		}
		n, err := d.file.ReadAt(b, d.pos)
		d.pos += int64(n)
		return n, err
	})
}

// badRead is the error for reading what cannot be read.
func (in *Instance) badRead(d *descriptor) errno {
	if d != nil && d.kind == fdDir {
		return errnoIsdir
	}
	return errnoBadf
}

func (in *Instance) fdPread(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || !d.readable {
		return in.badRead(d)
	}
	if d.kind != fdFile {
		return errnoSpipe
	}
	pos := int64(s[3])
	if pos < 0 {
		return errnoInval
	}
	return in.vectors(s[1], s[2], s[4], func(b []byte) (int, error) {
		n, err := d.file.ReadAt(b, pos)
		pos += int64(n)
		return n, err
	})
}

func (in *Instance) fdWrite(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || !d.writable {
		return errnoBadf
	}
	return in.vectors(s[1], s[2], s[3], func(b []byte) (int, error) {
		if d.kind == fdOutput {
			return in.writeStream(d.writer, b)
		}
		if d.append {
			info, err := d.file.Stat()
			if err != nil {
				return 0, err
			}
			d.pos = info.Size()
		}
		n, err := in.writeFile(d, b, d.pos)
		d.pos += int64(n)
		return n, err
	})
}

func (in *Instance) fdPwrite(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || !d.writable {
		return errnoBadf
	}
	if d.kind != fdFile {
		return errnoSpipe
	}
	pos := int64(s[3])
	if pos < 0 {
		return errnoInval
	}
	return in.vectors(s[1], s[2], s[4], func(b []byte) (int, error) {
		n, err := in.writeFile(d, b, pos)
		pos += int64(n)
		return n, err
	})
}

// writeStream sends b to the host. Reaching the output limit ends the guest.
func (in *Instance) writeStream(w io.Writer, b []byte) (int, error) {
	quota := &in.sys.output
	b = b[:quota.take(len(b))]
	n, err := len(b), error(nil)
	if w != nil && n > 0 {
		n, err = in.write(w, b)
	}
	if quota.hit {
		in.halt(quota.err())
	}
	return n, err
}

// contextWriter is a writer that may wait, such as a pipe. An [ExitError] of it ends
// the guest with that code.
type contextWriter interface {
	WriteContext(ctx context.Context, p []byte) (int, error)
}

func (in *Instance) write(w io.Writer, b []byte) (int, error) {
	cw, ok := w.(contextWriter)
	if !ok {
		return w.Write(b)
	}
	ctx, cancel := in.waitContext()
	defer cancel()
	n, err := cw.WriteContext(ctx, b)
	in.haltIfExpired(err)
	if exit := (*ExitError)(nil); errors.As(err, &exit) {
		in.exit(exit.Code)
	}
	return n, err
}

// waitContext is the context for a host call that waits: the caller's,
// bounded by the run's deadline. Until it is cancelled the guest does not work.
func (in *Instance) waitContext() (context.Context, context.CancelFunc) {
	in.meter.work.look()
	if in.meter.deadline.IsZero() {
		return in.calls.Context, in.meter.work.resume
	}
	ctx, cancel := context.WithDeadline(in.calls.Context, in.meter.deadline)
	return ctx, func() {
		cancel()
		in.meter.work.resume()
	}
}

// haltIfExpired ends the guest when a wait failed because its time was up.
func (in *Instance) haltIfExpired(err error) {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return
	}
	if cause := in.calls.Context.Err(); cause != nil {
		in.halt(cause)
	}
	in.halt(&LimitError{LimitTime, int64(in.meter.limits.Wall)})
}

// maxFileSize keeps offsets sane; the storage quota is the real bound.
const maxFileSize = 1 << 40

// writeFile writes b at pos, charging what the file grows by.
func (in *Instance) writeFile(d *descriptor, b []byte, pos int64) (int, error) {
	info, err := d.file.Stat()
	if err != nil {
		return 0, err
	}
	if pos+int64(len(b)) > maxFileSize {
		return 0, syscall.EFBIG
	}
	if grow := pos + int64(len(b)) - info.Size(); grow > 0 {
		if err := in.chargeStorage(grow); err != nil {
			return 0, err
		}
	}
	in.sys.forgetTimes(d.name)
	return d.file.WriteAt(b, pos)
}

// resize truncates or extends a file.
func (in *Instance) resize(d *descriptor, size int64) errno {
	info, err := d.file.Stat()
	if err != nil {
		return errnoOf(err)
	}
	if size > maxFileSize {
		return errnoFbig
	}
	if err := in.chargeStorage(size - info.Size()); err != nil {
		return errnoOf(err)
	}
	in.sys.forgetTimes(d.name)
	return errnoOf(d.file.Truncate(size))
}

// chargeStorage takes n bytes from the file quota; a negative n gives back.
func (in *Instance) chargeStorage(n int64) error {
	q := &in.sys.storage
	if q.limit >= 0 && n > 0 && q.used+n > q.limit {
		q.hit = true
		return syscall.ENOSPC
	}
	q.used = max(0, q.used+n)
	return nil
}
