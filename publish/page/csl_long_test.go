//go:build long

package page_test

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wb/internal/test/golden"
	"wb/internal/test/lanetest"
)

// oracle exports the files it is given with Org's csl processor: citeproc.el.
const oracle = `
(setq load-path (append (split-string (getenv "WB_CITEPROC_LISP") ":") load-path))
(provide 'string-inflection) ; citeproc.el needs it for its own tests
(require 'oc-csl)
(require 'ox-html)
(setq org-cite-csl-locales-dir default-directory org-cite-csl-styles-dir default-directory
      org-export-with-toc nil org-export-with-section-numbers nil)
(dolist (file command-line-args-left)
  (with-current-buffer (find-file-noselect file)
    (let ((out (org-export-as 'html nil nil t)))
      (with-temp-file (concat file ".html") (insert out)))))
`

// TestCitationsBesideEmacs compares every citation and every work of a bibliography
// with what citeproc.el writes for Org, in WB_CITEPROC_LISP: directories with colons
// between. just csl-emacs fetches it.
func TestCitationsBesideEmacs(t *testing.T) {
	lisp := os.Getenv("WB_CITEPROC_LISP")
	if lisp == "" {
		t.Skip("set WB_CITEPROC_LISP to the directories of Org 9.8, citeproc.el and what it needs: just csl-emacs")
	}
	if _, err := exec.LookPath("emacs"); err != nil {
		t.Skip("emacs is not installed: apt-get install emacs-nox")
	}
	citations := citer(t)
	dir := t.TempDir()
	for _, pattern := range []string{"*.bib", "*.json"} {
		names, _ := filepath.Glob(filepath.Join(cslDir, pattern))
		for _, name := range names {
			link(t, name, filepath.Join(dir, filepath.Base(name)))
		}
	}
	for _, style := range cslStyles {
		text, err := citations.Style(t.Context(), style, "")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, style+".csl"), text)
	}
	installed, _ := lanetest.Env(t).Tools.Installed("csl-locales")
	locales, err := zip.OpenReader(installed.Path("locales.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer locales.Close()
	if err := os.CopyFS(dir, locales); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(cslDir, "*.org"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "oracle.el"), oracle)
	args := []string{"-Q", "--batch", "-l", "oracle.el"}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, style := range cslStyles {
			name := style + "-" + filepath.Base(file)
			write(t, filepath.Join(dir, name), "#+cite_export: csl "+style+".csl\n"+string(src))
			args = append(args, name)
		}
	}
	emacs := exec.CommandContext(t.Context(), "emacs", args...)
	emacs.Dir = dir
	if out, err := emacs.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all, same := 0, 0
	var differ strings.Builder
	for _, file := range files {
		name := filepath.Base(file)
		for _, style := range cslStyles {
			theirs, err := os.ReadFile(filepath.Join(dir, style+"-"+name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := cited(t, citations, name, "#+cite_export: csl "+style)
			want, got := lines(divided(string(theirs)), regexp.MustCompile(`(?s)\x00(.*?)\x00`)), lines(body, ownEntry)
			all += len(want)
			for i, line := range want {
				if i < len(got) && got[i] == line {
					same++
					continue
				}
				ours := ""
				if i < len(got) {
					ours = got[i]
				}
				fmt.Fprintf(&differ, "%s %s\nEmacs %s\nwb    %s\n\n", style, name, line, ours)
			}
			if len(got) != len(want) {
				t.Errorf("%s %s: %d lines, Emacs %d", style, name, len(got), len(want))
			}
		}
	}
	t.Logf("%d of %d citations and works are the same", same, all)
	if all < 300 {
		t.Errorf("only %d lines were compared", all)
	}
	golden.Check(t, filepath.Join(cslDir, "emacs.differences"), fmt.Sprintf("%d of %d are the same.\n\n%s", same, all, differ.String()))
}

// divided puts each work of a bibliography of citeproc.el between two NULs.
func divided(body string) string {
	parts := strings.Split(body, `<div class="csl-entry">`)
	for i, part := range parts[1:] {
		end := strings.Index(part, "</div>\n\n")
		if close := strings.Index(part, "</div>\n</div>"); close >= 0 {
			end = close
		}
		if end < 0 {
			end = len(part)
		}
		parts[i+1] = "\x00" + part[:end] + "\x00" + part[end:]
	}
	return strings.Join(parts, "")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, string(text))
}
