package verify_test

import (
	"testing"
	"time"

	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// One identity may have several sites: each has releases of its own, and what
// becomes known of the identity's keys counts for all of them.
func TestMemoryOfSites(t *testing.T) {
	w := newWorld(t)
	blog, _, err := sign.Site(manifest.Files{"index.html": []byte(plainPage)}, w.issuer(), "", noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	m := verify.NewMemory(t.TempDir())
	see := func(files manifest.Files, want fault.Code) {
		t.Helper()
		r, err := m.SiteSeen(files, verify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Code != want {
			t.Errorf("got %q (%s), want %q", r.Code, r.Message, want)
		}
	}
	see(w.second, "")
	see(blog, "") // another site, at its first release
	see(w.second, "")
	see(w.first, fault.SequenceRollback)
	for _, c := range []struct {
		files manifest.Files
		want  fault.Code
	}{{w.first, fault.SequenceRollback}, {w.second, ""}, {blog, ""}} {
		if err := m.Contradicts(c.files); fault.CodeOf(err) != c.want {
			t.Errorf("release of %d files: %v, want %q", len(c.files), err, c.want)
		}
	}
	if err := verify.NewMemory(t.TempDir()).Contradicts(w.first); err != nil {
		t.Errorf("nothing was seen: %v", err)
	}

	if w.log, err = w.log.Revoke(w.key, w.key.DID(), 2, "stolen", noon); err != nil {
		t.Fatal(err)
	}
	after := sign.Issuer{Signer: w.key, Keys: w.log}
	news, _, err := sign.Site(manifest.Files{"index.html": []byte(plainPage)}, after, "", noon.Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	see(news, "") // release 1 of a third site, which knows of the revocation
	see(blog, "")
	see(w.second, fault.KeyRevoked) // it hides what the third site said
}
