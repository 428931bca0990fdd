package toolchain

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// GoBuild is a wasip1 program compiled by the local Go toolchain. Mod and Sum
// pin every module that takes part; Go checks them. The bytes depend on the
// local Go version, so their digest is recorded when they are built.
type GoBuild struct {
	Package string // "." for Source, or an import path of a required module
	Mod     string // text of go.mod
	Sum     string // text of go.sum
	Source  fs.FS  // Go files beside go.mod, nil when Package is elsewhere
	Output  string // installed as, such as "shell.wasm"
	Flags   []string
}

// Identity is the module files, the sources and the flags.
func (g GoBuild) Identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "go %q %q %q\n%s\n%s\n", g.Package, g.Output, g.Flags, g.Mod, g.Sum)
	if g.Source != nil {
		sum, err := hashFS(g.Source)
		fmt.Fprintf(&b, "%s %v\n", sum, err)
	}
	return b.String()
}

// Reproducible is false: another Go version makes other bytes.
func (GoBuild) Reproducible() bool { return false }

// Fetch builds the program.
func (g GoBuild) Fetch(ctx context.Context, job *Job) (err error) {
	step := job.Step("building "+g.Output+" with go", 0)
	defer func() { step.Done(err) }()
	module, err := job.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(module)
	if err := g.layOut(module); err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	env := []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly"}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}
	args = append(append(args, g.Flags...), "-o", filepath.Join(job.Dir, g.Output), g.Package)
	missing := "install Go 1.26 or newer, then: wb toolchain install " + job.Tool
	if _, err := run(ctx, job.Tool, module, env, "go", args, missing); err != nil {
		return err
	}
	version, err := run(ctx, job.Tool, module, nil, "go", []string{"env", "GOVERSION"}, missing)
	job.builtWith = strings.TrimSpace(string(version))
	return err
}

// layOut writes the module to build into dir.
func (g GoBuild) layOut(dir string) error {
	if err := writeFile(filepath.Join(dir, "go.mod"), strings.NewReader(g.Mod)); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "go.sum"), strings.NewReader(g.Sum)); err != nil {
		return err
	}
	if g.Source == nil {
		return nil
	}
	return os.CopyFS(dir, g.Source)
}

// Built is a toolchain made by a function of ours, usually the C lane applied
// to embedded sources: no client, no network.
type Built struct {
	// Of names everything that decides the result: the digest of the sources
	// (see [HashFS]), the recipe's own version, the fingerprint of the
	// compiler.
	Of    string
	Build func(ctx context.Context, job *Job) error
}

// Identity is Of.
func (b Built) Identity() string { return "built " + b.Of }

// Reproducible is true: our compilers run in the sandbox and always give the
// same bytes.
func (Built) Reproducible() bool { return true }

// Fetch calls Build.
func (b Built) Fetch(ctx context.Context, job *Job) error {
	if err := b.Build(ctx, job); err != nil {
		return fmt.Errorf("toolchain %s: build: %w", job.Tool, err)
	}
	return nil
}

// HashFS is the SHA-256, in hex, over the names and bytes of all files.
func HashFS(files fs.FS) (string, error) { return hashFS(files) }

func hashFS(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := files.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		inner := sha256.New()
		if _, err := io.Copy(inner, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%x %q\n", inner.Sum(nil), path)
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
