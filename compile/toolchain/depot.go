package toolchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Depot is a directory of installed toolchains, shared by all processes of one
// user, and the recipes this process knows. It is safe for concurrent use.
type Depot struct {
	dir     string
	sources Sources

	mu      sync.Mutex
	recipes map[string]*Recipe
	ready   map[string]Toolchain
	busy    map[string]*sync.Mutex // one installation of a name at a time

	packages depFiles
}

// Open uses dir, or "wb/toolchains" in the user's cache directory when dir is
// empty. The directory is made when something is installed.
func Open(dir string) (*Depot, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("toolchain store: %w", err)
		}
		dir = filepath.Join(base, "wb", "toolchains")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("toolchain store: %w", err)
	}
	return &Depot{dir: dir, recipes: make(map[string]*Recipe), ready: make(map[string]Toolchain), busy: make(map[string]*sync.Mutex), packages: make(depFiles)}, nil
}

// Dir is where toolchains are installed.
func (s *Depot) Dir() string { return s.dir }

// From makes the store look for archives at a place of the user's before it asks the
// network. It is called before the store is used.
func (s *Depot) From(sources Sources) { s.sources = sources }

// Register makes recipes known. A name that is known already keeps its first
// recipe, so that several lanes may share a toolchain.
func (s *Depot) Register(recipes ...Recipe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range recipes {
		if s.recipes[r.Name] == nil {
			s.recipes[r.Name] = &r
			s.busy[r.Name] = new(sync.Mutex)
		}
	}
}

// Names lists the known toolchains in alphabetical order.
func (s *Depot) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.recipes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *Depot) recipe(name string) (*Recipe, error) {
	s.mu.Lock()
	r := s.recipes[name]
	s.mu.Unlock()
	if r == nil {
		return nil, &UnknownError{Tool: name, Known: s.Names()}
	}
	return r, nil
}

// home is the directory of this version of a toolchain.
func (s *Depot) home(r *Recipe) string {
	return filepath.Join(s.dir, r.Name, r.Version+"-"+r.Pin()[:12])
}

// Installed answers whether a toolchain is there, without installing it.
func (s *Depot) Installed(name string) (Toolchain, bool) {
	r, err := s.recipe(name)
	if err != nil {
		return Toolchain{}, false
	}
	s.mu.Lock()
	t, ok := s.ready[name]
	s.mu.Unlock()
	if ok {
		return t, true
	}
	m, err := readManifest(s.home(r))
	if err != nil || m.Pin != r.Pin() {
		return Toolchain{}, false
	}
	return m.toolchain(s.home(r)), true
}

// Fingerprint names the content of a toolchain for cache keys, without
// installing it: its digest when it is there or when its recipe alone decides
// the content, else a name that no digest has.
func (s *Depot) Fingerprint(name string) string {
	r, err := s.recipe(name)
	if err != nil {
		return "unknown:" + name
	}
	if r.Origin.Reproducible() {
		return r.Pin()
	}
	if t, ok := s.Installed(name); ok {
		return t.Digest
	}
	return "not-installed:" + r.Pin()
}

// Status is one line of a listing.
type Status struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Summary   string `json:"summary"`
	Installed bool   `json:"installed"`
	Digest    string `json:"digest,omitempty"`
	Size      int64  `json:"size,omitempty"` // bytes on disk
	Dir       string `json:"dir,omitempty"`
	Install   string `json:"install"` // the command that installs it
	// Given is set for what is not fetched: the user has it in a directory.
	Given bool `json:"given,omitempty"`
	// Apart says why it comes only to who asks for it, "" for what comes with
	// its first use.
	Apart string `json:"apart,omitempty"`
}

// Comes reports whether the toolchain comes by itself: with its first use, and
// with all others.
func (s Status) Comes() bool { return !s.Given && s.Apart == "" }

// List tells about every known toolchain, by name.
func (s *Depot) List() []Status {
	var list []Status
	for _, name := range s.Names() {
		r, _ := s.recipe(name)
		st := Status{Name: name, Version: r.Version, Summary: r.Summary, Install: r.command(), Given: r.given(), Apart: r.Apart}
		if t, ok := s.Installed(name); ok {
			st.Installed, st.Digest, st.Size, st.Dir = true, t.Digest, t.Size(), t.Dir
		}
		list = append(list, st)
	}
	return list
}

// Comes reports whether a toolchain can be installed without help. Users cannot expect another
// one to be there.
func (s *Depot) Comes(name string) bool {
	r, err := s.recipe(name)
	return err != nil || !r.given() && r.Apart == ""
}

// Ensure answers with the named toolchain, installing it first when it is not
// there and comes by itself. Progress may be nil.
func (s *Depot) Ensure(ctx context.Context, name string, progress Progress) (Toolchain, error) {
	if r, err := s.recipe(name); err == nil && r.Apart != "" {
		if t, ok := s.Installed(name); ok {
			return t, nil
		}
		return Toolchain{}, &UnavailableError{Tool: name, Command: r.command(), Fix: r.command(), Err: errors.New("not installed, since " + r.Apart)}
	}
	return s.install(ctx, name, progress, Options{})
}

// Options change how [Depot.Install] goes about it.
type Options struct {
	// Force installs again even when the toolchain is there.
	Force bool
	// From is a local archive (the npm tarball) used in place of the network.
	// It must match the same pin.
	From string
	// Sources is where archives are looked for, in place of the store's.
	Sources Sources
}

// Install is Ensure with options.
func (s *Depot) Install(ctx context.Context, name string, progress Progress, opts Options) (Toolchain, error) {
	return s.install(ctx, name, progress, opts)
}

func (s *Depot) install(ctx context.Context, name string, progress Progress, opts Options) (Toolchain, error) {
	if t, ok := s.Installed(name); ok && !opts.Force {
		s.remember(t)
		return t, nil
	}
	r, err := s.recipe(name)
	if err != nil {
		return Toolchain{}, err
	}
	if progress == nil {
		progress = Silent
	}
	opts.Sources = cmp.Or(opts.Sources, s.sources)
	if err := opts.Sources.check(); err != nil {
		return Toolchain{}, err
	}
	for _, need := range r.Needs {
		if _, err := s.install(ctx, need, progress, Options{Sources: opts.Sources}); err != nil {
			return Toolchain{}, err
		}
	}
	s.mu.Lock()
	busy := s.busy[name]
	s.mu.Unlock()
	busy.Lock()
	defer busy.Unlock()
	unlock, err := s.lock(ctx, name, progress)
	if err != nil {
		return Toolchain{}, err
	}
	defer unlock()
	if t, ok := s.Installed(name); ok && !opts.Force { // another process was faster
		s.remember(t)
		return t, nil
	}
	t, err := s.make(ctx, r, progress, opts)
	if err != nil {
		return Toolchain{}, err
	}
	s.remember(t)
	return t, nil
}

func (s *Depot) remember(t Toolchain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready[t.Name] = t
}

func (s *Depot) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ready, name)
}

// make fills a work directory, checks it and moves it into place. The caller
// holds the lock of the name, so leftovers of that name are from the dead.
func (s *Depot) make(ctx context.Context, r *Recipe, progress Progress, opts Options) (Toolchain, error) {
	work, err := s.workDir(r.Name)
	if err != nil {
		return Toolchain{}, err
	}
	defer os.RemoveAll(work)

	job := s.job(r, work, progress, opts)
	if err := r.Origin.Fetch(ctx, job); err != nil {
		return Toolchain{}, err
	}
	if _, err := writeManifest(work, r, job.builtWith); err != nil {
		return Toolchain{}, fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	t, err := s.settle(ctx, r, work, progress)
	if err == nil {
		// Only now are downloads of no more use: an installation interrupted
		// in its self-test goes on from them.
		downloads, _ := filepath.Glob(filepath.Join(job.Downloads, r.Name+"@*"))
		for _, path := range downloads {
			os.RemoveAll(path)
		}
	}
	return t, err
}

func (s *Depot) job(r *Recipe, work string, progress Progress, opts Options) *Job {
	return &Job{Tool: r.Name, Dir: work, Downloads: filepath.Join(s.dir, ".downloads"), From: opts.From, Sources: opts.Sources,
		Step: func(text string, total int64) Step { return progress.Begin(r.Name, text, total) }}
}

// settle checks a complete work directory and moves it into place.
func (s *Depot) settle(ctx context.Context, r *Recipe, work string, progress Progress) (Toolchain, error) {
	m, err := readManifest(work)
	if err != nil {
		return Toolchain{}, fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	if err := selfTest(ctx, r, m.toolchain(work), progress); err != nil {
		return Toolchain{}, err
	}
	home := s.home(r)
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return Toolchain{}, fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	if err := s.retire(home); err != nil {
		return Toolchain{}, fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	if err := os.Rename(work, home); err != nil {
		return Toolchain{}, fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	return m.toolchain(home), nil
}

func selfTest(ctx context.Context, r *Recipe, t Toolchain, progress Progress) error {
	if r.Check == nil {
		return nil
	}
	text := "preparing and testing"
	if r.Takes > 0 {
		text += fmt.Sprintf(" (about %s the first time)", r.Takes)
	}
	step := progress.Begin(r.Name, text, 0)
	err := r.Check(ctx, t, step)
	step.Done(err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &SelfTestError{Tool: r.Name, Err: err}
}

// workDir makes an empty directory for an installation of name and removes
// those that dead processes have left.
func (s *Depot) workDir(name string) (string, error) {
	base := filepath.Join(s.dir, ".work")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", fmt.Errorf("toolchain %s: %w", name, err)
	}
	stale, _ := filepath.Glob(filepath.Join(base, name+"@*"))
	for _, dir := range stale {
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("toolchain %s: %w", name, err)
		}
	}
	dir, err := os.MkdirTemp(base, name+"@*")
	if err != nil {
		return "", fmt.Errorf("toolchain %s: %w", name, err)
	}
	return dir, os.Chmod(dir, 0o755)
}

// retire moves an existing installation out of the way and removes it.
// Processes that have its files open keep them.
func (s *Depot) retire(home string) error {
	if _, err := os.Lstat(home); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	old, err := os.MkdirTemp(filepath.Join(s.dir, ".work"), "old-*")
	if err != nil {
		return err
	}
	if err := os.Rename(home, filepath.Join(old, "x")); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// Verify reads every file of an installed toolchain again, compares it with
// what was installed and with the pins, and repeats the self-test.
func (s *Depot) Verify(ctx context.Context, name string, progress Progress) error {
	r, err := s.recipe(name)
	if err != nil {
		return err
	}
	if progress == nil {
		progress = Silent
	}
	home := s.home(r)
	m, err := readManifest(home)
	if errors.Is(err, fs.ErrNotExist) && !exists(home) {
		return &UnavailableError{Tool: name, Command: r.command(), Fix: r.command(), Err: errors.New("not installed")}
	}
	if err != nil {
		return &IntegrityError{Tool: name, What: home, Want: "a complete installation", Got: err.Error()}
	}
	if err := checkFiles(r, m, home); err != nil {
		return err
	}
	return selfTest(ctx, r, m.toolchain(home), progress)
}

// checkFiles compares the files in dir with the manifest, and the manifest
// with the recipe.
func checkFiles(r *Recipe, m *manifest, dir string) error {
	if m.Pin != r.Pin() {
		return &IntegrityError{Tool: r.Name, What: manifestName, Want: r.Pin(), Got: m.Pin}
	}
	files, err := hashTree(dir)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", r.Name, err)
	}
	for _, want := range m.Files {
		i := slices.IndexFunc(files, func(f File) bool { return f.Path == want.Path })
		if i < 0 {
			return &IntegrityError{Tool: r.Name, What: want.Path, Want: want.SHA256, Got: "no file"}
		}
		if files[i].SHA256 != want.SHA256 {
			return &IntegrityError{Tool: r.Name, What: want.Path, Want: want.SHA256, Got: files[i].SHA256}
		}
	}
	if len(files) != len(m.Files) {
		return &IntegrityError{Tool: r.Name, What: dir, Want: fmt.Sprint(len(m.Files), " files"), Got: fmt.Sprint(len(files), " files")}
	}
	digest := m.Pin
	if !r.Origin.Reproducible() {
		digest = contentDigest(m.Pin, files)
	}
	if m.Digest != digest {
		return &IntegrityError{Tool: r.Name, What: manifestName, Want: digest, Got: m.Digest}
	}
	if p, ok := r.Origin.(interface{ Pins() map[string]string }); ok {
		pins := p.Pins()
		for _, f := range files {
			if pin, ok := pins[f.Path]; !ok || pin != f.SHA256 {
				return &IntegrityError{Tool: r.Name, What: f.Path, Want: pin, Got: f.SHA256}
			}
		}
	}
	return nil
}

// Remove deletes an installed toolchain.
func (s *Depot) Remove(ctx context.Context, name string) error {
	r, err := s.recipe(name)
	if err != nil {
		return err
	}
	unlock, err := s.lock(ctx, name, Silent)
	if err != nil {
		return err
	}
	defer unlock()
	s.forget(name)
	if err := os.MkdirAll(filepath.Join(s.dir, ".work"), 0o755); err != nil {
		return err
	}
	return s.retire(s.home(r))
}

// Collect removes what no recipe of this process names any more: older
// versions, downloads and work directories of dead processes. It returns the
// removed paths.
func (s *Depot) Collect(ctx context.Context) ([]string, error) {
	var removed []string
	for _, name := range s.Names() {
		r, _ := s.recipe(name)
		unlock, err := s.lock(ctx, name, Silent)
		if err != nil {
			return removed, err
		}
		gone, err := s.collect(r)
		unlock()
		removed = append(removed, gone...)
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func (s *Depot) collect(r *Recipe) (removed []string, err error) {
	versions, _ := filepath.Glob(filepath.Join(s.dir, r.Name, "*"))
	work, _ := filepath.Glob(filepath.Join(s.dir, ".work", r.Name+"@*"))
	downloads, _ := filepath.Glob(filepath.Join(s.dir, ".downloads", r.Name+"@*"))
	for _, path := range slices.Concat(versions, work, downloads) {
		if path == s.home(r) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return removed, fmt.Errorf("toolchain %s: %w", r.Name, err)
		}
		removed = append(removed, path)
	}
	return removed, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
