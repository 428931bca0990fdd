package sandbox

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// maxThawed bounds the memory of a snapshot that comes from elsewhere.
const maxThawed = 1 << 30

const travelFormat = "wb snapshot in a file 1"

// travelHead describes a snapshot that travels.
type travelHead struct {
	Format  string   `json:"format"`
	Module  string   `json:"module"` // key of the metered module
	Size    int64    `json:"size"`
	Globals []uint64 `json:"globals"`
}

// Encode writes the snapshot for another machine: a head in JSON with its length
// in front, then the memory, compressed.
func (s *Snapshot) Encode(w io.Writer) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.image == nil {
		return fmt.Errorf("%s: the snapshot is closed", s.module.name)
	}
	memory, err := s.image.bytes()
	if err != nil {
		return fmt.Errorf("%s: encode snapshot: %w", s.module.name, err)
	}
	head, err := json.Marshal(travelHead{travelFormat, s.module.source.key(), s.size, s.globals})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...)); err != nil {
		return err
	}
	z, err := flate.NewWriter(w, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(memory); err != nil {
		return err
	}
	return z.Close()
}

// ErrOtherModule says that a snapshot is of another program than the one it is
// to be restored into: another version of a toolchain, say.
var ErrOtherModule = fmt.Errorf("the snapshot is of another program")

// DecodeSnapshot reads what Encode wrote, of the same module. What it reads may
// come from anywhere: it becomes memory of a guest, and nothing else.
func DecodeSnapshot(_ context.Context, m *Module, data []byte) (*Snapshot, error) {
	if len(data) < 4 {
		return nil, fmt.Errorf("%s: the snapshot ends early", m.name)
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return nil, fmt.Errorf("%s: the snapshot ends early", m.name)
	}
	var head travelHead
	if err := json.Unmarshal(data[4:4+n], &head); err != nil || head.Format != travelFormat {
		return nil, fmt.Errorf("%s: not a snapshot of this version of wb", m.name)
	}
	switch {
	case head.Module != m.source.key():
		return nil, fmt.Errorf("%s: %w", m.name, ErrOtherModule)
	case len(head.Globals) != len(m.info.Globals) || head.Size <= 0 || head.Size%pageSize != 0 || head.Size > maxThawed:
		return nil, fmt.Errorf("%s: the snapshot does not fit the program", m.name)
	}
	z := flate.NewReader(bytes.NewReader(data[4+n:]))
	memory := make([]byte, head.Size)
	if _, err := io.ReadFull(z, memory); err != nil {
		return nil, fmt.Errorf("%s: the snapshot is damaged: %w", m.name, err)
	}
	if extra, _ := z.Read(make([]byte, 1)); extra > 0 {
		return nil, fmt.Errorf("%s: the snapshot is longer than it says", m.name)
	}
	image, err := newImage(memory)
	if err != nil {
		return nil, err
	}
	return &Snapshot{module: m, size: head.Size, globals: head.Globals, image: image}, nil
}
