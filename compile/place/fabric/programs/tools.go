package programs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"wb/compile/place/fabric"
	"wb/compile/toolchain"
)

// toolKind begins a worker's question for a toolchain; no question of package
// remote begins so.
const toolKind = 'T'

func askTool(name string) []byte { return append([]byte{toolKind}, name...) }

func toolQuestion(question []byte) (name string, ok bool) {
	if len(question) > 0 && question[0] == toolKind {
		return string(question[1:]), true
	}
	return "", false
}

// share gives a caller's toolchains to workers, each packed once.
type share struct {
	tools *toolchain.Depot
	mu    sync.Mutex
	packs map[string]*sync.Mutex
}

func newShare(tools *toolchain.Depot) *share {
	return &share{tools: tools, packs: map[string]*sync.Mutex{}}
}

// answer is the name of the object that holds a toolchain's pack, empty when
// the caller has none.
func (s *share) answer(ctx context.Context, link *fabric.Link, name string) ([]byte, error) {
	if s.tools == nil {
		return nil, nil
	}
	tool, ok := s.tools.Installed(name)
	if !ok {
		return nil, nil
	}
	object := "toolchain-" + name + "-" + tool.Digest
	s.mu.Lock()
	one := s.packs[object]
	if one == nil {
		one = new(sync.Mutex)
		s.packs[object] = one
	}
	s.mu.Unlock()
	one.Lock()
	defer one.Unlock()
	if link.HasObject(ctx, object) {
		return []byte(object), nil
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(s.tools.Pack(w, toolchain.Silent, name)) }()
	err := link.StreamObject(ctx, object, r)
	r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
	return bytes.Clone([]byte(object)), err
}
