package target_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/sign"
	"wb/publish/leak"
	"wb/publish/target"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// builder builds releases of one site in a directory, as a user would.
type builder struct {
	t   *testing.T
	dir string
	by  sign.Issuer
}

func newBuilder(t *testing.T, seed byte) *builder {
	t.Helper()
	key, err := identity.FromSeed(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, noon)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{t, t.TempDir(), sign.Issuer{Signer: key, Keys: log}}
	b.write("style.css", "body{}")
	b.write("deep/er/index.html", "<p>deeper")
	return b
}

func (b *builder) write(path, text string) {
	b.t.Helper()
	at := filepath.Join(b.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// release signs the directory with a new front page.
func (b *builder) release(text string) string {
	b.t.Helper()
	b.write("index.html", "<p>"+text)
	if _, err := sign.Dir(b.dir, b.by, nil, "", noon); err != nil {
		b.t.Fatal(err)
	}
	return b.dir
}

func newTarget(t *testing.T, config target.Config) target.Target {
	t.Helper()
	place, err := target.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

func deploy(t *testing.T, place target.Target, dir string) target.Release {
	t.Helper()
	r, err := place.Deploy(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// behaves is what every target that keeps releases must do.
func behaves(t *testing.T, config target.Config, read func(path string) string) {
	ctx := context.Background()
	b := newBuilder(t, 1)
	place := newTarget(t, config)
	if all, err := place.List(ctx); err != nil || len(all) != 0 {
		t.Fatalf("before anything was deployed: %v %v", all, err)
	}
	if s, err := place.Status(ctx); err != nil || s.Current != nil {
		t.Fatalf("%+v %v", s, err)
	}
	for n := 1; n <= 4; n++ {
		if r := deploy(t, place, b.release(fmt.Sprint("release ", n))); r.Sequence != n || !r.Current || r.IssuerDID != b.by.Signer.DID() {
			t.Fatalf("%+v", r)
		}
	}
	if again := deploy(t, place, b.dir); again.Sequence != 4 {
		t.Fatalf("deployed again: %+v", again)
	}
	all, err := place.List(ctx)
	if err != nil || len(all) != 3 || all[0].Sequence != 4 || !all[0].Current || all[1].Current {
		t.Fatalf("%+v %v", all, err)
	}
	status, err := place.Status(ctx)
	if err != nil || status.Current == nil || status.Current.Sequence != 4 || status.Verdict == nil || !status.Verdict.Valid {
		t.Fatalf("%+v %v", status, err)
	}
	if text := read("index.html"); !bytes.Contains([]byte(text), []byte("release 4")) {
		t.Fatalf("readers see %q", text)
	}

	back, err := place.Rollback(ctx, "")
	if err != nil || back.Sequence != 3 {
		t.Fatalf("%+v %v", back, err)
	}
	if text := read("index.html"); !bytes.Contains([]byte(text), []byte("release 3")) {
		t.Fatalf("after rolling back readers see %q", text)
	}
	var missing *diag.NotFoundError
	if _, err := place.Rollback(ctx, "99"); !errors.As(err, &missing) || strings.Count(missing.Help, ",") != 2 {
		t.Fatalf("%v", err)
	}
	if back, err = place.Rollback(ctx, "4"); err != nil || back.Sequence != 4 || !back.Current {
		t.Fatalf("%+v %v", back, err)
	}

	// what must not pass
	other := newBuilder(t, 2)
	for _, bad := range []struct {
		name string
		want fault.Code
		make func() string
	}{
		{"somebody else's site", fault.IssuerUnexpected, func() string { return other.release("other") }},
		{"not signed", fault.SiteManifestMissing, func() string {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("<p>x"), 0o644))
			return dir
		}},
		{"edited after it was signed", fault.FileSize, func() string { b.release("five"); b.write("style.css", "body{color:red}"); return b.dir }},
	} {
		if _, err := place.Deploy(ctx, bad.make()); fault.CodeOf(err) != bad.want {
			t.Errorf("%s: %v", bad.name, err)
		}
	}
	b.write("style.css", "body{}")

	// an older release, and another one of the same number
	old := newBuilder(t, 1)
	if _, err := place.Deploy(ctx, old.release("release 1")); fault.CodeOf(err) != fault.SequenceRollback {
		t.Errorf("an older release: %v", err)
	}
	for _, text := range []string{"a", "b", "c"} {
		old.release(text)
	}
	if _, err := place.Deploy(ctx, old.dir); fault.CodeOf(err) != fault.SequenceFork {
		t.Errorf("a fork: %v", err)
	}

	// what must not leave
	b.write("notes.txt", "token ghp_"+string(bytes.Repeat([]byte("a1B2"), 9))+"\n")
	b.release("with a token")
	var leaks *leak.Error
	if _, err := place.Deploy(ctx, b.dir); !errors.As(err, &leaks) || leaks.Findings[0].Path != "notes.txt" || leaks.Findings[0].Line != 1 {
		t.Errorf("a token: %v", err)
	}
	config.AllowLeak = []string{"notes.txt"}
	deploy(t, newTarget(t, config), b.dir)
	if text := read("index.html"); !bytes.Contains([]byte(text), []byte("with a token")) {
		t.Fatalf("readers see %q", text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLocal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	behaves(t, target.Config{Dir: dir, Keep: 3}, func(path string) string {
		text, err := os.ReadFile(filepath.Join(dir, "current", filepath.FromSlash(path)))
		must(t, err)
		return string(text)
	})
}

func TestConfig(t *testing.T) {
	for _, config := range []target.Config{{Kind: "ftp"}, {Kind: target.Local}} {
		var wrong *target.ConfigError
		if _, err := target.New(config); !errors.As(err, &wrong) || wrong.Hint() == "" {
			t.Errorf("%+v: %v", config, err)
		}
	}
}
