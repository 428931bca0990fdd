package highlight

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

var tag = regexp.MustCompile(`<[^>]*>`)

// TestText: whatever the language, the text of the lines is the code.
func TestText(t *testing.T) {
	h := New()
	for lang, code := range map[string]string{
		"python":     "def f(x):\n    \"\"\"a\n    b\"\"\"\n    return x < 3 and 'é'\n",
		"js":         "const a = `x\n${y}`;\n\n// end",
		"C":          "#include <stdio.h>\nint main(void) { return 0; }\n",
		"sh":         "for i in 1 2; do\n  echo \"$i\" | sort\ndone\n",
		"emacs-lisp": "(setq a '(1 2))",
		"org":        "* A <b>\n# note\n#+begin_src sh\n* no headline\n#+end_src\n:PROPERTIES:\ntext",
		"json":       "{\"a\": [1, null]}\n",
		"sql":        "SELECT 1;\n\n",
	} {
		lines, ok := h.Highlight(lang, code)
		if !ok {
			t.Errorf("%s is not known", lang)
			continue
		}
		text := html.UnescapeString(tag.ReplaceAllString(strings.Join(lines, "\n"), ""))
		if strings.TrimRight(text, "\n") != strings.TrimRight(code, "\n") {
			t.Errorf("%s: %q", lang, text)
		}
		marked := 0
		for _, line := range lines {
			if strings.Count(line, "<span") != strings.Count(line, "</span>") || strings.Contains(line, "\n") {
				t.Errorf("%s: a line is not closed: %s", lang, line)
			}
			marked += strings.Count(line, "<span")
		}
		if marked == 0 {
			t.Errorf("%s: nothing is marked", lang)
		}
	}
	for _, lang := range []string{"", "text", "no-such-language"} {
		if _, ok := h.Highlight(lang, "a"); ok {
			t.Errorf("%q is known", lang)
		}
	}
	if _, ok := h.Highlight("python", strings.Repeat("x = 1\n", maxCode)); ok {
		t.Error("a megabyte of code is highlighted")
	}
}

func TestOrgLines(t *testing.T) {
	got := strings.Join(orgLines("* A\n#+TITLE: x\n#+begin_src org\n* B\n#+end_src\n*bold*\n:ID: 1\n: result"), "\n")
	want := "<span class=\"gh\">* A</span>\n<span class=\"k\">#+TITLE: x</span>\n<span class=\"k\">#+begin_src org</span>\n* B\n<span class=\"k\">#+end_src</span>\n*bold*\n<span class=\"na\">:ID: 1</span>\n: result"
	if got != want {
		t.Errorf("%s", got)
	}
}
