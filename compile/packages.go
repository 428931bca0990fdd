package compile

import (
	"context"

	"wb/compile/toolchain"
)

// Package is one package of a registry, pinned.
type Package = toolchain.Package

// PackageResolver is a lane that fetches what :deps asks for.
type PackageResolver interface {
	// ResolvePackages pins deps: as the lock file at lockPath has them, else as
	// the registry has them now, which is then added to that file. Errors are
	// about the packages, not about a place in the workbook.
	ResolvePackages(ctx context.Context, lockPath string, deps []string) ([]Package, error)
}

// ResolvePackages fills src.Packages when the lane fetches packages. The lock
// file lies beside the workbook. Lanes that do not, refuse src.Deps themselves.
func ResolvePackages(ctx context.Context, lane Lane, lockPath string, src *Source) error {
	if len(src.Deps) == 0 {
		return nil
	}
	for {
		if r, ok := lane.(PackageResolver); ok {
			var err error
			src.Packages, err = r.ResolvePackages(ctx, lockPath, src.Deps)
			return err
		}
		wrapped, ok := lane.(interface{ Unwrap() Lane })
		if !ok {
			return nil
		}
		lane = wrapped.Unwrap()
	}
}
