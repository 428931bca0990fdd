package toolchain

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/sha"
)

// maxUnpacked bounds one file of an archive, in bytes.
const maxUnpacked = 1 << 30

// NPM is a package fetched with the user's npm client. The tarball must match
// Integrity whatever registry it came from; no script of it ever runs.
type NPM struct {
	Package   string // "@yowasp/clang"
	Version   string // exact
	Integrity string // "sha512-" and base64, as npm writes it
	Size      int64  // of the tarball in bytes, for the progress text
	// Files are the files to keep: path inside the package ("gen/x.wasm") to
	// what it is installed as and its digest.
	Files map[string]Pinned
}

// Pinned is one file of a package.
type Pinned struct {
	Name   string // installed as, by slash path
	SHA256 string // hex
}

// Identity is the package, its integrity and what is kept of it.
func (n NPM) Identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "npm %q %q %q\n", n.Package, n.Version, n.Integrity)
	for _, path := range slices.Sorted(maps.Keys(n.Files)) {
		fmt.Fprintf(&b, "%q %q %s\n", path, n.Files[path].Name, n.Files[path].SHA256)
	}
	return b.String()
}

// Reproducible is true: the digests decide.
func (NPM) Reproducible() bool { return true }

// Pins are the digests of the installed files by name.
func (n NPM) Pins() map[string]string {
	pins := make(map[string]string)
	for _, p := range n.Files {
		pins[p.Name] = p.SHA256
	}
	return pins
}

// Fetch downloads the tarball unless an earlier attempt has it, checks it and
// unpacks what is kept.
func (n NPM) Fetch(ctx context.Context, job *Job) error {
	tarball, err := n.obtain(ctx, job)
	if err != nil {
		return err
	}
	return n.unpack(job, tarball)
}

func (n NPM) identity() string {
	return fmt.Sprintf("npm %q %q %q\n", n.Package, n.Version, n.Integrity)
}

// obtain finds or downloads the tarball and checks it.
func (n NPM) obtain(ctx context.Context, job *Job) (string, error) {
	tarball := job.From
	if tarball == "" {
		tarball = filepath.Join(job.Downloads, job.Tool+"@"+n.Version+".tgz")
		if n.verify(job.Tool, tarball) != nil {
			found, err := job.fromElsewhere(ctx, n.file(), tarball)
			if err == nil && !found {
				err = n.download(ctx, job, tarball)
			}
			if err != nil {
				return "", err
			}
		}
	}
	if err := n.verify(job.Tool, tarball); err != nil {
		if job.From == "" {
			os.Remove(tarball)
		}
		return "", err
	}
	return tarball, nil
}

// file is the name that npm gives the tarball.
func (n NPM) file() string {
	return strings.ReplaceAll(strings.TrimPrefix(n.Package, "@"), "/", "-") + "-" + n.Version + ".tgz"
}

// download runs npm pack in an empty directory, where no project file can
// redirect it, and moves the tarball to where it is kept.
func (n NPM) download(ctx context.Context, job *Job, tarball string) (err error) {
	dir, err := job.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	spec := n.Package + "@" + n.Version
	text := "fetching " + spec + " with npm"
	if n.Size > 0 {
		text += " (" + size(n.Size) + ")"
	}
	step := job.Step(text, 0)
	defer func() { step.Done(err) }()

	args := []string{"pack", spec, "--ignore-scripts", "--no-update-notifier", "--loglevel=error"}
	if _, err := run(ctx, job.Tool, dir, nil, "npm", args, "install Node.js, which brings npm, then: wb toolchain install "+job.Tool+"; "+withoutNetwork); err != nil {
		return err
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(made) != 1 {
		return &UnavailableError{Tool: job.Tool, Command: "npm " + strings.Join(args, " "), Err: fmt.Errorf("npm left %d archives, expected 1", len(made)),
			Fix: "check the npm client: npm --version"}
	}
	if err := os.Rename(made[0], tarball); err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	return nil
}

// verify compares the tarball's SHA-512 with the pin.
func (n NPM) verify(tool, tarball string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", tool, err)
	}
	defer f.Close()
	h := sha512.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("toolchain %s: %w", tool, err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil)); got != n.Integrity {
		return &IntegrityError{Tool: tool, What: n.Package + "@" + n.Version, Want: n.Integrity, Got: got}
	}
	return nil
}

// unpack writes the kept files and checks each against its digest.
func (n NPM) unpack(job *Job, tarball string) (err error) {
	f, err := os.Open(tarball)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	step := job.Step("unpacking", info.Size())
	defer func() { step.Done(err) }()
	zr, err := gzip.NewReader(counting{f, step})
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	err = extract(zr, job.Dir, maxUnpacked, func(name string) string {
		_, inside, _ := strings.Cut(name, "/") // the tarball has one top directory, usually "package"
		return n.Files[inside].Name
	})
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	for _, p := range n.Files {
		got, _, err := sha.File(filepath.Join(job.Dir, filepath.FromSlash(p.Name)))
		if err != nil {
			return fmt.Errorf("toolchain %s: %w", job.Tool, err)
		}
		if got != p.SHA256 {
			return &IntegrityError{Tool: job.Tool, What: p.Name, Want: p.SHA256, Got: got}
		}
	}
	return nil
}

// withoutNetwork are the ways to a toolchain that need no registry.
const withoutNetwork = "on a machine without network: wb toolchain unpack PACK, or --sources DIR"

// impatient has npm try again after seconds, where it would wait a minute before it says
// that there is no network. What the user has set comes after it and wins.
func impatient() []string {
	return []string{"npm_config_fetch_retry_mintimeout=1000", "npm_config_fetch_retry_maxtimeout=4000"}
}

// run starts a client with fixed arguments and returns its standard output.
// What goes wrong is an UnavailableError that shows the command.
func run(ctx context.Context, tool, dir string, env []string, client string, args []string, missing string) ([]byte, error) {
	command := client + " " + strings.Join(args, " ")
	path, err := exec.LookPath(client)
	if err != nil {
		return nil, &UnavailableError{Tool: tool, Command: command, Fix: missing, Err: fmt.Errorf("%s is not on PATH", client)}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, append(append(impatient(), os.Environ()...), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &UnavailableError{Tool: tool, Command: command, Output: reason(client, stderr.String()), Err: fmt.Errorf("%s failed (%w)", client, err),
			Fix: "check the network and the registry settings of " + client + ", then: wb toolchain install " + tool + "; " + withoutNetwork}
	}
	return stdout.Bytes(), nil
}
