package python

import (
	"context"
	"maps"
	"strings"

	"wb/compile"
)

// ResolvePackages finds the wheels of :deps that the workbook's lock file pins.
// What it has not is refused when the block is built, unless :dir brings it.
func (l *lane) ResolvePackages(_ context.Context, req compile.PackageRequest) ([]compile.Package, error) {
	return l.env.Tools.ResolveWheels(req.Deps, req.Lock)
}

// KeepWheel pins a wheel in a workbook's lock file and keeps it for blocks that
// ask for it with :deps. Spec is NAME==VERSION.
func (l *lane) KeepWheel(ctx context.Context, lock, spec, file string, content []byte) error {
	return l.env.Tools.KeepWheel(ctx, lock, spec, file, content, l.env.Progress)
}

// addWheels puts the files of a block's wheels beside its own.
func (l *lane) addWheels(src *compile.Source, p *program) error {
	if len(src.Packages) == 0 {
		return nil
	}
	own := p.Sources
	p.Sources = make(map[string][]byte)
	for _, pack := range src.Packages {
		files, err := l.env.Tools.WheelFiles(pack)
		if err != nil {
			return err
		}
		maps.Copy(p.Sources, files)
	}
	maps.Copy(p.Sources, own) // what lies in :dir comes first
	return nil
}

// pinned reports whether a wheel for a package is among those of the block.
func pinned(src *compile.Source, dep string) bool {
	name := moduleName(dep)
	for _, p := range src.Packages {
		if strings.EqualFold(moduleName(p.Name), name) {
			return true
		}
	}
	return false
}
