package lanetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"wb/compile"
	"wb/sandbox"
)

// FlipsCase opens a kernel that changes bit 5 of every byte, calls it several
// times and with too much, and runs it once.
func FlipsCase(t *testing.T, lane compile.Lane, src *compile.Source) {
	t.Helper()
	art, err := lane.Build(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	k, err := OpenKernel(t.Context(), lane, art, &compile.Job{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close(t.Context())
	for _, c := range []struct{ in, want string }{{"Hello", "hELLO"}, {"", ""}, {"xy", "XY"}} {
		got, err := k.Call(t.Context(), []byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%q gave %q, %v", c.in, got, err)
		}
	}
	if _, err := k.Call(t.Context(), make([]byte, 1<<20)); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("a large input: %v", err)
	}
	out, err := lane.Run(t.Context(), art, &compile.Job{Stdin: []byte("abc")})
	if err != nil || out.Value.Text() != "ABC" {
		t.Errorf("a single run gave %v, %v", out, err)
	}
}

// TimeKernel measures one call of a started kernel with 64 bytes in and out.
func TimeKernel(b *testing.B, lane compile.Lane, art *compile.Artifact) {
	b.Helper()
	k, err := OpenKernel(b.Context(), lane, art, &compile.Job{Limits: sandbox.Limits{Fuel: -1, Timeout: -1}})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close(b.Context())
	in := make([]byte, 64)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := k.Call(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// OpenKernel starts an artifact of kernel shape with the lane that built it and
// keeps it open; job gives limits, files and capabilities, not the input.
func OpenKernel(ctx context.Context, lane compile.Lane, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	opener, ok := compile.Unwrapped[compile.KernelOpener](lane)
	if !ok {
		return nil, fmt.Errorf("lane %s has no kernels", lane.Info().Name)
	}
	return opener.OpenKernel(ctx, art, job)
}
