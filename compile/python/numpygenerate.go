package python

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/internal/whole"
	"wb/sandbox"
)

// generate adds to files what numpy's own build generates: by numpy's scripts,
// and by Cython, both in the sandbox's Python.
func (b *numpyBuilder) generate(ctx context.Context, job *toolchain.Job, files map[string][]byte) (err error) {
	cython, err := b.lane.env.Tools.Ensure(ctx, cythonName, b.lane.env.Progress)
	if err != nil {
		return err
	}
	tools := newPack(cython)
	tree, err := b.script(ctx, tools, "generate.py", files)
	if err != nil {
		return err
	}
	if err := readTree(tree, files); err != nil {
		return err
	}
	return b.translate(ctx, job, tools, files)
}

// translate adds the C files that Cython makes. Each is kept as soon as it is
// done.
func (b *numpyBuilder) translate(ctx context.Context, job *toolchain.Job, tools *vm.Archive, files map[string][]byte) (err error) {
	declared := maps.Clone(files)
	maps.DeleteFunc(declared, func(name string, _ []byte) bool { return !strings.HasSuffix(name, ".pxd") })
	var names []string
	var total int64
	for name := range files {
		if strings.HasSuffix(name, ".pyx") {
			names = append(names, name)
			total += int64(len(files[name]))
		}
	}
	// The largest comes first, so that it is not translated alone at the end.
	slices.SortFunc(names, func(x, y string) int { return len(files[y]) - len(files[x]) })
	step := job.Step(fmt.Sprintf("translating %d files with Cython", len(names)), total)
	defer func() { step.Done(err) }()
	made := make([][]byte, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() (err error) {
			source := maps.Clone(declared)
			source[name] = files[name]
			made[i], err = b.translateOne(ctx, job, tools, name, source)
			step.Add(int64(len(files[name])))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, name := range names {
		files[cFile(name)] = made[i]
	}
	return nil
}

// cFile is what Cython calls the C file of one of its own.
func cFile(name string) string { return strings.TrimSuffix(name, ".pyx") + ".c" }

// translateOne is the C file of a Cython file, from an earlier attempt if that
// was made of the same files.
func (b *numpyBuilder) translateOne(ctx context.Context, job *toolchain.Job, tools *vm.Archive, name string, files map[string][]byte) ([]byte, error) {
	script, err := numpyFiles.ReadFile("numpy/translate.py")
	if err != nil {
		return nil, err
	}
	key := toolchain.HashText(b.lane.env.Tools.Fingerprint(cythonName), string(script), name, toolchain.HashFiles(files))
	kept := filepath.Join(job.Keep(), key[:32]+".c")
	if data, err := os.ReadFile(kept); err == nil {
		return data, nil
	}
	tree, err := b.script(ctx, tools, "translate.py", files, strings.TrimPrefix(name, "/"))
	if err != nil {
		return nil, err
	}
	data, err := tree.ReadFile(cFile(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, whole.File{Mode: 0o644, Dirs: 0o755}.Write(kept, data)
}

// script runs one of our scripts in the sandbox's Python, with files below / and
// Cython to import, and answers with the files as it leaves them.
func (b *numpyBuilder) script(ctx context.Context, tools *vm.Archive, name string, files map[string][]byte, args ...string) (*sandbox.MemFS, error) {
	text, err := numpyFiles.ReadFile("numpy/" + name)
	if err != nil {
		return nil, err
	}
	lib, err := b.lane.library(ctx)
	if err != nil {
		return nil, err
	}
	own := sandbox.NewMemFS()
	for name, data := range files {
		if err := own.WriteFile(name, data); err != nil {
			return nil, err
		}
	}
	tree, err := newTree(own, lib, nil, []sandbox.FS{tools})
	if err != nil {
		return nil, err
	}
	m, release, err := b.lane.Acquire(ctx, &compile.Job{Files: tree, Limits: buildLimits})
	if err != nil {
		return nil, err
	}
	defer release(false)
	p := &program{Kind: kindScript, Text: string(text), Lines: strings.Count(string(text), "\n")}
	a, err := ask(ctx, m, request{Do: "run", Program: p, Dir: "/", Args: args})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	case len(a.Error) > 0:
		return nil, fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), a.failure(p).report(nil))
	case a.Exit != 0:
		return nil, fmt.Errorf("%s %s: exit %d: %s", name, strings.Join(args, " "), a.Exit, strings.TrimSpace(m.Stderr.String()))
	}
	return own, nil
}

// readTree replaces files by those of a tree.
func readTree(tree *sandbox.MemFS, files map[string][]byte) error {
	return tree.Walk(func(name string, info fs.FileInfo, data []byte) error {
		if info.Mode().IsRegular() {
			files[name] = data
		}
		return nil
	})
}
