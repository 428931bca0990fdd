package capability

import (
	"context"
	"errors"
	"path/filepath"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
)

// wheelKeeper is the lane that can import wheels.
type wheelKeeper interface {
	compile.Lane
	KeepWheel(ctx context.Context, lock, spec, file string, content []byte) error
}

// keepWheel pins wheels in the lock file beside the workbook; nil where there is
// no Python.
func (r *run) keepWheel() func(context.Context, *dock.Call, broker.Wheel, []byte) error {
	if r.lanes == nil {
		return nil
	}
	lane, ok := r.lanes.Lookup("python")
	if !ok {
		return nil
	}
	python, ok := compile.Unwrapped[wheelKeeper](lane)
	if !ok {
		return nil
	}
	return func(ctx context.Context, call *dock.Call, w broker.Wheel, content []byte) error {
		if r.noWrite {
			return dock.Errorf(dock.CodeFailed, "packages.fetch: a run with --no-write cannot pin packages in wb.lock")
		}
		lock := filepath.Join(call.Principal.Project, toolchain.LockName)
		err := python.KeepWheel(ctx, lock, w.Name+"=="+w.Version, w.File, content)
		var other *toolchain.IntegrityError
		switch {
		case errors.As(err, &other):
			return dock.Errorf(dock.CodeDenied, "packages.fetch: wb.lock pins %s with the digest %s; the index gives %s", other.What, other.Want, other.Got)
		case err != nil:
			return dock.Errorf(dock.CodeFailed, "packages.fetch: %v", err)
		}
		return nil
	}
}
