package babel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/tangle/elisp"
)

var commented = []string{
	"x",
	"[[file:a.org::*H][H:1]]",
	"  two\n    lines\n\n  and a blank\n",
	"\n\n  surrounded  \n\n",
	"a */ b *\\/ --> -\\-> *) ]]> } ; c",
	"\ttab\n        eight\n\t\ttwo",
	"\tone tab\n  two blanks\n\n \n    four",
	"日本\n  é",
	"# already",
}

func TestRegion(t *testing.T) {
	c, _ := Comment("c")
	if got, want := c.Region("  a */\n\n    b\n"), "  /* a *\\/ */\n\n  /*   b */\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	python, _ := Comment("python")
	if got, want := python.Region("\n\tx\n  y"), "\n  #       x\n  # y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMode(t *testing.T) {
	for language, want := range map[string]string{"C": "c", "bash": "sh", "elisp": "emacs-lisp", "dot": "graphviz-dot", "python": "python"} {
		if mode, ok := Mode(language); mode != want || !ok {
			t.Errorf("%s: %s %v", language, mode, ok)
		}
	}
	if _, ok := Mode("unknownlang"); ok {
		t.Error("unknownlang has a mode")
	}
	if mode, ok := Mode("text"); !ok {
		t.Error("text has no mode")
	} else if _, comments := Comment(mode); comments {
		t.Error("text has comments")
	}
}

// TestRegionConfirm asks Emacs about every mode that comes with it.
func TestRegionConfirm(t *testing.T) {
	e := emacs.Need(t)
	var languages []string
	for _, family := range commentFamilies {
		if family.packaged {
			continue
		}
		for _, mode := range family.modes {
			switch mode {
			case "cfengine-auto", "authinfo": // modes that look at the buffer's text or file first
				continue
			}
			languages = append(languages, mode)
		}
	}
	dir := t.TempDir()
	list, texts := filepath.Join(dir, "languages"), filepath.Join(dir, "texts")
	values := make([]elisp.Value, len(commented))
	for i, text := range commented {
		values[i] = elisp.String(text)
	}
	for file, content := range map[string]string{list: strings.Join(languages, "\n"), texts: elisp.Print(elisp.List(values...))} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := strings.Split(e.Run(t, "testdata/comment.el", list, texts), "\x00")
	if len(answers) != len(languages)*len(commented)+1 {
		t.Fatalf("%d answers for %d questions", len(answers)-1, len(languages)*len(commented))
	}
	for i, language := range languages {
		mode, _ := Mode(language)
		c, ok := Comment(mode)
		if !ok {
			t.Errorf("%s: no comment syntax", language)
			continue
		}
		for j, text := range commented {
			if language == "org" && strings.HasPrefix(text, "#") {
				continue // org's own command uncomments what is a comment
			}
			if want, got := answers[i*len(commented)+j], c.Region(text); got != want {
				t.Errorf("%s, text %d:\n--- Emacs\n%q\n--- ours\n%q", language, j, want, got)
			}
		}
	}
}
