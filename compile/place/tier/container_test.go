//go:build unix

package tier_test

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/place/tier"
	"wb/internal/test/tiertest"
)

// fakeEngine is a container engine that writes down its arguments and runs the
// executable which is mounted, outside of any container.
const fakeEngine = `#!/bin/sh
printf '%s\n' "$@" >>"$(dirname "$0")/argv"
case "$1" in
image)
  [ "$5" = there:latest ] && exit 0
  echo "Error response from daemon: No such image: $5" >&2
  exit 1 ;;
rm) exit 0 ;;
esac
for word; do
  case "$word" in
  type=bind,source=*,target=/wb,readonly) exe=${word#type=bind,source=} exe=${exe%,target=/wb,readonly} ;;
  type=bind,source=*,target=/cache,readonly) cache=${word#type=bind,source=} cache=${cache%,target=/cache,readonly} ;;
  esac
done
private=$(mktemp -d)
cd "$private" && exec env -i "$exe" tier-child "$private" "$cache"
`

func fake(t *testing.T) (engine string, argv func() []string) {
	t.Helper()
	engine = filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(engine, []byte(fakeEngine), 0o755); err != nil {
		t.Fatal(err)
	}
	return engine, func() []string {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(engine), "argv"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// A container is started with every ceiling there is, and what is said to it is
// what is said to a child.
func TestContainer(t *testing.T) {
	engine, argv := fake(t)
	_, runner := open(t, func(c *tier.Config) {
		c.Tier, c.Runtime, c.Image, c.Memory = tier.Container, engine, "there:latest", 1<<30
	})
	if out := mustDo(t, runner, "echo", compile.Job{Stdin: []byte("from inside")}); out != "from inside" {
		t.Errorf("got %q", out)
	}
	words := argv()
	run := words[slices.Index(words, "run"):]
	for _, want := range [][]string{
		{"--rm"}, {"-i"}, {"--network", "none"}, {"--memory", "1073741824"}, {"--cpus"}, {"--pids-limit", "256"}, {"--read-only"},
		{"--cap-drop", "ALL"}, {"--security-opt", "no-new-privileges"}, {"--user"}, {"--pull", "never"}, {"there:latest", "tier-child", "/private", "/cache"},
	} {
		if i := slices.Index(run, want[0]); i < 0 || !slices.Equal(run[i:min(len(run), i+len(want))], want) {
			t.Errorf("no %v in %v", want, run)
		}
	}
	user := run[slices.Index(run, "--user")+1]
	if strings.HasPrefix(user, "0:") {
		t.Errorf("it runs as %s", user)
	}
	for _, name := range needed(t) {
		if !slices.ContainsFunc(run, func(word string) bool { return strings.HasSuffix(word, "/"+name+",readonly") }) {
			t.Errorf("no mount of %s, which it is linked to", name)
		}
	}
	for i, word := range run {
		if strings.Contains(word, "docker.sock") || word == "--privileged" || word == "-e" || word == "--env" || word == "-v" ||
			word == "--mount" && !strings.HasSuffix(run[i+1], ",readonly") {
			t.Errorf("%s %s", word, run[i+1])
		}
	}
}

// needed are the libraries that this test is linked to; where executables are no
// ELF files, no engine of this kind runs them.
func needed(t *testing.T) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer exe.Close()
	names, err := exe.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// An engine that is not there, or has no image, is refused with the reason.
func TestNoContainer(t *testing.T) {
	engine, _ := fake(t)
	for name, c := range map[string]struct {
		config tier.Config
		says   string
	}{
		"no engine": {tier.Config{Runtime: "no-such-engine"}, "no-such-engine is not installed"},
		"no image":  {tier.Config{Runtime: engine, Image: "elsewhere:latest"}, "there is no image elsewhere:latest"},
		"no daemon": {tier.Config{Runtime: brokenEngine(t)}, "Cannot connect to the daemon"},
	} {
		c.config.Tier, c.config.Principal, c.config.Cache = tier.Container, "p", t.TempDir()
		_, err := tier.Open(t.Context(), c.config)
		var unavailable *tier.UnavailableError
		if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), c.says) || unavailable.Hint() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func brokenEngine(t *testing.T) string {
	t.Helper()
	engine := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(engine, []byte("#!/bin/sh\necho Cannot connect to the daemon >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return engine
}

// With an engine that works and the image, the walls are the engine's.
func TestRealContainer(t *testing.T) {
	engine := tiertest.NeedContainer(t)
	_, runner := open(t, func(c *tier.Config) { c.Tier, c.Runtime = tier.Container, engine })
	if out := mustDo(t, runner, "look", compile.Job{Args: []string{"/etc/passwd", "/cache/none"}}); !strings.Contains(out, "interfaces=0\n") && !strings.Contains(out, "interfaces=1\n") {
		t.Errorf("it sees %s", out)
	}
}
