//go:build long

package app

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/test/emacs"
	"wb/internal/test/everylane"
	"wb/workbook"
)

// TestODTLikeEmacs exports wb's own pages and every document below $WB_ORG_FILES to
// OpenDocument, in the sandbox and in the Emacs of this machine. The text and the
// styles are equal but for the identifiers of links, which Org draws by lot; what
// Org cannot export, neither can. Where $WB_ODF_SCHEMA names the schema of
// OpenDocument 1.2 (RELAX NG), xmllint checks the text and the styles by it.
func TestODTLikeEmacs(t *testing.T) {
	native := emacs.NeedBundled(t, "28.2")
	if _, err := exec.LookPath("zip"); err != nil {
		t.Skip("zip is not installed, which Org's exporter needs: apt-get install zip")
	}
	registry := everylane.Need(t, "emacs")
	h := &Home{Languages: func(context.Context) (*compile.Registry, error) { return registry, nil }}
	files, err := filepath.Glob("../docs/s[hi]*.org")
	if err != nil {
		t.Fatal(err)
	}
	if root := os.Getenv("WB_ORG_FILES"); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "*.org"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	exported := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			theirs := nativeODT(t, native, file)
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data, err := (&ExportIn{File: file, To: toODT}).byEmacs(t.Context(), h, src, orgBackends[toODT])
			if err != nil && theirs == nil {
				t.Skipf("Org cannot export it: %v", err)
			}
			if err != nil || theirs == nil {
				t.Fatalf("exported here: %v, by Emacs: %v", err, theirs != nil)
			}
			ours := members(t, data)
			for _, part := range []string{"mimetype", "content.xml", "styles.xml", "META-INF/manifest.xml"} {
				if a, b := comparable(ours[part]), comparable(theirs[part]); a != b {
					t.Errorf("%s differs: %s", part, firstDifference(a, b))
				}
			}
			for name, data := range ours {
				if strings.HasSuffix(name, ".xml") {
					wellFormed(t, name, data)
				}
			}
			exported++
		})
	}
	t.Logf("%d of %d documents exported by both", exported, len(files))
}

// nativeODT is what the Emacs of this machine makes of the text that wb gives to
// Org, or nil where Org cannot export it.
func nativeODT(t *testing.T, e *emacs.Emacs, file string) map[string][]byte {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := workbook.Exported(t.Context(), file, src)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, filepath.Base(file))
	if err := os.WriteFile(copied, shown, 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/export-odt.el")
	if err != nil {
		t.Fatal(err)
	}
	e.Run(t, script, copied)
	data, err := os.ReadFile(strings.TrimSuffix(copied, ".org") + ".odt")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return members(t, data)
}

func members(t *testing.T, data []byte) map[string][]byte {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if z.File[0].Name != "mimetype" || z.File[0].Method != zip.Store {
		t.Error("the archive does not begin with its mimetype")
	}
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

var drawn = lazyregexp.New(`org[0-9a-f]{7}\b`)

// comparable is a part without the identifiers that Org draws.
func comparable(part []byte) string { return drawn.ReplaceAllString(string(part), "orgID") }

func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	at := max(0, i-80)
	return "wb …" + a[at:min(len(a), i+80)] + "… Emacs …" + b[at:min(len(b), i+80)] + "…"
}

func wellFormed(t *testing.T, name string, data []byte) {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	schema := os.Getenv("WB_ODF_SCHEMA")
	if schema == "" || name != "content.xml" && name != "styles.xml" {
		return
	}
	file := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("xmllint", "--noout", "--relaxng", schema, file).CombinedOutput(); err != nil {
		t.Errorf("%s is not valid: %v\n%s", name, err, out)
	}
}
