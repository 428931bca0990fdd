package search

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordFiles are the records that runs write. They change with every run
// and are searched only when they are named.
var recordFiles = []string{"events.org", "approvals.org"}

// listFiles are the org and Markdown files among paths and below directories
// there, in path order. Hidden directories and node_modules are left out.
func listFiles(paths []string) ([]string, error) {
	var names []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			names = append(names, filepath.Clean(path))
			continue
		}
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fmt.Errorf("read %s: %w", name, err)
			case entry.IsDir():
				if name != path && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
					return filepath.SkipDir
				}
			case entry.Type().IsRegular() && isText(entry.Name()):
				names = append(names, filepath.Clean(name))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func isText(name string) bool {
	_, ok := extensions[strings.ToLower(filepath.Ext(name))]
	return ok && !slices.Contains(recordFiles, name) && !strings.HasPrefix(name, ".")
}
