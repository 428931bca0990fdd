package verify_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/bundle"
	"wb/proof/jcs"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const plainPage = "<!doctype html>\n<html lang=\"en\"><head><title>Report</title></head>\n<body>\n<p>The answer is <output>42</output>.</p>\n</body></html>\n"

// world is an honest issuer, another one, and what the first published.
type world struct {
	t             testing.TB
	key, other    identity.Key
	log           *keys.Log
	page          []byte
	first, second manifest.Files
	zip           []byte
	bundled       []byte // a page with a bundle in it
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, key: seed(t, 1), other: seed(t, 2)}
	w.log = must(keys.NewLog(w.key, noon))(t)
	w.page = must(manifest.SignPage([]byte(plainPage), w.key, noon, manifest.Assertion{Label: "test", Data: map[string]any{"text": "</script><b>"}}))(t)
	files := manifest.Files{"index.html": []byte(plainPage), "about/index.html": []byte(strings.Replace(plainPage, "42", "about", 1)),
		"style.css": []byte("body{color:black}"), "data/t.csv": []byte("a,b\n1,2\n")}
	w.first = w.release(files)
	next := maps.Clone(w.first)
	next["style.css"] = []byte("body{color:white}")
	w.second = w.release(next)
	w.zip = must(sign.Bundle(w.bundleFiles(), w.issuer(), noon))(t)
	w.bundled = w.pageWith(w.zip)
	return w
}

func (w *world) issuer() sign.Issuer { return sign.Issuer{Signer: w.key, Keys: w.log} }

func (w *world) bundleFiles() manifest.Files {
	return manifest.Files{"source.org": []byte("#+TITLE: x\n"), "workbook.html": w.page, "artifacts/a.wasm": []byte("\x00asm")}
}

// pageWith is a signed page with a bundle in it and its source asserted.
func (w *world) pageWith(zip []byte) []byte {
	said := manifest.Assertion{Label: verify.SourceLabel, Data: map[string]any{"path": "source.org", "sha256": manifest.SHA256([]byte("#+TITLE: x\n"))}}
	return must(manifest.SignPage(bundle.Embed([]byte(plainPage), zip), w.key, noon, said))(w.t)
}

func (w *world) release(files manifest.Files) manifest.Files {
	out, _, err := sign.Site(files, w.issuer(), "example.org", noon)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func seed(t testing.TB, n byte) identity.Key {
	t.Helper()
	return must(identity.FromSeed(bytes.Repeat([]byte{n}, 32)))(t)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// swap is the site with the change that edit makes to one file.
func swap(files manifest.Files, path string, edit func([]byte) []byte) manifest.Files {
	out := maps.Clone(files)
	out[path] = edit(bytes.Clone(files[path]))
	return out
}

func replace(old, new string) func([]byte) []byte {
	return func(data []byte) []byte {
		if !bytes.Contains(data, []byte(old)) {
			panic("nothing to replace: " + old)
		}
		return bytes.Replace(data, []byte(old), []byte(new), 1)
	}
}

// remanifest signs a site's or bundle's manifest again after a change, as only
// the issuer could, or a program with a mistake.
func (w *world) remanifest(text []byte, signer identity.Signer, change func(*manifest.Site)) []byte {
	s := must(manifest.ReadSite(text))(w.t)
	s.IssuerDID = signer.DID()
	change(s)
	return must(s.Sign(signer))(w.t)
}

// resite replaces the manifest of a site so, and logs the change.
func (w *world) resite(files manifest.Files, signer identity.Signer, change func(*manifest.Site)) manifest.Files {
	return w.relog(swap(files, manifest.SitePath, func(text []byte) []byte { return w.remanifest(text, signer, change) }), signer, w.log.Identity())
}

// relist brings a manifest's list up to date with the files, signed by signer.
func (w *world) relist(files manifest.Files, signer identity.Signer) manifest.Files {
	return w.resite(files, signer, func(s *manifest.Site) {
		listed := manifest.Files{}
		for path, data := range files {
			if path != manifest.SitePath && !strings.HasPrefix(path, manifest.LogPrefix) {
				listed[path] = data
			}
		}
		s.Files = listed.List()
		s.Root = must(manifest.Root(s.Files))(w.t)
	})
}

// relog writes a log that ends with the manifest that is there.
func (w *world) relog(files manifest.Files, signer identity.Signer, origin string) manifest.Files {
	releases := &manifest.Releases{Origin: origin}
	v := must(jcs.Parse(files[manifest.SitePath]))(w.t).(map[string]any)
	for range int(v["sequence"].(float64)) - 1 {
		_ = releases.Append([]byte("earlier"))
	}
	_ = releases.Append(files[manifest.SitePath])
	return w.withLog(files, must(releases.Render(signer))(w.t))
}

func (w *world) withLog(files, log manifest.Files) manifest.Files {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(path string, _ []byte) bool { return strings.HasPrefix(path, manifest.LogPrefix) })
	for path, data := range log {
		out[manifest.LogPrefix+path] = data
	}
	return out
}

// repage puts another text into a page's manifest element.
func repage(page []byte, edit func(string) string) []byte {
	start := bytes.Index(page, []byte(manifest.ElementOpen)) + len(manifest.ElementOpen)
	end := start + bytes.Index(page[start:], []byte("</script>"))
	return slices.Concat(page[:start], []byte(edit(string(page[start:end]))), page[end:])
}

// claims signs a page with any JSON as its manifest.
func (w *world) claims(change func(map[string]any)) []byte {
	bare := must(manifest.Strip(w.page))(w.t)
	v := map[string]any{"version": manifest.PageVersion, "issuer_did": w.key.DID(), "claim_generator": "wb", "issued_at": "2026-01-02T12:00:00Z",
		"asset_sha256": manifest.SHA256(bare), "assertions": []any{}}
	change(v)
	if _, ok := v["signature"]; !ok {
		v["signature"] = keys.Encode(w.key.Sign(must(jcs.Marshal(v))(w.t)))
	}
	text := must(jcs.Marshal(v))(w.t)
	return manifest.Insert(bare, bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`)))
}

func signIssuer(key identity.Key, log *keys.Log) sign.Issuer {
	return sign.Issuer{Signer: key, Keys: log}
}
