package page

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestExamples: the examples and our own documentation are pages without
// mistakes.
func TestExamples(t *testing.T) {
	for _, pattern := range []string{"../../examples/publish/*.org", "../../docs/pages.org"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(file), name)) }
				html, found, err := Render(context.Background(), file, src, Options{Read: read})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range found {
					t.Error(d)
				}
				wellFormed(t, html)
			})
		}
	}
}
