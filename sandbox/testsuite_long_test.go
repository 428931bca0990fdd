//go:build long

package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// testsuiteCase is the .json beside a program of WebAssembly/wasi-testsuite: what it
// is given and what it must do.
type testsuiteCase struct {
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Root     string            `json:"root"`
	Dirs     []string          `json:"dirs"`
	ExitCode int               `json:"exit_code"`
	Stdout   *string           `json:"stdout"`
}

// notSupportedHere are the programs of the suite that fail, each for a reason that
// stands in docs/sandbox.org.
var notSupportedHere = []string{
	"interesting_paths", // ".." above a directory descriptor stays within the guest's tree, and is allowed
	"symlink_create",    // a link may be absolute: it begins at the root of the guest's tree
}

// notAsComponents are the programs that fail when the adapter of the Bytecode Alliance
// has made components of them, each for a reason that stands in docs/sandbox.org.
var notAsComponents = []string{
	// AssemblyScript's allocator takes the page that the adapter keeps its state in; jco
	// ends the same way.
	"args_get-multiple-arguments", "environ_get-multiple-variables",
	// The adapter knows success and failure, and no other exit code.
	"fd_write-to-invalid-fd", "proc_exit-failure",
	// As with preview 1, see notSupportedHere.
	"interesting_paths", "symlink_create",
}

// TestWASITestsuite runs the preview 1 programs of WebAssembly/wasi-testsuite, branch
// prod/testsuite-base, whose tests directory WB_WASI_TESTSUITE names.
func TestWASITestsuite(t *testing.T) {
	dir := os.Getenv("WB_WASI_TESTSUITE")
	if dir == "" {
		t.Skip("WB_WASI_TESTSUITE names no checkout: just wasi-testsuite")
	}
	testsuite(t, dir, func(name string) bool { return !strings.HasSuffix(name, ".component.wasm") }, notSupportedHere)
}

// TestComponents runs the same programs as components, which just wasi-components makes
// of them with the adapter that jco brings.
func TestComponents(t *testing.T) {
	dir := os.Getenv("WB_WASI_COMPONENTS")
	if dir == "" {
		t.Skip("WB_WASI_COMPONENTS names no checkout: just wasi-components")
	}
	testsuite(t, dir, func(name string) bool { return strings.HasSuffix(name, ".component.wasm") }, notAsComponents)
}

// testsuite runs the programs of a checkout that are wanted. Those of failing fail.
func testsuite(t *testing.T, dir string, wanted func(name string) bool, failing []string) {
	programs, err := filepath.Glob(filepath.Join(dir, "*", "testsuite", "wasm32-wasip1", "*.wasm"))
	programs = slices.DeleteFunc(programs, func(name string) bool { return !wanted(name) })
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	engine := testEngine(t)
	passed, failed := 0, []string{}
	for _, file := range programs {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".wasm"), ".component")
		if why := runTestsuite(t, engine, file); why == "" {
			passed++
		} else {
			failed = append(failed, name)
			if !slices.Contains(failing, name) {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
	for _, name := range failing {
		if !slices.Contains(failed, name) {
			t.Errorf("%s passes and is listed as failing", name)
		}
	}
	t.Logf("%d of %d programs pass; the others: %s", passed, len(programs), strings.Join(failed, " "))
}

// runTestsuite runs one program and says what it did wrong, "" for nothing.
func runTestsuite(t *testing.T, engine *Engine, file string) string {
	t.Helper()
	var c testsuiteCase
	text, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(file, ".wasm"), ".component") + ".json")
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	module, err := engine.Compile(t.Context(), filepath.Base(file), wasm)
	if err != nil {
		return err.Error()
	}
	var stdout, stderr bytes.Buffer
	command := Command{Module: module, Args: append([]string{strings.Replace(filepath.Base(file), ".component", "", 1)}, c.Args...), Stdout: &stdout, Stderr: &stderr,
		Files: NewMemFS(), Preopens: []string{}, Limits: Limits{Timeout: time.Minute, Memory: 1 << 30}}
	for key, val := range c.Env {
		command.Env = append(command.Env, key+"="+val)
	}
	for _, root := range append(c.Dirs, c.Root) {
		if root == "" {
			continue
		}
		command.Preopens = append(command.Preopens, "/")
		from := os.DirFS(filepath.Join(filepath.Dir(file), root))
		if _, err := fs.Stat(from, "."); err != nil {
			continue // it begins empty
		}
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || name == ".":
				return err
			case d.IsDir():
				return command.Files.Mkdir(name, 0o755)
			}
			data, err := fs.ReadFile(from, name)
			if err != nil {
				return err
			}
			return WriteFile(command.Files, name, data)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	exit, err := engine.Run(t.Context(), command)
	switch {
	case err != nil:
		return err.Error() + "\n" + stderr.String()
	case exit.Code != c.ExitCode:
		return "it ends with " + strings.TrimSpace(stderr.String())
	case c.Stdout != nil && *c.Stdout != stdout.String():
		return "it prints " + stdout.String()
	}
	return ""
}
