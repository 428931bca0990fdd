package sites_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/serve/sites"
)

const token, adaToken = "publish-token-0123", "token-of-ada-0123"

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// bench is a server and somebody who publishes there.
type bench struct {
	t    *testing.T
	http *httptest.Server
	dir  string
	by   sign.Issuer
}

func newBench(t *testing.T, quota sites.Quota) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), by: issuer(t, 1)}
	server, err := sites.New(sites.Config{Dir: b.dir, Quota: quota, Tenants: []sites.Tenant{{Name: "default", Token: token}, {Name: "ada", Token: adaToken}, {Name: "mute"}},
		Warn: func(err error) { t.Logf("warning: %v", err) }})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server.Register(mux, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such site", http.StatusNotFound) })
	b.http = httptest.NewServer(mux)
	t.Cleanup(b.http.Close)
	return b
}

func issuer(t *testing.T, n byte) sign.Issuer {
	t.Helper()
	key, err := identity.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, noon)
	if err != nil {
		t.Fatal(err)
	}
	return sign.Issuer{Signer: key, Keys: log}
}

// sign is the next release after files.
func (b *bench) sign(files manifest.Files) manifest.Files {
	b.t.Helper()
	out, _, err := sign.Site(files, b.by, "", noon)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func plain() manifest.Files {
	return manifest.Files{"index.html": []byte("<p>hello"), "404.html": []byte("<p>nothing here"), "deep/er/index.html": []byte("<p>deeper"),
		"style.css": []byte("b{}"), "data/x.bin": {1, 2, 3}, "s.svg": []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")}
}

type answer struct {
	status int
	header http.Header
	text   string
}

func (a answer) code(t *testing.T) string {
	t.Helper()
	var problem struct{ Error sites.Problem }
	if json.Unmarshal([]byte(a.text), &problem) != nil {
		return ""
	}
	return problem.Error.Code
}

func (b *bench) call(method, path, token string, body []byte, headers ...string) answer {
	b.t.Helper()
	req, err := http.NewRequest(method, b.http.URL+path, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// upload sends a release as a client that does what it wants: files says what is
// sent for a path.
func (b *bench) upload(site, token string, files manifest.Files) answer {
	b.t.Helper()
	begun := b.call("POST", site+".wb/releases", token, files[manifest.SitePath])
	if begun.status != 200 {
		return begun
	}
	var up sites.Upload
	if err := json.Unmarshal([]byte(begun.text), &up); err != nil {
		b.t.Fatal(err)
	}
	for _, path := range up.Need {
		data, ok := files[path]
		if !ok {
			continue
		}
		if put := b.call("PUT", site+path+"?upload="+up.Upload, token, data); put.status != http.StatusNoContent {
			return put
		}
	}
	return b.call("POST", site+".wb/publish?upload="+up.Upload, token, nil)
}

func TestServe(t *testing.T) {
	b := newBench(t, sites.Quota{})
	files := b.sign(plain())
	if got := b.upload("/w/notes/", token, files); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		path   string
		status int
		kind   string
		text   string
	}{
		{"/w/notes/", 200, "text/html; charset=utf-8", "hello"},
		{"/w/notes/index.html", 200, "text/html; charset=utf-8", "hello"},
		{"/w/notes/deep/er/", 200, "text/html; charset=utf-8", "deeper"},
		{"/w/notes/style.css", 200, "text/css; charset=utf-8", "b{}"},
		{"/w/notes/data/x.bin", 200, "application/octet-stream", "\x01\x02\x03"},
		{"/w/notes/s.svg", 200, "image/svg+xml", "<svg"},
		{"/w/notes/.well-known/wb-site.json", 200, "application/json", "issuer_did"},
		{"/w/notes/.well-known/wb-log/checkpoint", 200, "text/plain; charset=utf-8", "did:key"},
		{"/w/notes", 301, "", ""},
		{"/w/notes/deep/er", 301, "", ""},
		{"/w/notes/deep", 301, "", ""},
		{"/w/notes/nothing", 404, "text/html; charset=utf-8", "nothing here"},
		{"/w/notes/deep/", 404, "text/html; charset=utf-8", "nothing here"},
		{"/w/notes/..%2f..%2fcurrent/index.html", 404, "", ""},
		{"/w/notes/.wb/secret", 404, "", ""},
		{"/w/notes/.env", 404, "", ""},
		{"/w/other/", 404, "", "no such site"},
		{"/w/NOTES/", 404, "", "no such site"},
		{"/t/ada/w/notes/", 404, "", ""},
		{"/t/default/w/notes/", 200, "text/html; charset=utf-8", "hello"},
		{"/t/nobody/w/notes/", 404, "", "no such site"},
	} {
		got := b.call("GET", c.path, "", nil)
		if got.status != c.status || c.kind != "" && got.header.Get("Content-Type") != c.kind || !strings.Contains(got.text, c.text) {
			t.Errorf("%s: %d %s %q", c.path, got.status, got.header.Get("Content-Type"), got.text)
		}
		if got.status == 301 || strings.HasPrefix(got.text, "no such site") { // another answers
			continue
		}
		if csp := got.header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "sandbox allow-scripts") || strings.Contains(csp, "allow-same-origin") {
			t.Errorf("%s: policy %q", c.path, csp)
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", c.path)
		}
	}
	css := b.call("GET", "/w/notes/style.css", "", nil)
	if again := b.call("GET", "/w/notes/style.css", "", nil, "If-None-Match", css.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("asked again: %d", again.status)
	}
	if head := b.call("HEAD", "/w/notes/", "", nil); head.status != 200 || head.text != "" {
		t.Errorf("HEAD: %+v", head)
	}
}

// TestUnauthorized: without the tenant's own token nothing can be changed or
// listed.
func TestUnauthorized(t *testing.T) {
	b := newBench(t, sites.Quota{})
	files := b.sign(plain())
	for _, c := range []struct{ site, token string }{
		{"/w/notes/", ""}, {"/w/notes/", "wrong-token-0123456"}, {"/w/notes/", adaToken}, {"/t/ada/w/notes/", token},
		{"/t/mute/w/notes/", ""}, {"/t/mute/w/notes/", token}, {"/t/nobody/w/notes/", token}, {"/t/../w/notes/", adaToken},
	} {
		for _, call := range []struct{ method, path string }{
			{"POST", ".wb/releases"}, {"GET", ".wb/releases"}, {"PUT", "index.html?upload=" + strings.Repeat("a", 64)}, {"POST", ".wb/publish"}, {"POST", ".wb/rollback"},
		} {
			got := b.call(call.method, c.site+call.path, c.token, files[manifest.SitePath])
			if got.status != http.StatusUnauthorized && got.status != http.StatusTemporaryRedirect && got.status != http.StatusMovedPermanently {
				t.Errorf("%s %s%s with %q: %d %s", call.method, c.site, call.path, c.token, got.status, got.text)
			}
		}
	}
	if got := b.upload("/t/ada/w/notes/", adaToken, files); got.status != 200 {
		t.Errorf("ada: %+v", got)
	}
	if got := b.call("GET", "/w/notes/", "", nil); got.status != 404 {
		t.Errorf("ada's site is the default tenant's too: %d", got.status)
	}
}

// TestTamperedUploads: whatever a client sends, readers see valid releases only,
// and the client is told the verifier's code.
func TestTamperedUploads(t *testing.T) {
	b := newBench(t, sites.Quota{})
	first := b.sign(plain())
	if got := b.upload("/w/notes/", token, first); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	next := maps.Clone(first)
	next["style.css"] = []byte("i{}")
	second := b.sign(next)
	edit := func(change func(manifest.Files)) manifest.Files {
		out := maps.Clone(second)
		change(out)
		return out
	}
	remanifest := func(by sign.Issuer, change func(*manifest.Site)) func(manifest.Files) {
		return func(f manifest.Files) {
			s, err := manifest.ReadSite(f[manifest.SitePath])
			if err != nil {
				t.Fatal(err)
			}
			s.IssuerDID = by.Signer.DID()
			change(s)
			if s.Root, err = manifest.Root(s.Files); err != nil {
				t.Fatal(err)
			}
			if f[manifest.SitePath], err = s.Sign(by.Signer); err != nil {
				t.Fatal(err)
			}
		}
	}
	next["style.css"] = []byte("u{}")
	without := b.sign(next)
	delete(without, manifest.LogPrefix+"checkpoint")
	stranger := issuer(t, 9)
	foreign, _, err := sign.Site(plain(), stranger, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	fork, _, err := sign.Site(manifest.Files{"index.html": []byte("<p>fork")}, b.by, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		want  fault.Code
		files manifest.Files
	}{
		{"no manifest", fault.JSONInvalid, edit(func(f manifest.Files) { f[manifest.SitePath] = nil })},
		{"not JSON", fault.JSONInvalid, edit(func(f manifest.Files) { f[manifest.SitePath] = []byte("{") })},
		{"a second spelling", fault.JSONNoncanonical, edit(func(f manifest.Files) { f[manifest.SitePath] = append(f[manifest.SitePath], '\n') })},
		{"edited manifest", fault.SignatureInvalid, edit(func(f manifest.Files) {
			f[manifest.SitePath] = bytes.Replace(f[manifest.SitePath], []byte("2026"), []byte("2025"), 1)
		})},
		{"a bundle's manifest", fault.BundleKind, edit(remanifest(b.by, func(s *manifest.Site) { s.Kind, s.Sequence = manifest.KindBundle, 0 }))},
		{"a path upwards", fault.PathUnsafe, edit(remanifest(b.by, func(s *manifest.Site) { s.Files[0].Path = "../../x" }))},
		{"an absolute path", fault.PathUnsafe, edit(remanifest(b.by, func(s *manifest.Site) { s.Files[0].Path = "/etc/x" }))},
		{"a hidden file", fault.PathUnsafe, edit(remanifest(b.by, func(s *manifest.Site) { s.Files[0].Path = ".htaccess" }))},
		{"a record of runs", fault.PathUnsafe, edit(remanifest(b.by, func(s *manifest.Site) { s.Files[0].Path = "sub/events.org" }))},
		{"a part of the server", fault.PathUnsafe, edit(remanifest(b.by, func(s *manifest.Site) { s.Files[0].Path = ".wb/releases" }))},
		{"a path twice", fault.FileOrder, edit(remanifest(b.by, func(s *manifest.Site) { s.Files = append(s.Files, s.Files[len(s.Files)-1]) }))},
		{"names that collide", fault.PathCollision, edit(remanifest(b.by, func(s *manifest.Site) {
			s.Files = append(s.Files, manifest.File{Path: "STYLE.css", SHA256: s.Files[0].SHA256})
			slices.SortFunc(s.Files, func(a, b manifest.File) int { return strings.Compare(a.Path, b.Path) })
		}))},
		{"other bytes", fault.FileChanged, edit(func(f manifest.Files) { f["style.css"] = []byte("x{}") })},
		{"longer", fault.FileSize, edit(func(f manifest.Files) { f["style.css"] = []byte("i{} ") })},
		{"shorter", fault.FileSize, edit(func(f manifest.Files) { f["style.css"] = []byte("i{") })},
		{"a file not sent", fault.FileMissing, edit(func(f manifest.Files) { delete(f, "style.css") })},
		{"no log", fault.LogMissing, without},
		{"the log of before", fault.LogTile, edit(func(f manifest.Files) { f[manifest.LogPrefix+"checkpoint"] = first[manifest.LogPrefix+"checkpoint"] })},
		{"a page of a release to come", fault.SnapshotMixed, edit(func(f manifest.Files) {
			ahead, err := manifest.SignPage(f["index.html"], b.by.Signer, noon, manifest.SiteAssertion(b.by.Keys.Identity(), 9))
			if err != nil {
				t.Fatal(err)
			}
			f["index.html"] = ahead
			remanifest(b.by, func(s *manifest.Site) {
				for i := range s.Files {
					if s.Files[i].Path == "index.html" {
						s.Files[i] = manifest.File{Path: "index.html", Size: len(ahead), SHA256: manifest.SHA256(ahead)}
					}
				}
			})(f)
		})},
		{"somebody else's site", fault.IssuerUnexpected, foreign},
		{"signed by somebody else", fault.KeyUnknown, edit(remanifest(stranger, func(*manifest.Site) {}))},
		{"another release of the same number", fault.SequenceFork, fork},
		{"an older release", fault.SequenceRollback, first},
	}
	for i, c := range cases {
		if c.want == fault.SequenceRollback { // last: the second is there by then
			if got := b.upload("/w/notes/", token, second); got.status != 200 {
				t.Fatalf("the honest one: %+v", got)
			}
		}
		got := b.upload("/w/notes/", token, c.files)
		if got.status != http.StatusUnprocessableEntity || got.code(t) != string(c.want) {
			t.Errorf("%s: %d %s, want %s", c.name, got.status, got.text, c.want)
		}
		want := "b{}"
		if i == len(cases)-1 {
			want = "i{}"
		}
		if css := b.call("GET", "/w/notes/style.css", "", nil); css.text != want {
			t.Errorf("%s: readers see %q", c.name, css.text)
		}
	}
}

func TestUploadsOutOfTurn(t *testing.T) {
	b := newBench(t, sites.Quota{})
	files := b.sign(plain())
	name := manifest.SHA256(files[manifest.SitePath])
	put := func(path, upload string) answer {
		return b.call("PUT", "/w/notes/"+path+"?upload="+upload, token, []byte("b{}"))
	}
	if got := put("style.css", name); got.status != 404 {
		t.Errorf("to a site that is not there: %+v", got)
	}
	if got := b.call("POST", "/w/notes/.wb/releases", token, files[manifest.SitePath]); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	for _, bad := range []string{"", "x", "..", strings.Repeat("a", 64), strings.ToUpper(name), name + "/"} {
		if got := put("style.css", url.QueryEscape(bad)); got.status != 409 || got.code(t) != "no_upload" {
			t.Errorf("upload %q: %+v", bad, got)
		}
		if got := b.call("POST", "/w/notes/.wb/publish?upload="+url.QueryEscape(bad), token, nil); got.status != 409 {
			t.Errorf("publish %q: %+v", bad, got)
		}
	}
	for path, want := range map[string]fault.Code{"unlisted.txt": fault.FileUnlisted, manifest.LogPrefix + "tile/0/999": fault.FileUnlisted, ".env": fault.FileUnlisted, "index.html": fault.FileSize} {
		if got := put(path, name); got.status != 422 || got.code(t) != string(want) {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got := put("style.css", name); got.status != http.StatusNoContent {
		t.Errorf("%+v", got)
	}
	// the newest manifest wins: the upload before it is gone
	other := b.sign(manifest.Files{"index.html": []byte("<p>other")})
	if got := b.call("POST", "/w/notes/.wb/releases", token, other[manifest.SitePath]); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	if got := put("style.css", name); got.status != 409 {
		t.Errorf("the upload before: %+v", got)
	}
}

func TestQuota(t *testing.T) {
	b := newBench(t, sites.Quota{Bytes: 10_000, Files: 8, Sites: 2})
	many := plain()
	for i := range 8 {
		many[string(rune('a'+i))+".txt"] = []byte("x")
	}
	big := plain()
	big["big.bin"] = make([]byte, 10_001)
	for name, files := range map[string]manifest.Files{"files": many, "bytes": big} {
		if got := b.upload("/w/notes/", token, b.sign(files)); got.status != 413 || got.code(t) != "quota" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	small := b.sign(manifest.Files{"index.html": []byte("<p>x")})
	for site, want := range map[string]int{"/w/one/": 200} {
		if got := b.upload(site, token, small); got.status != want {
			t.Errorf("%s: %+v", site, got)
		}
	}
	if got := b.upload("/w/two/", token, small); got.status != 200 {
		t.Errorf("two: %+v", got)
	}
	if got := b.upload("/w/three/", token, small); got.status != 413 {
		t.Errorf("three: %+v", got)
	}
	if got := b.upload("/t/ada/w/three/", adaToken, small); got.status != 200 {
		t.Errorf("ada has a quota of her own: %+v", got)
	}
	for _, bad := range []string{"/w/UPPER/", "/w/..%2fx/", "/w/-x/", "/w/" + strings.Repeat("x", 64) + "/"} {
		if got := b.upload(bad, token, small); got.status == 200 {
			t.Errorf("%s: %+v", bad, got)
		}
	}
}

// TestOrders: an order holds for one site, once, from the site's own key.
func TestOrders(t *testing.T) {
	b := newBench(t, sites.Quota{})
	files := b.sign(plain())
	for range 3 {
		if got := b.upload("/w/notes/", token, files); got.status != 200 {
			t.Fatalf("%+v", got)
		}
		files = maps.Clone(files)
		files["style.css"] = append(files["style.css"], ' ')
		files = b.sign(files)
	}
	var all []struct {
		ID      string
		Current bool
	}
	if err := json.Unmarshal([]byte(b.call("GET", "/w/notes/.wb/releases", token, nil).text), &all); err != nil || len(all) != 3 || !all[0].Current {
		t.Fatalf("%+v %v", all, err)
	}
	order := func(by sign.Issuer, site, release, replaces string) []byte {
		text, err := manifest.SignOrder(site, release, replaces, by.Keys.Identity(), by.Signer, noon)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good := order(b.by, "/w/notes/", all[2].ID, all[0].ID)
	posing := issuer(t, 9)
	posing.Keys = b.by.Keys
	for _, c := range []struct {
		name   string
		status int
		code   string
		text   []byte
	}{
		{"no JSON", 422, string(fault.JSONInvalid), []byte("x")},
		{"edited", 422, string(fault.SignatureInvalid), bytes.Replace(good, []byte(all[2].ID), []byte(all[1].ID), 1)},
		{"for another site", 422, string(fault.IssuerUnexpected), order(b.by, "/w/other/", all[2].ID, all[0].ID)},
		{"by a stranger", 422, string(fault.IssuerUnexpected), order(issuer(t, 9), "/w/notes/", all[2].ID, all[0].ID)},
		{"by a stranger in the owner's name", 422, string(fault.KeyUnknown), order(posing, "/w/notes/", all[2].ID, all[0].ID)},
		{"for another current release", 422, string(fault.SequenceFork), order(b.by, "/w/notes/", all[2].ID, all[1].ID)},
		{"for no release", 404, "not_found", order(b.by, "/w/notes/", "000009-00000000", all[0].ID)},
		{"good", 200, "", good},
		{"a second time", 422, string(fault.SequenceFork), good},
	} {
		if got := b.call("POST", "/w/notes/.wb/rollback", token, c.text); got.status != c.status || got.code(t) != c.code {
			t.Errorf("%s: %d %s", c.name, got.status, got.text)
		}
	}
	if got := b.call("GET", "/w/notes/style.css", "", nil); got.text != "b{}" {
		t.Errorf("readers see %q", got.text)
	}
}

func TestConfig(t *testing.T) {
	for name, tenants := range map[string][]sites.Tenant{
		"short": {{Name: "a", Token: "short"}}, "the same": {{Name: "a", Token: token}, {Name: "b", Token: token}},
	} {
		if _, err := sites.New(sites.Config{Dir: t.TempDir(), Tenants: tenants}); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}
