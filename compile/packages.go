package compile

import (
	"context"

	"wb/compile/toolchain"
)

// Package is one package of a registry, pinned.
type Package = toolchain.Package

// PackageRequest asks for what :deps of a block names.
type PackageRequest struct {
	Deps []string
	// Lock is the file beside the workbook that pins packages. What it does not
	// have is looked up and added to it.
	Lock string
	// Keep leaves the lock file as it is, Offline fetches and looks up nothing:
	// what is not pinned is then missing from the answer.
	Keep, Offline bool
}

// PackageResolver is a lane that fetches what :deps asks for. Its errors are
// about the packages, not about a place in the workbook.
type PackageResolver interface {
	ResolvePackages(ctx context.Context, req PackageRequest) ([]Package, error)
}

// ResolvePackages finds the packages of a block's :deps in its lane. Lanes that
// fetch no packages refuse Source.Deps themselves.
func ResolvePackages(ctx context.Context, lane Lane, req PackageRequest) ([]Package, error) {
	if r, ok := Unwrapped[PackageResolver](lane); ok && len(req.Deps) > 0 {
		return r.ResolvePackages(ctx, req)
	}
	return nil, nil
}
