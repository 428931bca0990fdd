//go:build long

package rebuild_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/identity"
	"wb/internal/test/lanetest"
	"wb/proof/keys"
	"wb/proof/sign"
	"wb/publish/pack"
	"wb/publish/rebuild"
	"wb/workbook"
)

// engine is a set of lanes whose programs are compiled, or interpreted.
func engine(t *testing.T, interpret bool) *compile.Registry {
	t.Helper()
	env, err := compile.NewEnv(t.Context(), compile.EnvConfig{Interpreter: interpret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close(t.Context()) })
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

// TestEverywhere publishes each shipped example, one document for each lane among
// them, and runs it again as another user in another directory, time zone, locale
// and umask, on both engines: every byte must come out the same.
func TestEverywhere(t *testing.T) {
	documents, err := filepath.Glob("../../examples/*.org")
	if err != nil {
		t.Fatal(err)
	}
	byLane, err := filepath.Glob("../../examples/lanes/*.org")
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, byLane...)
	if only := os.Getenv("WB_REBUILD_ONLY"); only != "" {
		documents = slices.DeleteFunc(documents, func(name string) bool { return !slices.Contains(strings.Split(only, ","), filepath.Base(name)) })
	}
	compiled, interpreted := engine(t, false), engine(t, true)
	for _, document := range documents {
		t.Run(filepath.Base(document), func(t *testing.T) {
			page := published(t, document, compiled)
			elsewhere(t)
			for name, registry := range map[string]*compile.Registry{"compiled": compiled, "interpreted": interpreted} {
				out, err := rebuild.File(t.Context(), "page.html", page, rebuild.Options{Lanes: registry})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				t.Logf("%s: %d components, %d statements", name, out.Components, out.Statements)
				for _, note := range out.Notes {
					t.Errorf("%s: %s", name, note)
				}
			}
		})
	}
}

// published is the signed page of a copy of a document that ran.
func published(t *testing.T, document string, registry *compile.Registry) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(document))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.Base(document))
	opts := workbook.Options{Book: workbook.BookAt(file, nil, registry)}
	report, err := workbook.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.Failed(); failed != nil {
		t.Skipf("%s does not run here: %v", failed.ID, failed.Err)
	}
	p, err := pack.Workbook(t.Context(), opts.Book)
	if err != nil {
		t.Fatal(err)
	}
	key, err := identity.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	page, err := p.SinglePage(sign.Issuer{Signer: key, Keys: log}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// elsewhere makes the rest of the test that of another user, far away, who keeps
// files private.
func elsewhere(t *testing.T) {
	t.Helper()
	lanetest.Elsewhere(t)
	old := umask(0o077)
	t.Cleanup(func() { umask(old) })
}
