package toolchain

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/whole"
)

// goSpec is the only form of text from a workbook that reaches the go client: a
// module of a proxy, perhaps with a version.
var goSpec = lazyregexp.New(`^([a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+(?:/[A-Za-z0-9][A-Za-z0-9._~-]*)*)(?:@(v[0-9][A-Za-z0-9.+-]*|latest))?$`)

// goVersionSpec is an exact version.
var goVersionSpec = lazyregexp.New(`^v[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9.+-]*$`)

const goTool = "go"

// goModules is the environment for asking about modules: the user's own proxy
// and checksum settings, but no version control program, no other Go.
var goModules = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod", "GOVCS=*:off", "GOTOOLCHAIN=local", "GO111MODULE=on"}

// ResolveGo pins the modules that specs name ("github.com/x/y@v1.2.3") and those
// whose packages they import: as the lock file has them, else as the proxy has
// them now, which is then written to the lock file. Package.Path is the module's
// path, Package.Integrity its h1 hash as in go.sum. No code of theirs runs.
func (s *Depot) ResolveGo(ctx context.Context, specs []string, o ResolveOptions, progress Progress) ([]Package, error) {
	specs = slices.Compact(slices.Sorted(slices.Values(specs)))
	for _, spec := range specs {
		if !goSpec.MatchString(spec) {
			return nil, &DepsError{Spec: spec, Reason: "not a Go module", Tip: "write it as example.org/module@v1.2.3"}
		}
	}
	unlock, err := s.lock(ctx, goTool+"@modules", orSilent(progress))
	if err != nil {
		return nil, err
	}
	defer unlock()
	lock, err := readLockFile(o.Lock)
	if err != nil {
		return nil, err
	}
	pins := make(map[string][]Package)
	if lock.rest[goTool] != nil {
		if err := json.Unmarshal(lock.rest[goTool], &pins); err != nil {
			return nil, fmt.Errorf("%s: go: %w", o.Lock, err)
		}
	}
	if pinned := pins[lockKey(specs)]; pinned != nil || o.Offline {
		for _, p := range pinned {
			if !goSpec.MatchString(p.Path) || !goVersionSpec.MatchString(p.Version) || !strings.HasPrefix(p.Integrity, "h1:") {
				return nil, fmt.Errorf("%s: go: %s@%s is not a module, its version and its hash", o.Lock, p.Path, p.Version)
			}
		}
		return pinned, nil
	}
	step := orSilent(progress).Begin(goTool, "looking up "+strings.Join(specs, " ")+" with go", 0)
	pinned, err := s.resolveGoNow(ctx, specs)
	step.Done(err)
	if err != nil || o.Keep {
		return pinned, err
	}
	pins[lockKey(specs)] = pinned
	text, err := json.Marshal(pins)
	if err != nil {
		return nil, err
	}
	lock.rest[goTool] = text
	return pinned, lock.write()
}

// resolveGoNow asks the go client, in a module of its own.
func (s *Depot) resolveGoNow(ctx context.Context, specs []string) ([]Package, error) {
	dir, err := s.workDir(goTool + "@modules")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writeFile(filepath.Join(dir, "go.mod"), strings.NewReader("module workbook.invalid/block\n")); err != nil {
		return nil, err
	}
	var all []string
	for _, spec := range specs {
		path, _, _ := strings.Cut(spec, "@")
		all = append(all, path+"/...")
	}
	if _, err := runGo(ctx, dir, append([]string{"get"}, specs...)); err != nil {
		return nil, depsError(specs, err)
	}
	list, err := runGo(ctx, dir, append([]string{"list", "-e", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}}@{{.Version}}{{end}}{{end}}"}, all...))
	if err != nil {
		return nil, depsError(specs, err)
	}
	modules := slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(list)))))
	if len(modules) == 0 {
		return nil, &DepsError{Spec: strings.Join(specs, " "), Reason: "there are no packages in it"}
	}
	found, err := s.downloadGo(ctx, dir, modules)
	if err != nil {
		return nil, depsError(specs, err)
	}
	return found, nil
}

// runGo runs the go client about modules.
func runGo(ctx context.Context, dir string, args []string) ([]byte, error) {
	return run(ctx, goTool, dir, goModules, "go", args, "install Go 1.26 or newer, which fetches Go modules")
}

// depsError says that modules could not be had, in the go client's words.
func depsError(specs []string, err error) error {
	if unavailable, ok := errors.AsType[*UnavailableError](err); ok && unavailable.Output != "" {
		return &DepsError{Spec: strings.Join(specs, " "), Reason: unavailable.Output, Tip: "write it as example.org/module@v1.2.3; versions come from the module proxy of your go client"}
	}
	return err
}

// downloadGo brings modules into the cache of packages and pins them.
func (s *Depot) downloadGo(ctx context.Context, dir string, modules []string) ([]Package, error) {
	out, err := runGo(ctx, dir, append([]string{"mod", "download", "-json"}, modules...))
	if err != nil {
		return nil, err
	}
	var found []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var m struct{ Path, Version, Sum, Zip, Error string }
		if err := dec.Decode(&m); err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		if m.Error != "" {
			return nil, errors.New(m.Error)
		}
		p := Package{Path: m.Path, Name: m.Path, Version: m.Version, Integrity: m.Sum}
		if err := s.keepModule(p, m.Zip); err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

// keepModule copies a module's archive into the cache, once it has been checked.
func (s *Depot) keepModule(p Package, archive string) error {
	data, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	if err := checkModule(p, data); err != nil {
		return err
	}
	kept := s.moduleArchive(p)
	if exists(kept) {
		return nil
	}
	return whole.File{Dirs: 0o755}.Write(kept, data)
}

// moduleArchive is where the cache has a module. Its hash is its name.
func (s *Depot) moduleArchive(p Package) string {
	sum, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "h1:"))
	return filepath.Join(s.dir, ".packages", "go-"+hex.EncodeToString(sum)+".zip")
}

// checkModule compares an archive with its h1 hash: the SHA-256 over the sorted
// list of files with theirs.
func checkModule(p Package, archive []byte) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("module %s@%s: %w", p.Path, p.Version, err)
	}
	files := slices.Clone(r.File)
	slices.SortFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	sum := sha256.New()
	for _, f := range files {
		data, err := readZipped(f)
		if err != nil {
			return fmt.Errorf("module %s@%s: %w", p.Path, p.Version, err)
		}
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256(data), f.Name)
	}
	if got := "h1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != p.Integrity {
		return &IntegrityError{Tool: goTool, What: "module " + p.Path + "@" + p.Version, Want: p.Integrity, Got: got}
	}
	return nil
}

func readZipped(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxDepFile {
		return nil, fmt.Errorf("%s: %s, more than the limit of %s", f.Name, size(int64(f.UncompressedSize64)), size(maxDepFile))
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxDepFile))
}

// ModuleFiles are the Go files and the go.mod of a pinned module, by slash path
// below it. A module that is not in the cache is fetched first.
func (s *Depot) ModuleFiles(ctx context.Context, p Package, progress Progress) (map[string][]byte, error) {
	data, err := os.ReadFile(s.moduleArchive(p))
	if err != nil {
		step := orSilent(progress).Begin(goTool, "fetching "+p.Path+"@"+p.Version+" with go", 0)
		data, err = s.fetchModule(ctx, p)
		step.Done(err)
		if err != nil {
			return nil, depsError([]string{p.Path + "@" + p.Version}, err)
		}
	}
	if err := checkModule(p, data); err != nil {
		return nil, err
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, f := range r.File {
		name, inside := strings.CutPrefix(f.Name, p.Path+"@"+p.Version+"/")
		if !inside || name != "go.mod" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) {
			continue
		}
		if files[name], err = readZipped(f); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (s *Depot) fetchModule(ctx context.Context, p Package) ([]byte, error) {
	dir, err := s.workDir(goTool + "@modules")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writeFile(filepath.Join(dir, "go.mod"), strings.NewReader("module workbook.invalid/block\n")); err != nil {
		return nil, err
	}
	found, err := s.downloadGo(ctx, dir, []string{p.Path + "@" + p.Version})
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || found[0].Integrity != p.Integrity {
		return nil, &IntegrityError{Tool: goTool, What: "module " + p.Path + "@" + p.Version, Want: p.Integrity, Got: found[0].Integrity}
	}
	return os.ReadFile(s.moduleArchive(p))
}
