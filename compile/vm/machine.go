package vm

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"wb/compile"
	"wb/sandbox"
)

// Machine is an interpreter at work for one job at a time.
type Machine struct {
	*sandbox.Instance
	// Stdout and Stderr keep what the job prints.
	Stdout, Stderr Stream

	stdin input
	files switchFS
	caps  sandbox.Caps
}

// adopt makes the machine see the world of a job.
func (m *Machine) adopt(ctx context.Context, job *compile.Job) {
	m.stdin.Reader = bytes.NewReader(job.Stdin)
	m.Stdout = Stream{listener: job.Stdout}
	m.Stderr = Stream{listener: job.Stderr}
	m.files.FS = job.Docked(ctx)
	if m.files.FS == nil {
		m.files.FS = sandbox.NewMemFS()
	}
}

// Give copies data into memory that the exported function alloc provides and
// returns its address.
func (m *Machine) Give(ctx context.Context, alloc string, data []byte) (uint32, error) {
	return Give(ctx, m.Instance, alloc, data)
}

// Give is the method for an instance that is not a machine yet.
func Give(ctx context.Context, in *sandbox.Instance, alloc string, data []byte) (uint32, error) {
	r, err := in.Call(ctx, alloc, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	at := uint32(r[0])
	if at == 0 || !in.Memory().Write(at, data) {
		return 0, fmt.Errorf("no room for %d bytes", len(data))
	}
	return at, nil
}

// Stream keeps output and passes it on to who listens. The sandbox bounds it.
type Stream struct {
	bytes.Buffer
	listener io.Writer
}

// Write keeps p and passes it on.
func (s *Stream) Write(p []byte) (int, error) {
	s.Buffer.Write(p)
	if s.listener != nil {
		return s.listener.Write(p)
	}
	return len(p), nil
}

// input is standard input that can be exchanged.
type input struct{ io.Reader }

// switchFS is a tree of files that can be exchanged. Files that are open when
// it is stay those of the old tree.
type switchFS struct{ sandbox.FS }
