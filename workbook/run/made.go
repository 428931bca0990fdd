package run

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/tangle"
	"wb/tangle/elisp"
)

// keptFile is a file that a component made.
type keptFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Mode   uint32 `json:"mode,omitempty"`
}

// collectFiles takes the file its author named out of what a program wrote.
// Other files it wrote stay behind, which a note says.
func (r executor) collectFiles(p *program, files *guestTree, k *kept) error {
	wanted, err := p.keeps()
	if err != nil {
		return err
	}
	return files.overlay.Upper().Walk(func(name string, info fs.FileInfo, data []byte) error {
		if info.IsDir() {
			return nil
		}
		if !slices.Contains(wanted, name) {
			if was, ok := files.before[name]; ok && bytes.Equal(was, data) {
				return nil
			}
			p.note(diag.Note, "file-discarded", ":results file :file "+name+" keeps it", "%s wrote %s, which stays in the sandbox", p.owner.ID, name)
			return nil
		}
		if k.blobs == nil {
			k.blobs = make(map[string][]byte)
		}
		k.blobs[name] = slices.Clone(data)
		k.Files = append(k.Files, keptFile{Name: name, SHA256: trace.Digest(data)})
		return nil
	})
}

// keeps are the files of the tree that stay when the program has written them:
// that of :results file, and those its language keeps, such as a database.
func (p *program) keeps() ([]string, error) {
	file, err := p.file()
	if err != nil {
		return nil, err
	}
	var names []string
	if file != "" && p.words.Has("file") {
		names = append(names, p.inDir(file))
	}
	for _, arg := range p.lane.Info().Keeps {
		if text, ok := p.src.Arg(arg); ok && text != "" {
			names = append(names, p.inDir(strings.Trim(strings.TrimSpace(text), `"`)))
		}
	}
	return names, nil
}

// restoreFiles puts the files of an outcome where other components, and in the
// end the author, find them.
func (r executor) restoreFiles(k *kept) error {
	for _, f := range k.Files {
		data, ok := k.blobs[f.Name]
		if !ok {
			var err error
			if data, err = r.opts.Cache.blob(f.SHA256); err != nil {
				return fmt.Errorf("%s is no longer kept: %w", f.Name, err)
			}
		}
		if err := r.make(f.Name, data); err != nil {
			return err
		}
	}
	return nil
}

// make adds a file to the run's tree, and to the workbook's directory if the run
// writes there.
func (r executor) make(name string, data []byte) error {
	if slices.Contains(hostNames, firstPart(name)) {
		return fmt.Errorf("write blocked: %s is reserved for the host", firstPart(name))
	}
	if name == r.files.file {
		return fmt.Errorf("write blocked: %s is the workbook itself", name)
	}
	if err := r.files.made.WriteFile(name, data); err != nil {
		return err
	}
	if r.dry || !r.opts.Write.files() {
		return nil
	}
	if err := r.files.put(name, data); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// resultToFile writes a result to the file its author named, unless the
// program writes it itself (:results link or graphics), and returns the file's
// path from the workbook.
func (r executor) resultToFile(p *program, v value.Value, file string) (value.Value, error) {
	if path.IsAbs(file) && !strings.HasPrefix(p.job.Dir, "/") {
		file = strings.TrimPrefix(path.Clean(file), "/")
	}
	name := p.inDir(file)
	written := !v.IsNull() && (p.lane.Info().Draws || !p.words.Has("link") && !p.words.Has("graphics"))
	if written {
		separator := "\t"
		if sep, ok, err := p.args.text(":sep"); ok && err == nil && sep != "" {
			separator = sep
		}
		if err := r.make(name, []byte(shellText(v, separator, ""))); err != nil {
			return v, diag.Errorf(p.owner.Pos, "%v", err)
		}
	}
	if mode, ok := p.args.Get(":file-mode"); ok && (written || r.files.has(name)) {
		if m, err := fileMode(mode.Value); err == nil && !r.dry && r.opts.Write.files() {
			if err := r.files.chmod(name, m); err != nil {
				return v, diag.Errorf(p.owner.Pos, ":file-mode %s: %v", mode.Value, err)
			}
		}
	}
	return value.OfString(name), nil
}

// fileMode reads :file-mode as :tangle-mode is read: (identity #o755), o755,
// rwxr-xr-x.
func fileMode(text string) (fs.FileMode, error) {
	v, err := elisp.ReadCell(text, &elisp.Env{})
	if err != nil {
		return 0, err
	}
	m, err := tangle.ParseMode(v)
	return fs.FileMode(m), err
}

// put writes a file that a component made, unless it is there as it is.
func (t *tree) put(name string, data []byte) error {
	return t.onHost(func(root *os.Root) error {
		local := filepath.FromSlash(name)
		if old, err := root.ReadFile(local); err == nil && string(old) == string(data) {
			return nil
		}
		if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return err
		}
		return root.WriteFile(local, data, 0o644)
	})
}

// has reports whether the workbook's directory holds a file.
func (t *tree) has(name string) bool {
	return t.onHost(func(root *os.Root) error {
		_, err := root.Stat(filepath.FromSlash(name))
		return err
	}) == nil
}

func (t *tree) chmod(name string, mode fs.FileMode) error {
	return t.onHost(func(root *os.Root) error { return root.Chmod(filepath.FromSlash(name), mode) })
}

// onHost does something in the workbook's directory, if there is one.
func (t *tree) onHost(do func(*os.Root) error) error {
	if t.host == nil {
		return nil
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}
