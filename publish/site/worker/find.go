package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
)

// name is the program's.
const name = "wb-publish"

// missing says that wb-publish does not stand beside this program.
func missing(beside string) error {
	return &diag.CodedError{Err: fmt.Errorf("%s is not beside %s", name, beside), Help: "install both: go install ./cmd/...", Code: diag.ExitUnavailable}
}

// Find is the path of wb-publish: beside the executable that runs, or, when
// that was built from source that is still there, built from the same source
// into the user's cache. Building takes a minute or two the first time; note
// hears of it.
func Find(ctx context.Context, note func(format string, args ...any)) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	if beside := filepath.Join(filepath.Dir(self), name); isProgram(beside) {
		return beside, nil
	}
	module := source()
	if module == "" {
		return "", missing(filepath.Dir(self))
	}
	return build(ctx, module, note)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// source is the directory of the module that this program was built from, ""
// when it is not on this machine.
func source() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "" // built with -trimpath
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file)))) // above publish/site/worker
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.HasPrefix(mod, []byte("module wb\n")) {
		return ""
	}
	return dir
}

// build makes wb-publish with the local Go toolchain, once for the state that
// the source is in.
func build(ctx context.Context, module string, note func(format string, args ...any)) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "wb", "bin")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	state, err := stateOf(module)
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, name+"-"+state)
	if isProgram(path) {
		return path, nil
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("%w, and building it needs Go: %w", missing("wb"), err)
	}
	note("building %s from %s; the first time takes a minute or two", name, module)
	tmp := path + ".new"
	cmd := exec.CommandContext(ctx, compiler, "build", "-o", tmp, "./cmd/"+name)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, bytes.TrimSpace(out))
	}
	if err := os.Rename(tmp, path); err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(cache, name+"-*"))
	if err != nil {
		return "", err
	}
	for _, other := range old {
		if other != path {
			os.Remove(other) // of a state that is gone; one that runs stays until it ends
		}
	}
	return path, nil
}

// stateOf names the state of the source: every file that the program may be
// made of, with its size and time.
func stateOf(module string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	err := filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := d.Name(); path != module && (strings.HasPrefix(base, ".") || base == "bin" || base == "docs" || base == "testdata" || path == filepath.Join(module, "cmd", "wb")) {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(path, "_test.go") || !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}

// lock waits until this process alone may change the directory.
func lock(ctx context.Context, dir string) (func(), error) {
	for {
		release, ok, err := trace.NewState(dir).Lock(name)
		if ok || err != nil {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
