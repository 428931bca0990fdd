package tier

import (
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sharedObjects are the files that an executable needs to start: its loader, and
// the libraries that it and they name, where the loader looks for them. A static
// one needs none, and what cannot be found is left out.
func sharedObjects(exe string) []string {
	file, err := elf.Open(exe)
	if err != nil {
		return nil
	}
	defer file.Close()
	loader := interpreter(file)
	if loader == "" {
		return nil
	}
	found := []string{loader}
	needed, _ := file.ImportedLibraries()
	for i := 0; i < len(needed); i++ {
		path := findLibrary(needed[i])
		if path == "" || slices.Contains(found, path) {
			continue
		}
		found = append(found, path)
		if library, err := elf.Open(path); err == nil {
			more, _ := library.ImportedLibraries()
			needed = append(needed, more...)
			library.Close()
		}
	}
	return found
}

func interpreter(file *elf.File) string {
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			path, _ := io.ReadAll(io.LimitReader(p.Open(), 4096))
			return strings.TrimRight(string(path), "\x00")
		}
	}
	return ""
}

// findLibrary looks in the default places of loaders.
func findLibrary(name string) string {
	dirs, _ := filepath.Glob("/lib/*-linux-*")
	dirs = append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
