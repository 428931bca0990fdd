package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os/exec"
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
	for name, form := range map[string]string{"backwards": strings.Join(backwards, ""), "upper": strings.ToUpper(secret), "lower": strings.ToLower(secret),
		"spaced": strings.Join(letters, " "), "lines": strings.Join(letters, "\n"), "wide": strings.Join(letters, "   ")} {
		if got := r.Text("before " + form + " after"); got != "before [key] after" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Nor one in what the tools of this machine dump, wherever the lines break.
func TestDumps(t *testing.T) {
	const secret = "sk-Live-1234567890abcdef"
	r := redact.New("[key]", 8, secret)
	for _, command := range []string{"od -An -tx1", "od -tx1", "od -tx1z", "od -c", "od -An -c", "od -x", "od -An -x", "hexdump", "hexdump -C", "xxd", "xxd -p", "xxd -c 5", "xxd -i", "xxd -u -g 1"} {
		args := strings.Fields(command)
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("without %s", args[0])
			continue
		}
		for before := range 17 {
			dump := exec.Command(args[0], args[1:]...)
			dump.Stdin = strings.NewReader(strings.Repeat("#", before) + secret + "#\n")
			text, err := dump.Output()
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			got := r.Text(string(text))
			for i := range len(secret) - 4 { // five letters in a row, as they are or as bytes
				part := secret[i : i+5]
				if strings.Contains(got, part) || strings.Contains(strings.Join(strings.Fields(got), ""), hex.EncodeToString([]byte(part))) {
					t.Errorf("%s after %d bytes leaves %q:\n%s\nof\n%s", command, before, part, got, text)
					break
				}
			}
			if !strings.Contains(got, "[key]") {
				t.Errorf("%s after %d bytes: %s", command, before, got)
			}
		}
	}
}
