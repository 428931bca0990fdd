package js

import (
	"context"
	"path"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "5"

// Lane is a dialect on the machine that runs it.
type Lane struct {
	dialect  Dialect
	runtime  *Runtime
	sessions compile.Sessions[machine]
}

// New makes the JavaScript lane and registers its toolchain.
func New(env *compile.Env) *Lane { return NewRuntime(env).Lane(javaScript{}) }

// Info describes the lane.
func (l *Lane) Info() compile.Info { return l.dialect.Info() }

// Runtime is the machine the lane runs on; other lanes may share it.
func (l *Lane) Runtime() *Runtime { return l.runtime }

// Dialect is the language the lane runs.
func (l *Lane) Dialect() Dialect { return l.dialect }

// Fingerprint names dialect, lane and engine.
func (l *Lane) Fingerprint() string { return l.dialect.Fingerprint() + "/" + l.runtime.Fingerprint() }

// Build translates the block, checks the syntax and the imports of what comes
// out and lays out the program.
func (l *Lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.Shape == compile.ShapeKernel {
		return nil, diag.Errorf(src.At(1, 1), "%s has no kernel shape", src.Lang).WithHint("kernels are written in C")
	}
	if len(src.Deps) > 0 && len(src.Packages) == 0 {
		return nil, diag.Errorf(src.At(1, 1), "packages (:deps %s) need a workbook in a file, they are pinned in %s beside it", strings.Join(src.Deps, " "), toolchain.LockName).
			WithHint("save the workbook, or name a directory with node_modules by :dir")
	}
	readings, err := []*Unit{moduleUnit(src)}, error(nil)
	if src.Shape == compile.ShapeBabel {
		readings, err = babelUnits(src, l.dialect)
	}
	if err != nil {
		return nil, err
	}
	readings, err = l.dialect.Translate(ctx, src, readings)
	if err != nil {
		return nil, err
	}
	for _, u := range readings {
		u.insertLarge()
	}
	u, err := l.runtime.firstSound(ctx, src, readings)
	if err != nil {
		return nil, err
	}
	return compile.NewScript(l, src, u.Script, u)
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

// ResolvePackages pins npm packages in the workbook's lock file and fetches
// them.
func (l *Lane) ResolvePackages(ctx context.Context, req compile.PackageRequest) ([]compile.Package, error) {
	env := l.runtime.env
	packages, err := env.Tools.ResolveNPM(ctx, req.Deps, toolchain.ResolveOptions{Lock: req.Lock, Keep: req.Keep, Offline: req.Offline}, env.Progress)
	if err != nil || req.Offline {
		return packages, err
	}
	if err := env.Tools.FetchNPM(ctx, packages, env.Progress); err != nil {
		return nil, err
	}
	return packages, l.runtime.refuseNative(ctx, packages, req.Deps)
}

// refuseNative looks for machine code in the packages that were asked for; that
// others need some is found out when they are imported, if they are.
func (r *Runtime) refuseNative(ctx context.Context, packages []compile.Package, deps []string) error {
	for _, p := range packages {
		if strings.Count(p.Path, packageDir) > 1 || !slices.ContainsFunc(deps, func(dep string) bool { return dep == p.Name || strings.HasPrefix(dep, p.Name+"@") }) {
			continue
		}
		files, err := r.env.Tools.PackageFiles(ctx, p, r.env.Progress)
		if err != nil {
			return err
		}
		for file := range files {
			if file == "binding.gyp" || path.Ext(file) == ".node" {
				return &toolchain.DepsError{Spec: p.Name, Reason: "a native addon (" + file + "): machine code does not run in the sandbox", Tip: "look for a package in plain JavaScript that does the same"}
			}
		}
	}
	return nil
}

// importing matches what makes a block look for other files.
var importing = lazyregexp.New(`\b(?:import|require|from)\b[\s(]*["']`)

// SourceEndings are those of files in :dir that a block may import.
func (l *Lane) SourceEndings(src *compile.Source) []string {
	if !importing.MatchString(src.Body) {
		return nil
	}
	return []string{".js", ".mjs", ".cjs", ".json", ".ts", ".mts", ".cts"}
}
