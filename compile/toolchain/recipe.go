package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Recipe says what a toolchain is and how it is obtained. Lanes register their
// recipes with [Depot.Register]; a recipe never changes afterwards.
type Recipe struct {
	Name    string // short and lower case: "clang", "quickjs"
	Version string // the upstream version
	Summary string // one line for listings
	Origin  Origin
	// Check proves that the installed files work: it compiles and runs
	// something small. It runs before a fresh installation becomes visible,
	// so it is also where an expensive first compilation is paid. Step hears
	// what it is doing. Nil checks nothing but digests.
	Check func(ctx context.Context, t Toolchain, step Step) error
	// Takes is about how long Check takes the first time, for progress texts;
	// zero when it is short.
	Takes time.Duration
	// Needs names toolchains that Origin uses; they are installed first.
	Needs []string
	// Apart says why the toolchain is installed only where a person asks for it
	// or another one needs it, as the end of "not installed, since …"; "" for one
	// that comes with its first use.
	Apart string
}

// Origin is a way to obtain files: [NPM] fetches a pinned package through the
// npm client, [GoBuild] compiles Go for wasip1 with the local Go toolchain,
// [GoRoot] builds Go's own compiler with it, [Source] builds a pinned archive
// of somebody else's source code with our own compilers, [Given] takes what the
// user has in a directory, and [Built] runs a function of ours, usually the C
// lane on embedded sources.
type Origin interface {
	// Identity is everything that decides the content, in one string.
	Identity() string
	// Reproducible reports whether equal identities always give equal bytes.
	Reproducible() bool
	// Fetch puts the toolchain's files into the job's empty directory.
	Fetch(ctx context.Context, job *Job) error
}

// Job is one run of an origin.
type Job struct {
	Tool string // toolchain name, for messages
	Dir  string // empty directory to fill
	// Downloads keeps fetched archives between attempts, so that an
	// interrupted installation does not fetch them twice.
	Downloads string
	// From is a local archive to use in place of the network, "" for none.
	From string
	// Sources is asked for archives before the network is.
	Sources Sources
	// Archive is the verified archive that a [Source] builds from.
	Archive string
	Step    func(text string, total int64) Step

	builtWith string // the local compiler, when one was used
}

// Write creates a file of the toolchain, by slash path.
func (j *Job) Write(name string, data []byte) error {
	return writeFile(filepath.Join(j.Dir, filepath.FromSlash(name)), bytes.NewReader(data))
}

// Keep is a directory for intermediate results, such as object files, that
// survives an interrupted installation and is removed after a finished one.
func (j *Job) Keep() string { return filepath.Join(j.Downloads, j.Tool+"@objects") }

// scratch makes an empty directory for intermediate files; leftovers of dead
// processes are collected with the downloads.
func (j *Job) scratch() (string, error) {
	if err := os.MkdirAll(j.Downloads, 0o755); err != nil {
		return "", fmt.Errorf("toolchain %s: %w", j.Tool, err)
	}
	dir, err := os.MkdirTemp(j.Downloads, j.Tool+"@*.part")
	if err != nil {
		return "", fmt.Errorf("toolchain %s: %w", j.Tool, err)
	}
	return dir, nil
}

// Pin is the SHA-256, in hex, of what a recipe promises: name, version and
// origin.
func (r *Recipe) Pin() string {
	h := sha256.New()
	fmt.Fprintf(h, "wb toolchain 1\n%q %q\n%s", r.Name, r.Version, r.Origin.Identity())
	return hex.EncodeToString(h.Sum(nil))
}

// command is how a person installs the toolchain by hand.
func (r *Recipe) command() string {
	command := "wb toolchain install " + r.Name
	if r.given() {
		command += " --from DIR"
	}
	return command
}

// given reports whether the user must have the toolchain: it is not fetched.
func (r *Recipe) given() bool {
	_, ok := r.Origin.(Given)
	return ok
}
