package js

import (
	"context"
	"strings"

	"wb/compile"
	"wb/compile/toolchain"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "3"

// Lane is a dialect on the machine that runs it.
type Lane struct {
	dialect  Dialect
	runtime  *Runtime
	sessions sessions
}

// New makes the JavaScript lane and registers its toolchain.
func New(env *compile.Env) *Lane { return NewRuntime(env).Lane(javaScript{}) }

// Info describes the lane.
func (l *Lane) Info() compile.Info { return l.dialect.Info() }

// Runtime is the machine the lane runs on; other lanes may share it.
func (l *Lane) Runtime() *Runtime { return l.runtime }

// Fingerprint names dialect, lane and engine.
func (l *Lane) Fingerprint() string { return l.dialect.Fingerprint() + "/" + l.runtime.Fingerprint() }

// Build translates the block, checks the syntax and the imports of what comes
// out and lays out the program.
func (l *Lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.Shape == compile.ShapeKernel {
		return nil, compile.Errorf(src.At(1, 1), "%s has no kernel shape", src.Lang).WithHint("kernels are written in C")
	}
	if len(src.Deps) > 0 && len(src.Packages) == 0 {
		return nil, compile.Errorf(src.At(1, 1), "packages (:deps %s) need a workbook in a file, they are pinned in %s beside it", strings.Join(src.Deps, " "), toolchain.LockName).
			WithHint("save the workbook, or name a directory with node_modules by :dir")
	}
	readings := []*Unit{moduleUnit(src)}
	if src.Shape == compile.ShapeBabel {
		readings = babelUnits(src, l.dialect)
	}
	readings, err := l.dialect.Translate(ctx, src, readings)
	if err != nil {
		return nil, err
	}
	u, err := l.runtime.firstSound(ctx, src, readings)
	if err != nil {
		return nil, err
	}
	art := &compile.Artifact{Lane: l.Info().Name, Shape: src.Shape, Digest: src.Key(l.Fingerprint())}
	return art, u.pack(art)
}

// moduleUnit is a block that is an ES module.
func moduleUnit(src *compile.Source) *Unit {
	u := newUnit(src)
	u.Script, u.Module = src.Body, true
	u.Func, u.Outs = src.Func, src.Outs
	return u
}

// newUnit has what all shapes need.
func newUnit(src *compile.Source) *Unit {
	return &Unit{Lines: 1 + strings.Count(src.Body, "\n"), Results: src.Results, Sources: src.Files, Packages: src.Packages}
}

// ResolvePackages pins npm packages in the workbook's lock file.
func (l *Lane) ResolvePackages(ctx context.Context, lockPath string, deps []string) ([]compile.Package, error) {
	env := l.runtime.env
	packages, err := env.Tools.ResolveNPM(ctx, lockPath, deps, env.Progress)
	if err != nil {
		return nil, err
	}
	return packages, env.Tools.FetchNPM(ctx, packages, env.Progress)
}
