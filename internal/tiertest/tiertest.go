// Package tiertest lets tests run programs in real containers, where there are
// any.
package tiertest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"wb/tier"
)

// Container is how a test starts containers.
type Container struct {
	Runtime string // the engine's command
	// Executable is this test, linked so that it needs nothing of an image. It has
	// the TestMain of files without build tags.
	Executable string
}

// NeedContainer finds an engine that has the image, docker or else podman, and
// skips the test, saying what is missing, where there is none.
func NeedContainer(t *testing.T) Container {
	t.Helper()
	engines := []string{os.Getenv(tier.RuntimeVariable)}
	if engines[0] == "" {
		engines = []string{tier.DefaultRuntime, "podman"}
	}
	var missing error
	for _, engine := range engines {
		config := tier.Config{Tier: tier.Container, Runtime: engine, Principal: t.Name(), Cache: t.TempDir()}
		err := tier.Available(t.Context(), config)
		if err == nil {
			return Container{Runtime: engine, Executable: static(t)}
		}
		if missing == nil {
			missing = err
		}
	}
	t.Skip(missing)
	return Container{}
}

// static is this test's executable if it needs no libraries, else the same test
// built so that it does not.
func static(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if needsNothing(exe) {
		return exe
	}
	path := filepath.Join(t.TempDir(), filepath.Base(exe))
	cmd := exec.Command("go", "test", "-c", "-o", path, ".") // in the package's directory, where tests run
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building a test that needs no libraries: %v\n%s", err, out)
	}
	return path
}

// needsNothing reports whether an executable names no loader of libraries.
func needsNothing(exe string) bool {
	file, err := elf.Open(exe)
	if err != nil {
		return false
	}
	defer file.Close()
	return !slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
