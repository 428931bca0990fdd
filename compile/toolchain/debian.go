package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"wb/internal/sha"
)

// Debian is an upstream source archive as Debian keeps it, or a package that
// suits every machine, fetched with the user's apt-get from the mirrors the user
// has configured. Only the digest is trusted.
type Debian struct {
	Package string // "lua5.4"
	Version string // of the upstream source, for messages: "5.4.4"
	Suite   string // the release that has it: "bookworm"
	File    string // "lua5.4_5.4.4.orig.tar.gz"
	SHA256  string // of File, hex; "" when the [Source]'s Content decides
	Size    int64  // of File in bytes, for the progress text
	Binary  bool   // a package that is built, not the source of one
	Else    string // another archive with the same files, for messages: "the sdist …"
}

func (d Debian) identity() string { return fmt.Sprintf("debian %q %s\n", d.File, d.SHA256) }

// Download fetches the archive into dir and returns its path, for who needs more
// of it than a toolchain keeps, such as the tests it comes with.
func (d Debian) Download(ctx context.Context, dir string) (string, error) {
	return d.obtain(ctx, &Job{Tool: d.Package, Downloads: dir,
		Step: func(string, int64) Step { return silent{} }})
}

// obtain finds the archive: the one the user names, one that an earlier attempt
// has fetched, or a fresh one.
func (d Debian) obtain(ctx context.Context, job *Job) (string, error) {
	if job.From != "" {
		return job.From, d.verify(job.Tool, job.From)
	}
	archive := filepath.Join(job.Downloads, job.Tool+"@"+d.File)
	if d.verify(job.Tool, archive) == nil {
		return archive, nil
	}
	found, err := job.fromElsewhere(ctx, d.File, archive)
	if err == nil && !found {
		err = d.download(ctx, job, archive)
	}
	if err != nil {
		return "", err
	}
	if err := d.verify(job.Tool, archive); err != nil {
		os.Remove(archive)
		return "", err
	}
	return archive, nil
}

// verify compares an archive's SHA-256 with the pin.
func (d Debian) verify(tool, archive string) error {
	got, _, err := sha.File(archive)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", tool, err)
	}
	if d.SHA256 != "" && got != d.SHA256 {
		return &IntegrityError{Tool: tool, What: d.File, Want: d.SHA256, Got: got}
	}
	return nil
}

// byHand is how a person gets the archive where wb cannot.
func (d Debian) byHand(tool string) string {
	what := "sources"
	if d.Binary {
		what = "packages"
	}
	digest, more := fmt.Sprintf(" (SHA-256 %s)", d.SHA256), ""
	if d.SHA256 == "" {
		digest = ""
	}
	if d.Else != "" {
		more = ", or take " + d.Else
	}
	return fmt.Sprintf("fetch %s%s on a machine that has %s %s: %s%s; then: wb toolchain install %s --from %s",
		d.File, digest, d.Suite, what, d.command(), more, tool, d.File) + "; " + withoutNetwork
}

// command is the command that fetches the archive by hand.
func (d Debian) command() string {
	if d.Binary {
		return "apt-get download " + d.Package
	}
	return "apt-get source --tar-only " + d.Package
}

// words make apt-get fetch the archive.
func (d Debian) words() []string {
	if d.Binary {
		return []string{"download", d.Package}
	}
	return []string{"source", "--tar-only", "--download-only", "--only-source", d.Package}
}

// DebianArch is Debian's name for this machine's architecture.
func DebianArch() string {
	switch runtime.GOARCH {
	case "386":
		return "i386"
	case "arm":
		return "armhf"
	case "ppc64le":
		return "ppc64el"
	}
	return runtime.GOARCH
}

// download lets apt-get fetch the archive with a configuration of its own: the
// user's mirrors, asked for the source code of one suite. Nothing of the
// system's apt state is read or written.
func (d Debian) download(ctx context.Context, job *Job, archive string) (err error) {
	step := job.Step(fmt.Sprintf("fetching %s with apt-get (%s)", d.File, size(d.Size)), 0)
	defer func() { step.Done(err) }()
	dir, err := job.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mirrors, err := d.mirrors(ctx, job)
	if err != nil {
		return err
	}
	var failures []error
	for i, m := range mirrors {
		made, err := d.downloadFrom(ctx, job, filepath.Join(dir, fmt.Sprint(i)), m)
		if err == nil {
			return os.Rename(made, archive)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// mirrors are the archives in the user's apt configuration that may have the
// suite.
func (d Debian) mirrors(ctx context.Context, job *Job) ([]mirror, error) {
	out, err := run(ctx, job.Tool, job.Downloads, nil, "apt-config", []string{"shell", "list", "Dir::Etc::sourcelist/f", "parts", "Dir::Etc::sourceparts/d"}, d.byHand(job.Tool))
	if err != nil {
		return nil, err
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		_, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, "'")
		switch {
		case strings.HasSuffix(value, "/"):
			for _, pattern := range []string{"*.list", "*.sources"} {
				more, _ := filepath.Glob(filepath.Join(value, pattern))
				paths = append(paths, more...)
			}
		case value != "":
			paths = append(paths, value)
		}
	}
	var all []mirror
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // absent, or not for us to read
		}
		all = append(all, readMirrors(path, string(text))...)
	}
	if all = mainMirrors(all); len(all) == 0 {
		return nil, &UnavailableError{Tool: job.Tool, Command: d.command(), Fix: d.byHand(job.Tool),
			Err: errors.New("the apt configuration names no archive with a main component")}
	}
	return all, nil
}

// downloadFrom fetches the archive from one mirror into dir.
func (d Debian) downloadFrom(ctx context.Context, job *Job, dir string, m mirror) (string, error) {
	for _, sub := range []string{"lists/partial", "archives/partial", "files"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return "", fmt.Errorf("toolchain %s: %w", job.Tool, err)
		}
	}
	list := filepath.Join(dir, "wb.sources")
	if err := writeFile(list, bytes.NewReader([]byte(m.sources(d.Suite, d.Binary)))); err != nil {
		return "", fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	options := []string{"-q", "-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "Dir::State::lists=" + filepath.Join(dir, "lists"),
		"-o", "Dir::Cache=" + dir, "-o", "Dir::Cache::archives=archives", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none"}
	for _, args := range [][]string{{"update"}, d.words()} {
		if _, err := run(ctx, job.Tool, filepath.Join(dir, "files"), []string{"LC_ALL=C"}, "apt-get", append(args, options...), d.byHand(job.Tool)); err != nil {
			if missing, ok := errors.AsType[*UnavailableError](err); ok {
				missing.Command = "apt-get " + strings.Join(args, " ")
				missing.Fix = d.byHand(job.Tool)
			}
			return "", err
		}
	}
	made := filepath.Join(dir, "files", d.File)
	if !exists(made) {
		return "", &UnavailableError{Tool: job.Tool, Command: d.command(), Fix: d.byHand(job.Tool),
			Err: fmt.Errorf("the archive has another version than %s, which is %s", d.File, d.Version)}
	}
	return made, nil
}
