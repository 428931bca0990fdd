package run

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"wb/workbook/lint"
	"wb/workbook/plan"
)

// commonArguments are the header arguments of org-babel's manual and its
// common languages' (org-babel-common-header-args-w-values), and :stdin and
// :cmdline of scripts.
var commonArguments = []string{
	"cache", "cmdline", "colnames", "comments", "dir", "epilogue", "eval", "exports", "file", "file-desc", "file-ext", "file-mode",
	"hlines", "mkdirp", "no-expand", "noeval", "noweb", "noweb-prefix", "noweb-ref", "noweb-sep", "output-dir", "padline", "post",
	"prologue", "results", "rownames", "sep", "session", "shebang", "stdin", "tangle", "tangle-mode", "var", "wrap",
}

// TestCommonArguments holds lint to knowing each of them, to refusing its
// misspelling at its very place, and docs/emacs.org to saying what it does.
func TestCommonArguments(t *testing.T) {
	guide, err := os.ReadFile("../../docs/emacs.org")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(guide[strings.Index(string(guide), "* Header arguments"):]), "* Tables")
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("~:([a-z-]+)~").FindAllStringSubmatch(strings.ReplaceAll(table, " :", "~ ~:"), -1) {
		documented[m[1]] = true
	}
	if len(commonArguments) != 34 {
		t.Errorf("%d arguments, want 34", len(commonArguments))
	}
	unknown := func(name string) []string {
		var found []string
		src := fmt.Sprintf("* Heading\n#+begin_src say :%s x\n1\n#+end_src\n", name)
		for _, d := range lint.Plan(plan.New("doc.org", []byte(src)), lint.Options{}) {
			if d.Code == "unknown-argument" {
				found = append(found, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Hint))
			}
		}
		return found
	}
	for _, name := range commonArguments {
		if !documented[name] {
			t.Errorf("docs/emacs.org does not say what :%s does", name)
		}
		if found := unknown(name); len(found) > 0 {
			t.Errorf(":%s is unknown: %v", name, found)
		}
		typo := name + "q"
		found := unknown(typo)
		if len(found) != 1 || !strings.HasPrefix(found[0], "2:17 ") {
			t.Errorf(":%s gives %q, want one complaint at 2:17", typo, found)
		}
	}
}
