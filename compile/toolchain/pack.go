package toolchain

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A pack is a gzipped tar of installed toolchains for machines without a
// registry: NAME/FILE for every file and NAME/manifest.json last. A pack is
// not trusted: what npm packages and our own builds give is compared with the
// pins of this wb. Only the output of a local Go compiler has no pin to be
// compared with; it is taken as the pack has it, under its own digest.

// Pack writes installed toolchains to w; no names means all installed ones.
func (s *Depot) Pack(w io.Writer, progress Progress, names ...string) error {
	if progress == nil {
		progress = Silent
	}
	if len(names) == 0 {
		for _, st := range s.List() {
			if st.Installed {
				names = append(names, st.Name)
			}
		}
	}
	zw, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, name := range names {
		r, err := s.recipe(name)
		if err != nil {
			return err
		}
		t, ok := s.Installed(name)
		if !ok {
			return &UnavailableError{Tool: name, Command: r.command(), Fix: r.command(), Err: errors.New("not installed")}
		}
		if err := packOne(tw, t, progress); err != nil {
			return fmt.Errorf("toolchain %s: pack: %w", name, err)
		}
	}
	return errors.Join(tw.Close(), zw.Close())
}

func packOne(tw *tar.Writer, t Toolchain, progress Progress) (err error) {
	step := progress.Begin(t.Name, "packing", t.Size())
	defer func() { step.Done(err) }()
	names := make([]string, 0, len(t.Files)+1)
	for _, f := range t.Files {
		names = append(names, f.Path)
	}
	for _, name := range append(names, manifestName) {
		if err := packFile(tw, t, name, step); err != nil {
			return err
		}
	}
	return nil
}

func packFile(tw *tar.Writer, t Toolchain, name string, step Step) error {
	f, err := os.Open(t.Path(name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(t.Name, name), Size: info.Size(), Mode: 0o644, ModTime: t.Installed}
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(tw, counting{f, step})
	return err
}

// Unpack installs every toolchain of a pack that this wb knows and does not
// have. It returns what is installed now and the names it did not know.
func (s *Depot) Unpack(ctx context.Context, r io.Reader, progress Progress) (installed []Toolchain, unknown []string, err error) {
	if progress == nil {
		progress = Silent
	}
	base := filepath.Join(s.dir, ".work")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, nil, fmt.Errorf("unpack: %w", err)
	}
	dir, err := os.MkdirTemp(base, "pack-*")
	if err != nil {
		return nil, nil, fmt.Errorf("unpack: %w", err)
	}
	defer os.RemoveAll(dir)
	zr, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, damage(err, dir)
	}
	known := s.Names()
	err = extract(zr, dir, maxUnpacked, func(name string) string {
		tool, _, _ := strings.Cut(name, "/")
		if !slices.Contains(known, tool) {
			if !slices.Contains(unknown, tool) {
				unknown = append(unknown, tool)
			}
			return ""
		}
		return name
	})
	if err != nil {
		return nil, unknown, damage(err, dir)
	}
	for _, name := range s.needsFirst(known) { // what tests itself may use them
		if !exists(filepath.Join(dir, name)) {
			continue
		}
		t, err := s.adopt(ctx, name, filepath.Join(dir, name), progress)
		if err != nil {
			return installed, unknown, err
		}
		installed = append(installed, t)
	}
	return installed, unknown, nil
}

// needsFirst puts each toolchain behind those that it needs.
func (s *Depot) needsFirst(names []string) []string {
	var order []string
	var add func(name string)
	add = func(name string) {
		if slices.Contains(order, name) {
			return
		}
		if r, err := s.recipe(name); err == nil {
			for _, need := range r.Needs {
				add(need)
			}
		}
		order = append(order, name)
	}
	for _, name := range names {
		add(name)
	}
	return order
}

// adopt makes an unpacked directory the installation of name.
func (s *Depot) adopt(ctx context.Context, name, dir string, progress Progress) (Toolchain, error) {
	r, err := s.recipe(name)
	if err != nil {
		return Toolchain{}, err
	}
	unlock, err := s.lock(ctx, name, progress)
	if err != nil {
		return Toolchain{}, err
	}
	defer unlock()
	if t, ok := s.Installed(name); ok {
		return t, nil
	}
	m, err := readManifest(dir)
	if err != nil {
		return Toolchain{}, damage(err, filepath.Dir(dir))
	}
	if m.Name != name {
		return Toolchain{}, &PackError{What: fmt.Sprintf("the pack is damaged: %s says that it is %q", name, m.Name)}
	}
	if m.Pin != r.Pin() {
		return Toolchain{}, fmt.Errorf("toolchain %s: the pack has version %s, this wb wants %s (%.12s, %.12s)", name, m.Version, r.Version, m.Pin, r.Pin())
	}
	if err := checkFiles(r, m, dir); err != nil {
		return Toolchain{}, damage(err, filepath.Dir(dir))
	}
	t, err := s.settle(ctx, r, dir, progress)
	if err == nil {
		s.remember(t)
	}
	return t, err
}

// damage says what is wrong with a pack that was being unpacked into dir. What
// the machine could not do, such as write, is not the pack's fault.
func damage(err error, dir string) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, io.EOF):
		return &PackError{What: "not a toolchain pack", Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &PackError{What: "the pack is cut short", Err: err}
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return &PackError{What: "the pack is damaged: it has no " + within(path.Path, dir), Err: err}
	case errors.As(err, &path):
		return fmt.Errorf("unpack: %w", err)
	}
	return &PackError{What: "the pack is damaged: " + within(err.Error(), dir), Err: err}
}

// within shortens the paths in text that lead into dir.
func within(text, dir string) string {
	return filepath.ToSlash(strings.ReplaceAll(text, dir+string(filepath.Separator), ""))
}
