package tangle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/tangle/elisp"
)

// modeTexts maps values of :tangle-mode, in Lisp, to modes; "" is an error.
var modeTexts = map[string]string{
	`493`: "755", `420`: "644", `755`: "", `8`: "", `511`: "777",
	`"o755"`: "755", `"o0644"`: "644", `"O700"`: "700", `"755"`: "", `"o75"`: "",
	`"rwxr-xr--"`: "754", `"rw-r--r--"`: "644", `"rwsr-sr-x"`: "6645", `"rwx"`: "",
	`"u+x"`: "744", `"+x"`: "755", `"a=r"`: "444", `"u=rwx,go="`: "700", `"g=u"`: "664",
	`"o=g,g+w"`: "664", `"a+X"`: "644", `"u+x,a+X"`: "755", `"ug=rw,o-r"`: "660", `"u+s"`: "4644",
	`"-r"`: "200", `"u+x-w"`: "544", `"+t"`: "1644", `"go=u"`: "666", `"x"`: "", `sym`: "",
}

func TestParseMode(t *testing.T) {
	for text, want := range modeTexts {
		if got := parsedMode(t, text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func parsedMode(t *testing.T, text string) string {
	v, err := elisp.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	mode, err := ParseMode(v)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%o", mode)
}

func TestParseModeConfirm(t *testing.T) {
	e := emacs.Need(t)
	var texts []string
	for text := range modeTexts {
		texts = append(texts, text)
	}
	script := filepath.Join(t.TempDir(), "mode.el")
	lisp := `(require 'ob-tangle) (set-default-file-modes #o755)
(dolist (m '(` + strings.Join(texts, " ") + `)) (princ (condition-case nil (format "%o" (org-babel-interpret-file-mode m)) (error ""))) (princ "\n"))`
	if err := os.WriteFile(script, []byte(lisp), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(e.Run(t, script), "\n")
	for i, text := range texts {
		if answers[i] != modeTexts[text] {
			t.Errorf("%s: Emacs says %q, the case says %q", text, answers[i], modeTexts[text])
		}
	}
}
