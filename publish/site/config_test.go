package site

import "testing"

func TestAddress(t *testing.T) {
	for _, c := range []struct{ text, url, base string }{
		{"#+PUBLISH_URL: https://example.org", "https://example.org/", "/"},
		{"#+PUBLISH_URL: https://example.org/a/b", "https://example.org/a/b/", "/a/b/"},
		{"#+PUBLISH_DOMAIN: example.org", "https://example.org/", "/"},
		{"#+PUBLISH_DOMAIN: example.org\n#+PUBLISH_BASE_PATH: docs", "https://example.org/docs/", "/docs/"},
		{"#+PUBLISH_BASE_PATH: /docs", "", "/docs/"},
		{"#+PUBLISH_URL: https://example.org/docs/\n#+PUBLISH_BASE_PATH: docs/", "https://example.org/docs/", "/docs/"},
	} {
		got, found := ReadConfig(Named{"publish.org", []byte(c.text)})
		if got.URL != c.url || got.BasePath != c.base || len(found) > 0 {
			t.Errorf("%s: %q, %q, %v", c.text, got.URL, got.BasePath, found)
		}
	}
}

func TestEdit(t *testing.T) {
	for _, c := range []struct{ url, page, want string }{
		{"", "a.org", ""},
		{"https://example.org/edit/{path}?ref=main", "", ""},
		{"https://example.org/edit/{path}", "a b/c.org", "https://example.org/edit/a%20b/c.org"},
		{"https://example.org/edit", "a.org", "https://example.org/edit/a.org"},
	} {
		got, _ := ReadConfig(Named{"publish.org", []byte("#+PUBLISH_EDIT_URL: " + c.url)})
		if e := got.Edit(c.page); c.page != "" && e != c.want {
			t.Errorf("%s of %s: %q", c.url, c.page, e)
		}
	}
}

func TestSecretNames(t *testing.T) {
	for name, value := range map[string]string{"PUBLISH_TOKEN": "x", "MY_API_KEY": "", "A_SECRET": "", "CF_ACCOUNT": "", "DB_PASSWORD": "", "X_CREDENTIAL": "",
		"PUBLISH_PROJECT": "abcdef0123456789abcdef0123456789ab", "PUBLISH_TITLE": "id=ABCDEF0123456789ABCDEF0123456789"} {
		if _, bad := secretIn(name, value); !bad {
			t.Errorf("%s: %q passes", name, value)
		}
	}
	for name, value := range map[string]string{"PUBLISH_TITLE": "Keys and tokens", "PUBLISH_URL": "https://example.org/0123456789abcdef", "PUBLISH_PROJECT": "key"} {
		if text, bad := secretIn(name, value); bad {
			t.Errorf("%s: %q: %s", name, value, text)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"index.html", "a.html", "a.html"},
		{"a/b.html", "a/c.html", "c.html"},
		{"a/b.html", "index.html", "../index.html"},
		{"a/b/c.html", "a/d/e.html", "../d/e.html"},
		{"a.html", "x y/é.html", "x%20y/%C3%A9.html"},
		{"a.html", "b:c.html", "./b:c.html"},
	} {
		if got := relative(c.from, c.to); got != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestISODate(t *testing.T) {
	for text, want := range map[string]string{"2026-11-21": "2026-11-21T00:00:00Z", "2026-11-21 Sat 10:30": "2026-11-21T10:30:00Z",
		"[2026-11-21 Sat 10:30]": "2026-11-21T10:30:00Z", "<2025-01-02 Thu>--<2025-01-03 Fri 09:00>": "2025-01-02T00:00:00Z",
		"2026-13-01": "", "yesterday": "", "": "", "21.11.2026": ""} {
		if got := isoDate(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// FuzzConfig reads arbitrary configurations: no value of a secret may come
// back in a message, and paths keep their slashes.
func FuzzConfig(f *testing.F) {
	f.Add("#+PUBLISH_URL: https://example.org/a\n#+PUBLISH_BASE_PATH: a")
	f.Add("#+PUBLISH_API_TOKEN: hunter2")
	f.Add("* A\n- [[a.org]]\n- [[../b.org][B]]")
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := ReadConfig(Named{"publish.org", []byte(text)})
		if c.BasePath == "" || c.BasePath[0] != '/' || c.BasePath[len(c.BasePath)-1] != '/' {
			t.Errorf("base path %q", c.BasePath)
		}
		readNav(Named{"site.org", []byte(text)})
	})
}
