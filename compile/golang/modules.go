package golang

import (
	"context"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// ResolvePackages pins the Go modules of :deps in the workbook's lock file. They
// are fetched when a block is built with them.
func (l lane) ResolvePackages(ctx context.Context, req compile.PackageRequest) ([]compile.Package, error) {
	return l.env.Tools.ResolveGo(ctx, req.Deps, toolchain.ResolveOptions{Lock: req.Lock, Keep: req.Keep, Offline: req.Offline}, l.env.Progress)
}

// addModules makes the files of a block's modules importable.
func (l lane) addModules(ctx context.Context, s *sources, src *compile.Source) error {
	if len(src.Deps) > 0 && len(src.Packages) == 0 {
		return diag.Errorf(src.At(1, 1), "the modules of :deps are not pinned: %s", src.Deps[0]).WithHint("run the workbook once with its directory writable, so that wb.lock is made")
	}
	for _, p := range src.Packages {
		files, err := l.env.Tools.ModuleFiles(ctx, p, l.env.Progress)
		if err != nil {
			return err
		}
		s.modules = append(s.modules, module{p.Path, files})
	}
	return nil
}

// module is the sources of one module of :deps.
type module struct {
	path  string
	files map[string][]byte
}

var languagePattern = lazyregexp.New(`(?m)^go[ \t]+(1\.[0-9]+)`)

// language is the version of Go that a go.mod asks for, as the compiler wants
// it; "" where it does not say.
func language(files map[string][]byte) string {
	if m := languagePattern.FindSubmatch(files["go.mod"]); m != nil {
		return "go" + string(m[1])
	}
	return ""
}
