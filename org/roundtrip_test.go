package org

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// systemOrg are places where distributions keep org files: Debian's elpa-org
// and org-mode-doc, and what comes with Emacs.
var systemOrg = []string{
	"/usr/share/org*", "/usr/share/doc/org*", "/usr/share/doc/elpa-org*", "/usr/share/doc/emacs*",
	"/usr/share/emacs/*/etc/org", "/usr/share/emacs/site-lisp/elpa*/org*",
}

// TestRoundTrip reads every org file it can find, those of the system and
// those below the directories in WB_ORG_CORPUS, and checks that printing gives
// them back and that everything else holds.
func TestRoundTrip(t *testing.T) {
	var files []string
	for _, dir := range filepath.SplitList(os.Getenv("WB_ORG_CORPUS")) {
		files = append(files, orgFiles(t, dir)...)
	}
	for _, pattern := range systemOrg {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			files = append(files, orgFiles(t, dir)...)
		}
	}
	if len(files) == 0 {
		t.Skip("no org files in the system's packages (apt-get install elpa-org org-mode-doc), and WB_ORG_CORPUS is not set")
	}
	size := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d := Parse(src)
		if !bytes.Equal([]byte(d.String()), src) {
			t.Errorf("%s: printing does not give the file back", name)
		}
		checkTree(t, d)
		checkObjects(t, d)
		size += len(src)
	}
	t.Logf("%d files, %d bytes", len(files), size)
}
