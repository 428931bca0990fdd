package app_test

import (
	"testing"

	"wb/app"
)

func TestInside(t *testing.T) {
	for text, want := range map[string]string{
		":WORKBOOK: /srv/ada/notes/a.org": ":WORKBOOK: notes/a.org",
		"/srv/ada/a.org:3:1: no":          "a.org:3:1: no",
		`{"path":"/srv/ada/a b.txt"}`:     `{"path":"a b.txt"}`,
		"/srv/ada/.wb/x":                  ".wb/x",
		"in /srv/ada":                     "in .",
		"in /srv/ada. And /srv/ada, too":  "in .. And ., too",
		"/srv/ada /srv/ada/x":             ". x",
		"/srv/adaline/x":                  "/srv/adaline/x",
		"/srv/ada.org":                    "/srv/ada.org",
		"/srv/ada-2/x /srv/adaé":          "/srv/ada-2/x /srv/adaé",
		"/backup/srv/ada/x":               "/backup/srv/ada/x",
		"nothing":                         "nothing",
	} {
		if got := app.Inside(text, "/srv/ada"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := app.Inside("/etc/passwd", "/"); got != "/etc/passwd" {
		t.Errorf("of the root: %q", got)
	}
}
