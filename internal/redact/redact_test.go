package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
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

// Nor does one that a command has turned around, spread out or dumped.
func TestTransformed(t *testing.T) {
	const secret = "sk-Live-1234567890abcdef"
	r := redact.New("[key]", 8, secret)
	letters := strings.Split(secret, "")
	backwards := slices.Clone(letters)
	slices.Reverse(backwards)
	var dump strings.Builder // as od -tx1 and hexdump -C print it
	for i, b := range []byte(secret) {
		if i%16 == 0 {
			fmt.Fprintf(&dump, "\n%07o", i)
		}
		fmt.Fprintf(&dump, " %02x", b)
	}
	for name, form := range map[string]string{"backwards": strings.Join(backwards, ""), "upper": strings.ToUpper(secret), "lower": strings.ToLower(secret),
		"spaced": strings.Join(letters, " "), "lines": strings.Join(letters, "\n"), "dump": dump.String()} {
		got := r.Text("before " + form + " after")
		if !strings.Contains(got, "[key]") || strings.Contains(got, "1234567890") || strings.Contains(got, "31 32 33") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
