package sites_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"wb/internal/test/chromium"
	"wb/proof/manifest"
	"wb/serve/sites"
)

// TestSandbox: in a browser a page of a site may use its site, a worker and
// WebCrypto, as pages that verify and run themselves do, and neither storage nor
// anything else of the server.
func TestSandbox(t *testing.T) {
	browser := chromium.Start(t)
	b := newBench(t, sites.Quota{})
	files := b.sign(manifest.Files{
		"data.txt": []byte("hi"),
		"index.html": []byte(`<!doctype html><html lang="en"><head><title>x</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; ` +
			`connect-src 'self'; worker-src blob:"></head><body><p id="out"></p><script type="module" src="x.mjs"></script></body></html>`),
		"x.mjs": []byte(`const said = [];
const attempt = async (name, work) => { try { said.push(name + " " + (await work())); } catch { said.push("no " + name); } };
await attempt("site", async () => (await fetch("data.txt")).text());
await attempt("storage", () => { localStorage.x = 1; return "works"; });
await attempt("server", async () => (await fetch("/w/notes/.wb/releases", { credentials: "include" })).status);
await attempt("worker", () => new Promise((ok, no) => {
  const w = new Worker(URL.createObjectURL(new Blob(["postMessage(40 + 2)"], { type: "text/javascript" })));
  w.onmessage = (m) => ok(m.data);
  w.onerror = no;
}));
await attempt("crypto", async () => (await crypto.subtle.digest("SHA-256", new Uint8Array())).byteLength);
await attempt("origin", () => self.origin);
document.getElementById("out").textContent = said.join(", ") + ".";
`)})
	if got := b.upload("/w/notes/", token, files); got.status != 200 {
		t.Fatalf("%+v", got)
	}
	page := browser.Open(t, b.http.URL+"/w/notes/")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	said := ""
	for !strings.HasSuffix(said, ".") && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		said, _ = page.Eval(`document.getElementById("out").textContent`).(string)
	}
	if want := "site hi, no storage, no server, worker 42, crypto 32, origin null."; said != want {
		t.Errorf("the page may: %s\nwant: %s", said, want)
	}
}
