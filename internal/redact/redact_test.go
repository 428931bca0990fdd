package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"wb/internal/redact"
)

// No form of a secret stays, whatever stands around it.
func TestForms(t *testing.T) {
	secrets := []string{`sk-1234567890 "<&>"/é`, "other+key=12345678"}
	r := redact.New("[key]", 8, append(secrets, "short", "")...)
	for _, secret := range secrets {
		quoted, _ := json.Marshal(secret)
		for _, form := range []string{secret, string(quoted), url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)),
			strings.ToUpper(hex.EncodeToString([]byte(secret)))} {
			if got := r.Text("before " + form + " after"); got != "before [key] after" && got != `before "[key]" after` {
				t.Errorf("%q becomes %q", form, got)
			}
		}
		for pad := range 7 {
			for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
				text := coding.EncodeToString([]byte("user:12"[:pad] + secret + "\n"))
				got := r.Text(text)
				if !strings.Contains(got, "[key]") || len(got) > len(text)-len(secret)+10 {
					t.Errorf("%q becomes %q", text, got)
				}
			}
		}
	}
	if got := r.Text("a short word"); got != "a short word" {
		t.Errorf("short ones are taken out: %q", got)
	}
	if got := redact.New("[key]", 8).Text("same"); got != "same" {
		t.Error(got)
	}
}
