package tier

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The environment that chooses the engine and the image.
const (
	RuntimeVariable = "WB_CONTAINER_RUNTIME"
	ImageVariable   = "WB_CONTAINER_IMAGE"
	DefaultRuntime  = "docker"
	DefaultImage    = "wb-wasmtime:latest"
)

// Paths inside the container.
const (
	insideExe     = "/wb"
	insideShared  = "/cache"
	insidePrivate = "/private"
)

// containerScratch bounds what a child writes: its own caches, in memory.
const containerScratch = 2 << 30

func (c *Config) engine() string {
	return firstOf(c.Runtime, os.Getenv(RuntimeVariable), DefaultRuntime)
}

func (c *Config) image() string { return firstOf(c.Image, os.Getenv(ImageVariable), DefaultImage) }

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// containerStarter starts children inside docker or podman.
type containerStarter struct{ config *Config }

func (s *containerStarter) launch(_ context.Context, _ string) (*launch, error) {
	shared, err := filepath.Abs(s.config.Cache)
	if err != nil {
		return nil, err
	}
	exe, err := filepath.EvalSymlinks(s.config.Executable)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	name := "wb-tier-" + hex.EncodeToString(id[:])
	cmd := exec.Command(s.config.engine(), s.arguments(name, exe, shared)...)
	cmd.Env = engineEnvironment()
	var notes []string
	if os.Geteuid() == 0 {
		notes = append(notes, "a container cannot read root's caches, so compilers are prepared again (run wb as another user)")
	}
	return &launch{cmd: cmd, notes: notes, kill: func() { s.remove(name) }}, nil
}

// arguments are fixed but for paths of this installation and a random name.
func (s *containerStarter) arguments(name, exe, shared string) []string {
	words := []string{
		"run", "--rm", "-i", "--init=false", "--name", name, "--pull", "never",
		"--network", "none", "--memory", fmt.Sprint(s.config.Memory), "--memory-swap", fmt.Sprint(s.config.Memory),
		"--cpus", fmt.Sprint(min(2, runtime.NumCPU())), "--pids-limit", "256",
		"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", containerUser(),
		"--tmpfs", fmt.Sprintf("%s:rw,nosuid,nodev,noexec,size=%d,mode=1777", insidePrivate, containerScratch),
		"--mount", "type=bind,source=" + exe + ",target=" + insideExe + ",readonly",
		"--mount", "type=bind,source=" + shared + ",target=" + insideShared + ",readonly",
		"--workdir", insidePrivate, "--entrypoint", insideExe,
	}
	// A wb that is linked to the system's C library brings that along as well.
	for _, path := range sharedObjects(exe) {
		words = append(words, "--mount", "type=bind,source="+path+",target="+path+",readonly")
	}
	if s.config.rootless() {
		words = append(words, "--userns", "keep-id")
	}
	return append(words, s.config.image(), ChildVerb, insidePrivate, insideShared)
}

// rootless reports whether the engine is a podman that runs without root. There
// users have other numbers inside unless it is told to keep them.
func (c *Config) rootless() bool {
	return os.Geteuid() > 0 && strings.HasPrefix(filepath.Base(c.engine()), "podman")
}

// containerUser is nobody for root, whom the engine would otherwise let be root
// inside. Others stay themselves: the caches are theirs alone, and without
// capabilities they can do no more than read them.
func containerUser() string {
	if uid := os.Geteuid(); uid > 0 {
		return fmt.Sprintf("%d:%d", uid, os.Getegid())
	}
	return fmt.Sprintf("%d:%d", nobodyID, nobodyID)
}

const nobodyID = 65534

// engineEnvironment holds the variables the engine's command needs to find its daemon. None
// of it reaches the container.
func engineEnvironment() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG",
		"DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "CONTAINER_HOST", "CONTAINERS_CONF", "TMPDIR", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// remove ends a container: killing the engine's command leaves it running.
func (s *containerStarter) remove(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.config.engine(), "rm", "--force", name)
	cmd.Env = engineEnvironment()
	_ = cmd.Run() // --rm has removed it, or there is no engine any more
}

func (s *containerStarter) weaker(error) bool { return false }

// containerAvailable asks the engine for the image.
func containerAvailable(ctx context.Context, c *Config) error {
	unavailable := func(reason, fix string) error {
		return &UnavailableError{Tier: Container, Reason: reason, Fix: fix}
	}
	engine := c.engine()
	if _, err := exec.LookPath(engine); err != nil {
		return unavailable(engine+" is not installed", "install docker, or podman and set "+RuntimeVariable+"=podman")
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, engine, "image", "inspect", "--format", "{{.Id}}", c.image())
	cmd.Env = engineEnvironment()
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	text := clean(firstLine(said.String()))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && strings.Contains(strings.ToLower(text), "no such image") || strings.Contains(strings.ToLower(text), "image not known"):
		return unavailable("there is no image "+c.image(), fmt.Sprintf(`printf 'FROM scratch\nUSER %d\n' | %s build -t %s -   makes an empty one: wb mounts itself into it`, nobodyID, engine, c.image()))
	case text == "":
		text = err.Error()
	}
	return unavailable(engine+" does not work: "+text, "start its daemon, or set "+RuntimeVariable)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
