package site

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"wb/publish/page"
	"wb/publish/site/theme"
)

// Eject writes the theme that is built in into a site's directory, to be changed
// there: hugo's layouts, and the style sheet and script in static/assets. Files that
// are there stay, unless force replaces them. It gives the names of the files it
// wrote, or with dry would write, and of those that stayed.
func Eject(dir string, force, dry bool) (written, stayed []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	err = fs.WalkDir(theme.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(theme.Files, name)
		if err != nil {
			return err
		}
		to := name
		if name == "assets/style.css" { // pages and sites have one sheet
			data = slices.Concat([]byte(page.Style()), data)
		}
		if path.Dir(name) == assetsDir {
			to = path.Join(staticDir, name)
		}
		at := filepath.FromSlash(to)
		if _, err := root.Lstat(at); !errors.Is(err, fs.ErrNotExist) && !force {
			stayed = append(stayed, filepath.Join(dir, at))
			return err
		}
		written = append(written, filepath.Join(dir, at))
		if dry {
			return nil
		}
		if err := root.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		return root.WriteFile(at, data, 0o644)
	})
	return written, stayed, err
}
