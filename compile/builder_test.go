package compile

import (
	"context"
	"errors"
	"testing"
	"time"

	"wb/compile/toolchain"
)

// readied is a lane that says when its machine is made ready.
type readied struct {
	Lane
	ready chan struct{}
}

func (readied) Info() Info                  { return Info{Name: "readied", Compiles: true} }
func (l readied) MakeReady(context.Context) { close(l.ready) }
func (l readied) Build(context.Context, *Source) (*Artifact, error) {
	return nil, errors.New("built here")
}

// awaiting is a builder that is done when the machine is ready.
type awaiting struct{ ready chan struct{} }

func (b awaiting) Build(ctx context.Context, _ Lane, _ *Source) (*Artifact, bool, error) {
	select {
	case <-b.ready:
		return &Artifact{Lane: "readied"}, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// TestMadeReady: what a program runs on is made ready while it is built elsewhere.
func TestMadeReady(t *testing.T) {
	tools, err := toolchain.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	lane := BuiltBy(&Env{Tools: tools, Builder: awaiting{ready}}, readied{ready: ready})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if art, err := lane.Build(ctx, &Source{}); err != nil || art.Lane != "readied" {
		t.Errorf("got %v, %v", art, err)
	}
}
