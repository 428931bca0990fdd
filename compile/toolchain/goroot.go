package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GoRoot is the Go compiler and linker themselves, built for wasip1 from the
// sources in the local GOROOT, and compiled packages of its standard library.
// Every program of Go's distribution comes with its own source, so nothing is
// fetched. The bytes depend on the local Go version.
//
//	compile.wasm link.wasm   the programs, without other architectures
//	std.pack                 the archives of all packages, one after another
//	std.json                 where each lies in it: a list of [StdPackage]
type GoRoot struct {
	// Packages are the import paths that programs may use; what they import
	// comes along but is not offered.
	Packages []string
}

// The files of such a toolchain.
const (
	GoCompiler = "compile.wasm"
	GoLinker   = "link.wasm"
	GoStd      = "std.pack"
	GoStdIndex = "std.json"
)

// StdPackage is one compiled package in [GoStd].
type StdPackage struct {
	Path   string `json:"path"`
	Name   string `json:"name"` // as its package clause has it
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Offered is set for packages that programs may import.
	Offered bool `json:"offered,omitempty"`
}

// goRootVersion changes when the same Go gives other files.
const goRootVersion = 1

// Identity is the list of packages; which Go builds them is recorded apart.
func (g GoRoot) Identity() string { return fmt.Sprintf("goroot %d %q", goRootVersion, g.Packages) }

// Reproducible is false: another Go version makes other bytes.
func (GoRoot) Reproducible() bool { return false }

// goWasm is the environment in which everything is built: nothing of the
// user's settings that could change the code or ask the network.
var goWasm = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOEXPERIMENT=", "GO111MODULE=on"}

// Fetch builds the programs and packs the packages.
func (g GoRoot) Fetch(ctx context.Context, job *Job) error {
	dir, err := job.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	client := goClient{tool: job.Tool, dir: dir}
	env, err := client.run(ctx, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	job.builtWith = version

	overlay, err := writeOverlay(filepath.Join(root, "src", "cmd"), dir)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	for _, program := range []struct{ output, name string }{{GoCompiler, "compile"}, {GoLinker, "link"}} {
		step := job.Step("building Go's "+strings.TrimSuffix(program.name, "e")+"er with go (about a minute the first time)", 0)
		_, err := client.run(ctx, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-overlay="+overlay, "-o", filepath.Join(job.Dir, program.output), "cmd/"+program.name)
		step.Done(err)
		if err != nil {
			return err
		}
	}
	return g.packStd(ctx, job, client)
}

// goClient runs the go command in an empty directory.
type goClient struct{ tool, dir string }

func (c goClient) run(ctx context.Context, args ...string) ([]byte, error) {
	return run(ctx, c.tool, c.dir, goWasm, "go", args, "install Go 1.26 or newer, then: wb toolchain install "+c.tool)
}

// packStd compiles the packages and all they import, and writes them to one
// file with an index.
func (g GoRoot) packStd(ctx context.Context, job *Job, client goClient) (err error) {
	step := job.Step("compiling Go's standard library", 0)
	defer func() { step.Done(err) }()
	args := append([]string{"list", "-trimpath", "-deps", "-export", "-json=ImportPath,Name,Export"}, g.Packages...)
	list, err := client.run(ctx, args...)
	if err != nil {
		return err
	}
	var index []StdPackage
	exports := make(map[string]string)
	for dec := json.NewDecoder(strings.NewReader(string(list))); dec.More(); {
		var p struct{ ImportPath, Name, Export string }
		if err := dec.Decode(&p); err != nil {
			return fmt.Errorf("toolchain %s: go list: %w", job.Tool, err)
		}
		if p.Export == "" { // unsafe has no code
			continue
		}
		exports[p.ImportPath] = p.Export
		index = append(index, StdPackage{Path: p.ImportPath, Name: p.Name, Offered: slices.Contains(g.Packages, p.ImportPath)})
	}
	slices.SortFunc(index, func(a, b StdPackage) int { return strings.Compare(a.Path, b.Path) })
	if err := writePack(filepath.Join(job.Dir, GoStd), index, exports); err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return job.Write(GoStdIndex, text)
}

// writePack writes the export file of every package of index after one
// another, and where they went into index.
func writePack(path string, index []StdPackage, exports map[string]string) (err error) {
	pack, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if closed := pack.Close(); err == nil {
			err = closed
		}
	}()
	offset := int64(0)
	for i := range index {
		p := &index[i]
		f, err := os.Open(exports[p.Path])
		if err != nil {
			return err
		}
		h := sha256.New()
		n, err := io.Copy(io.MultiWriter(pack, h), f)
		f.Close()
		if err != nil {
			return err
		}
		p.Offset, p.Size, p.SHA256 = offset, n, hex.EncodeToString(h.Sum(nil))
		offset += n
	}
	return pack.Sync()
}
