package verify_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"wb/internal/test/chromium"
	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/page"
)

// stand serves a page whose buttons verify, in place of its own bytes and of
// the site around it, those of the case at hand.
type stand struct {
	url  string
	mu   sync.Mutex
	page []byte
	site manifest.Files
}

func newStand(t *testing.T) *stand {
	html, _, err := page.Render(t.Context(), "stand.org", []byte("#+TITLE: Stand\nText.\n"), page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	html = []byte(strings.Replace(string(html), "<body>", `<body data-root="/site/">`, 1))
	s := &stand{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		path, onSite := strings.CutPrefix(r.URL.Path, "/site/")
		data, ok := s.site[path]
		switch {
		case onSite && !ok:
			http.NotFound(w, r)
		case onSite:
			_, _ = w.Write(data)
		case r.Header.Get("Sec-Fetch-Dest") == "document":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(html)
		default:
			_, _ = w.Write(s.page)
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *stand) show(c tampered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page, s.site = c.page, c.site
}

// fetched is what the Go verifier says of the site as the server gives it.
func (s *stand) fetched(t *testing.T) *verify.Report {
	files, err := verify.Fetch(t.Context(), s.url+"/site/", func(ctx context.Context, url string) (int, []byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, nil, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, body, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return verify.Site(files, verify.Options{})
}

// TestChromiumButtons gives the table to the buttons of a page in Chromium: they
// must name the codes that the Go verifier gives. Cases that need to be told
// something (a key that is wanted, what was seen before) are not for buttons.
func TestChromiumButtons(t *testing.T) {
	browser := chromium.Start(t)
	s := newStand(t)
	tab := browser.Open(t, s.url+"/page.html")
	const press = `new Promise((done) => {
		const out = document.querySelector("#wb-proof output");
		out.textContent = "";
		new MutationObserver((_, o) => {
			if (!/authentic|cannot/.test(out.textContent)) return;
			o.disconnect();
			done((out.dataset.code ?? "none") + " " + / is authentic/.test(out.textContent) + " " + out.textContent);
		}).observe(out, { childList: true, characterData: true, subtree: true });
		document.querySelectorAll("#wb-proof button")[%d].click();
	})`
	pages, sites := 0, 0
	codes := map[fault.Code]bool{}
	for _, c := range table(t) {
		if c.opts.Want != "" || c.opts.Keys != nil || c.opts.Heard != nil || c.opts.Known != nil || c.page == nil && c.site == nil {
			continue
		}
		s.show(c)
		button, want := 0, c.verify()
		if c.page != nil {
			pages++
		} else {
			button, want = 1, s.fetched(t)
			sites++
		}
		codes[want.Code] = true
		got := tab.Text(fmt.Sprintf(press, button))
		if !strings.HasPrefix(got, fmt.Sprintf("%s %v ", want.Code, want.Valid)) {
			t.Errorf("%s: %s: the button says %q, Go %q (%s)", c.label, c.name, got, want.Code, want.Message)
		}
	}
	if pages+sites < 60 || pages < 20 || sites < 20 || len(codes) < 20 {
		t.Errorf("only %d pages and %d sites with %d codes", pages, sites, len(codes))
	}
	t.Logf("%d pages, %d sites, %d codes", pages, sites, len(codes))
}
