//go:build long

package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/test/emacs"
)

// wallScript leaves one directory writable, and the user's cache: documents of other
// people tangle to ~/.profile and to /etc, and their header arguments are code.
const wallScript = `mount --bind "$0" "$0" && mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"`

// walled is a command that can write below dir only, has it as its home, and no
// network.
func walled(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = dir
	}
	all := append([]string{"-r", "-m", "-n", "sh", "-c", wallScript, dir, cache, name}, args...)
	cmd := exec.CommandContext(ctx, "unshare", all...)
	home := filepath.Join(dir, "home")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+home+"/.state", "XDG_CONFIG_HOME="+home+"/.config", "TMPDIR="+dir)
	return cmd
}

// tangled are the files that a document makes, by what is in them.
type tangled map[string]string

// tangle lets wb and Emacs tangle copies of the folder, and compares what each
// document makes where both succeed. Directories that documents name must be there,
// unless :mkdirp makes them.
func (w *world) tangle() {
	if err := walled(w.t.Context(), w.t.TempDir(), "true").Run(); err != nil {
		w.t.Run("tangle", func(t *testing.T) { t.Skipf("unshare makes no wall here, without which nothing is tangled: %v", err) })
		return
	}
	ours := w.tangleByUs()
	w.t.Run("Emacs", func(t *testing.T) {
		e := emacs.Need(t)
		theirs := w.tangleByEmacs(t, e)
		v := w.count("documents tangled as by Emacs")
		for _, file := range w.files {
			mine, both := ours[file]
			want, too := theirs[file]
			switch {
			case !both || !too:
			case maps.Equal(mine, want):
				v.ok++
			case !slices.Equal(slices.Sorted(maps.Keys(mine)), slices.Sorted(maps.Keys(want))):
				v.fail("other files: "+fmt.Sprint(len(mine), " and ", len(want)), file)
			default:
				v.fail("the same files, other bytes", file)
			}
		}
	})
}

// place makes a copy of the folder to tangle in.
func (w *world) place() string {
	dir := w.t.TempDir()
	w.copy(w.dir, dir, ".org")
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o777); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

func (w *world) tangleByUs() map[string]tangled {
	dir := w.place()
	all := map[string]tangled{}
	const atATime = 1 // documents tangle to the same files
	w.over("tangle", w.files, atATime, func(v *verb, file string) string {
		ctx, stop := context.WithTimeout(w.t.Context(), patience)
		defer stop()
		out, wrong := w.do(ctx, v, walled(ctx, dir, w.program, "tangle", "--json", "--allow-outside", file), dir)
		var answer struct {
			OK    bool
			Data  []struct{ Files []struct{ Path string } }
			Error struct{ Message string }
		}
		switch err := json.Unmarshal(out, &answer); {
		case err != nil:
			return wrong
		case !answer.OK:
			return answer.Error.Message
		}
		files := tangled{}
		for _, d := range answer.Data {
			for _, f := range d.Files {
				path := f.Path
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, filepath.Dir(file), path)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return "wrote no " + f.Path
				}
				sum := sha256.Sum256(text)
				files[inside(dir, path)] = hex.EncodeToString(sum[:])
			}
		}
		w.Lock()
		defer w.Unlock()
		all[file] = files
		return wrong
	})
	return all
}

// inside is a path relative to a directory, if it lies there.
func inside(dir, path string) string {
	if name, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(name, "..") {
		return name
	}
	return path
}

// tangleScript prints, for each document that Emacs tangles, its name, and its files
// with their digests. Every language of Org is loaded; that of Clojure wants a back end.
const tangleScript = `(require 'ob-tangle)
(dolist (file (directory-files (file-name-directory (locate-library "ob-core")) nil "\\` + "`" + `ob-.*\\.el\\'"))
  (ignore-errors (require (intern (file-name-sans-extension file)))))
(setq org-babel-clojure-backend 'babashka)
(setq org-confirm-babel-evaluate t make-backup-files nil)
(fset 'yes-or-no-p #'ignore) (fset 'y-or-n-p #'ignore)
(dolist (file command-line-args-left)
  (condition-case nil
      (let* ((default-directory (file-name-directory file))
             (files (org-babel-tangle-file file)))
        (princ (format "document %s\n" file))
        (dolist (made files)
          (princ (format "%s %s\n"
                         (with-temp-buffer (set-buffer-multibyte nil) (insert-file-contents-literally made)
                           (secure-hash 'sha256 (current-buffer)))
                         (expand-file-name made (file-name-directory file))))))
    (error nil)))
(setq command-line-args-left nil)
`

func (w *world) tangleByEmacs(t *testing.T, e *emacs.Emacs) map[string]tangled {
	dir := w.place()
	script := filepath.Join(dir, "home", "tangle.el")
	w.write(script, []byte(tangleScript))
	args := []string{"-l", script}
	for _, file := range w.files {
		args = append(args, filepath.Join(dir, file))
	}
	asked := e.Command(args...)
	cmd := walled(t.Context(), dir, asked.Path, asked.Args[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(cmd.Env, "SHELL=/bin/bash", "LC_ALL=C.UTF-8")
	if err := cmd.Run(); err != nil {
		t.Fatalf("emacs: %v\n%.2000s", err, errs.String())
	}
	all := map[string]tangled{}
	var files tangled
	for line := range strings.Lines(out.String()) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "document" {
			files = tangled{}
			all[inside(dir, rest)] = files
		} else if files != nil {
			files[inside(dir, rest)] = word
		}
	}
	return all
}
