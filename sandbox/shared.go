package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// linkCode makes machine code of a shared cache directory part of another one,
// by symbolic links: wazero looks in one directory only. It never writes through
// them, since it makes files aside and renames them.
func linkCode(shared, dir string) error {
	if shared == "" {
		return nil
	}
	versions, err := os.ReadDir(filepath.Join(shared, "code"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // another user's caches offer nothing
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range versions {
		from, to := filepath.Join(shared, "code", v.Name()), filepath.Join(dir, "code", v.Name())
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		have, err := names(to)
		if err != nil {
			return err
		}
		offered, err := names(from)
		if err != nil {
			return err
		}
		for name := range offered {
			if have[name] || filepath.Ext(name) == ".tmp" {
				continue
			}
			if err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	return nil
}

func names(dir string) (map[string]bool, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	list, err := d.Readdirnames(-1)
	all := make(map[string]bool, len(list))
	for _, name := range list {
		all[name] = true
	}
	return all, err
}
