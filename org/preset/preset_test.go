package preset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, src string) (Settings, []string) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "init.el")
	if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &Finder{dirs: map[string]*local{}}
	if err := f.init(name, "/home/ada"); err != nil {
		t.Fatal(err)
	}
	return f.user, f.Notes
}

// The ways in which people set keywords.
func TestKeywords(t *testing.T) {
	for _, src := range []string{
		`(setq org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED")))`,
		`(setq x 1 org-todo-keywords (quote ((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED"))))`,
		"(setopt org-todo-keywords `((sequence \"TODO(t)\" \"NEXT\" \"|\" \"DONE(d!)\") (type \"BUG\" \"|\" \"FIXED\")))",
		`(customize-set-variable 'org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED")))`,
		`(custom-set-variables '(a t) '(org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED")) nil (org)))`,
		`(after! org (setq org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED"))))`,
		`(eval-after-load "org" '(progn (setq org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED")))))`,
		`(use-package org :ensure t :custom ((org-todo-keywords '((sequence "TODO(t)" "NEXT" "|" "DONE(d!)") (type "BUG" "|" "FIXED")))))`,
		`(setq org-todo-keywords (list '(sequence "TODO(t)" "NEXT" "|" "DONE(d!)") '(type "BUG" "|" "FIXED")))`,
	} {
		s, notes := read(t, src)
		if want := []string{"TODO(t) NEXT | DONE(d!)", "BUG | FIXED"}; !slices.Equal(s.Todo, want) || len(notes) > 0 {
			t.Errorf("%s: %q %q", src, s.Todo, notes)
		}
	}
}

func TestOthers(t *testing.T) {
	s, notes := read(t, `;; a comment with a ( paren
(setq org-priority-highest ?A org-priority-lowest ?E org-default-priority 67
      org-deadline-warning-days 7
      org-use-tag-inheritance '("work")
      org-tags-exclude-from-inheritance '("crypt")
      org-agenda-files '("~/org/a.org" "b.org" "/etc/c.org"))
(broken "string
(setq org-directory "~/notes")
`)
	if s.Agenda.Highest != 'A' || s.Agenda.Lowest != 'E' || s.Agenda.Default != 'C' || s.Agenda.WarningDays != 7 {
		t.Errorf("agenda: %+v", s.Agenda)
	}
	if got := s.Inherits([]string{"work", "home", "crypt"}); !slices.Equal(got, []string{"work"}) {
		t.Errorf("inherited: %q", got)
	}
	if want := []string{"/home/ada/org/a.org", "/home/ada/notes/b.org", "/etc/c.org"}; !slices.Equal(s.Files, want) {
		t.Errorf("files: %q", s.Files)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "line 7") {
		t.Errorf("notes: %q", notes)
	}
}

// What would have to be evaluated is told, not guessed.
func TestComputed(t *testing.T) {
	for _, src := range []string{
		`(setq org-todo-keywords my-keywords)`,
		"(setq org-todo-keywords `((sequence ,@mine \"|\" \"DONE\")))",
		`(setq org-agenda-files (directory-files-recursively "~/org" "org$"))`,
		`(setq org-todo-keywords '(("TODO" 3)))`,
	} {
		if s, notes := read(t, src); len(notes) != 1 || s.Todo != nil || s.Files != nil {
			t.Errorf("%s: %q %q", src, s.Todo, notes)
		}
	}
}

func TestDirLocals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".dir-locals.el", `((org-mode . ((org-todo-keywords . ((sequence "A" "|" "B"))) (org-use-tag-inheritance . nil)))
 ("sub" . ((org-mode . ((org-todo-keywords (sequence "C" "|" "D")))))))`)
	write("other/.dir-locals.el", `((python-mode . ((x . 1))))`)
	f := Within(dir)
	for path, want := range map[string]string{"a.org": "A | B", "sub/b.org": "C | D", "other/c.org": "", "deep/er/d.org": "A | B"} {
		if got := strings.Join(f.Of(filepath.Join(dir, path)).Todo, ";"); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
	if !f.Of(filepath.Join(dir, "a.org")).NoTagInheritance {
		t.Error("nil is not taken for no inheritance")
	}
	if got := Within(filepath.Join(dir, "sub")).Of(filepath.Join(dir, "sub", "b.org")); !got.IsZero() {
		t.Errorf("a file outside of the bounds is read: %+v", got)
	}
}

func FuzzForms(f *testing.F) {
	for _, seed := range []string{`(a . b)`, `'(1 "x\n" ?a ?\( [v])`, "`(,@x #'y #s(h) . z)", `(((`, `"`, `;`, `\`, `(setq a`, "(a\n(b)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		forms, _ := readForms(src)
		v := &variables{set: map[string]form{}}
		v.read(forms)
		if len(forms) > 0 {
			v.dirLocals(forms[0], "a/b.org")
		}
		var s Settings
		s.apply(v, "/home/ada")
	})
}
