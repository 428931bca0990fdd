package elisp

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// emacsFiles are the files wb adds to the sources of Emacs, and its changes to
// them. The folder is under the GPL, as Emacs is; see its NOTICE.
//
//go:embed emacs
var emacsFiles embed.FS

// own reads a file of the folder, which is embedded.
func own(name string) []byte {
	data, err := emacsFiles.ReadFile("emacs/" + name)
	if err != nil {
		panic(err)
	}
	return data
}

// prepare makes what is compiled of the files of the source archive: the
// headers and C files of src and lib with the edits, and our own.
func prepare(archive map[string][]byte) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for name, data := range archive {
		if !strings.HasPrefix(name, "lib-src/") {
			files[name] = data
		}
	}
	if err := edit(files, string(own("edits.txt"))); err != nil {
		return nil, err
	}
	files["lib/ieee754.h"] = bytes.ReplaceAll(files["lib/ieee754.in.h"], []byte("ifndef _GL_GNULIB_HEADER"), []byte("if 0"))
	files["wb/include/buildobj.h"] = fmt.Appendf(nil, "#define BUILDOBJ %q\n", strings.Join(documented(), " "))
	folder, err := fs.Sub(emacsFiles, "emacs")
	if err != nil {
		return nil, err
	}
	return files, fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".c" && path.Ext(name) != ".h" {
			return err
		}
		files["wb/"+name], err = fs.ReadFile(folder, name)
		return err
	})
}

// edit applies the edits of a text like emacs/edits.txt.
func edit(files map[string][]byte, text string) error {
	for _, one := range strings.Split(text, "\n@ ")[1:] {
		head, rest, _ := strings.Cut(one, "\n")
		name, count, _ := strings.Cut(head, " ")
		want, err := strconv.Atoi(count)
		if err != nil {
			return fmt.Errorf("edits.txt: %q: %w", head, err)
		}
		old, rest, _ := strings.Cut(rest, "\n===\n")
		replacement, _, ended := strings.Cut(rest, "\n@@@")
		pattern, err := regexp.Compile(old)
		if err != nil || !ended {
			return fmt.Errorf("edits.txt: an edit of %s: %w", name, err)
		}
		if got := len(pattern.FindAllIndex(files[name], -1)); got != want {
			return fmt.Errorf("edits.txt: %.60q matches %d times in %s, not %d times: the sources are others", old, got, name, want)
		}
		files[name] = pattern.ReplaceAll(files[name], []byte(replacement))
	}
	return nil
}

// readSources reads sources.txt: lines of a directory and the names of C files
// in it.
func readSources(text string) (names []string) {
	for line := range strings.Lines(text) {
		dir, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || dir[0] == '#' {
			continue
		}
		for _, word := range strings.Fields(list) {
			names = append(names, dir+"/"+word+".c")
		}
	}
	return names
}

// documented are the object files whose functions and variables Emacs has
// documentation of.
func documented() []string {
	var objects []string
	for _, name := range readSources(string(own("sources.txt"))) {
		if inside, ok := strings.CutPrefix(name, "src/"); ok && inside != "lastfile.c" {
			objects = append(objects, strings.TrimSuffix(inside, ".c")+".o")
		}
	}
	return objects
}
