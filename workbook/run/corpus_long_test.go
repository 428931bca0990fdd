//go:build long

package run

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/org"
	"wb/tangle"
	"wb/workbook/format"
	"wb/workbook/lint"
	"wb/workbook/plan"
)

// TestCorpus lints, tangles (writing nothing), exports and formats every org
// file that packages installed, and those below the directories in
// WB_ORG_CORPUS: nothing may crash, and nothing may change that was not asked
// for.
func TestCorpus(t *testing.T) {
	roots := append([]string{"/usr/share/doc", "/usr/share/emacs", "/usr/share/org-mode"}, filepath.SplitList(os.Getenv("WB_ORG_CORPUS"))...)
	seen, tangled, untidy := 0, 0, 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".org") {
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			seen++
			lint.Plan(plan.New(path, src), lint.Options{})
			doc := org.Parse(src)
			if doc.String() != string(src) {
				t.Errorf("%s: does not print as it was read", path)
			}
			if _, err := tangle.Plan(context.Background(), doc, tangle.Options{File: path}); err == nil {
				tangled++
			} else if !strings.Contains(err.Error(), ":") {
				t.Errorf("%s: tangle: %v (without a place)", path, err)
			}
			if _, err := Exported(context.Background(), path, src); err != nil {
				t.Errorf("%s: export: %v", path, err)
			}
			once, _ := format.Format(src, format.Options{})
			if twice, _ := format.Format(once, format.Options{}); string(twice) != string(once) {
				t.Errorf("%s: formatting is not idempotent", path)
			}
			if string(once) != string(src) {
				untidy++
			}
			return nil
		})
	}
	if seen == 0 {
		t.Skip("no org files: apt-get install org-mode-doc elpa-org, or set WB_ORG_CORPUS")
	}
	t.Logf("%d files: %d can be tangled, %d are not tidy", seen, tangled, untidy)
}
