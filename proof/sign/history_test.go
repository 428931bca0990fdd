package sign_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// after signs a page as the release after others, nil for none.
func after(t *testing.T, by sign.Issuer, history manifest.Files, text string) manifest.Files {
	t.Helper()
	files := manifest.Files{"index.html": []byte("<body>" + text + "</body>")}
	signed, s, err := sign.Site(sign.Onto(history, files), by, "", noon.Add(time.Duration(len(text))*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Site(signed, verify.Options{}).Err(); err != nil {
		t.Fatalf("release %d: %v", s.Sequence, err)
	}
	return signed
}

func sequenceOf(t *testing.T, files manifest.Files) int {
	t.Helper()
	if files == nil {
		return 0
	}
	s, err := manifest.ReadSite(files[manifest.SitePath])
	if err != nil {
		t.Fatal(err)
	}
	return s.Sequence
}

// TestLatest: of all histories the longest counts that goes on from what readers
// see.
func TestLatest(t *testing.T) {
	by := issuer(t)
	one := after(t, by, nil, "one")
	two := after(t, by, sign.History(one), "two more")
	three := after(t, by, sign.History(two), "three")
	other := after(t, by, sign.History(one), "another two")
	fourth := after(t, by, sign.History(after(t, by, sign.History(other), "another three")), "another four")
	for name, c := range map[string]struct {
		shown manifest.Files
		own   []manifest.Files
		want  manifest.Files
	}{
		"nothing":                    {nil, []manifest.Files{nil, nil}, nil},
		"the target alone":           {two, []manifest.Files{nil, nil}, two},
		"the record alone":           {nil, []manifest.Files{nil, two}, two},
		"an old copy":                {nil, []manifest.Files{one, three}, three},
		"an old copy, target ahead":  {three, []manifest.Files{one, two}, three},
		"signed and not deployed":    {two, []manifest.Files{three, three}, three},
		"readers saw another branch": {other, []manifest.Files{three, three}, other},
		"a longer branch unseen":     {three, []manifest.Files{fourth, nil}, three},
		"two branches of one's own":  {nil, []manifest.Files{two, fourth}, fourth},
	} {
		got, err := sign.Latest(by, c.shown, c.own...)
		if err != nil || sequenceOf(t, got) != sequenceOf(t, c.want) || !bytes.Equal(got[manifest.SitePath], c.want[manifest.SitePath]) {
			t.Errorf("%s: release %d, %v; want %d", name, sequenceOf(t, got), err, sequenceOf(t, c.want))
		}
	}

	// What is shown may be anything; an own copy must hold together.
	broken := maps.Clone(three)
	broken[manifest.LogPrefix+"checkpoint"] = []byte("nonsense")
	if got, err := sign.Latest(by, broken, two); err != nil || sequenceOf(t, got) != 2 {
		t.Errorf("a broken target: %d, %v", sequenceOf(t, got), err)
	}
	if _, err := sign.Latest(by, nil, broken); err == nil {
		t.Error("a broken copy was taken for none")
	}
	stranger, err := identity.FromSeed(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(stranger, noon)
	if err != nil {
		t.Fatal(err)
	}
	theirs := sign.Issuer{Signer: stranger, Keys: log}
	if _, err := sign.Latest(theirs, nil, three); err == nil {
		t.Error("somebody else goes on with the log")
	}
}

// TestUnchangedFromHistory: with its history alone, a site that did not change is
// the release that it was, byte for byte.
func TestUnchangedFromHistory(t *testing.T) {
	by := issuer(t)
	one := after(t, by, nil, "one")
	two := after(t, by, sign.History(one), "two more")
	again := after(t, by, sign.History(two), "two more")
	if !maps.EqualFunc(two, again, bytes.Equal) {
		t.Error("the release is another one")
	}
}

// TestRecord: histories are kept by identity and directory.
func TestRecord(t *testing.T) {
	by, dir := issuer(t), t.TempDir()
	r := sign.NewRecord(filepath.Join(t.TempDir(), "new"))
	if files, err := r.Recall(by, dir); files != nil || err != nil {
		t.Fatal(files, err)
	}
	one := after(t, by, nil, "one")
	if err := r.Keep(by, dir, one); err != nil {
		t.Fatal(err)
	}
	if files, err := r.Recall(by, dir+"/."); err != nil || !maps.EqualFunc(files, sign.History(one), bytes.Equal) {
		t.Errorf("%d files, %v", len(files), err)
	}
	if files, err := r.Recall(by, t.TempDir()); files != nil || err != nil {
		t.Errorf("another directory: %v, %v", files, err)
	}

	// Signed where it lies, wiped, and signed again.
	site := t.TempDir()
	for i, text := range []string{"a", "b", "b", "c"} {
		if err := os.RemoveAll(site); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(site, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("<body>"+text+"</body>"), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := sign.Dir(site, by, r, "", noon)
		if want := []int{1, 2, 2, 3}[i]; err != nil || s.Sequence != want {
			t.Errorf("%s: release %+v, %v; want %d", text, s, err, want)
		}
	}
}
