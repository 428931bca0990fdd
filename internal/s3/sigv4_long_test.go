//go:build long

package s3

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/sha"
)

// TestSigningSuite signs the requests of AWS's own test suite, the directory
// tests/aws-signing-test-suite/v4 of awslabs/aws-c-auth, which WB_SIGV4_SUITE names.
// Those whose paths a service other than S3 would rewrite are left out: S3 signs a path
// as it is sent.
func TestSigningSuite(t *testing.T) {
	dir := os.Getenv("WB_SIGV4_SUITE")
	if dir == "" {
		t.Skip("WB_SIGV4_SUITE names no checkout: just sigv4-suite")
	}
	cases, err := filepath.Glob(filepath.Join(dir, "*", "context.json"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	signed, left := 0, 0
	for _, file := range cases {
		read := func(name string) []byte {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		name := filepath.Base(filepath.Dir(file))
		var c struct {
			Credentials struct {
				Key     string `json:"access_key_id"`
				Secret  string `json:"secret_access_key"`
				Session string `json:"token"`
			}
			Region, Service string
			Timestamp       time.Time
			SignBody        bool `json:"sign_body"`
			OmitSession     bool `json:"omit_session_token"`
		}
		if err := json.Unmarshal(read("context.json"), &c); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "-normalized") || strings.Contains(name, "get-space") || name == "get-utf8" || c.OmitSession {
			left++
			continue
		}
		req := parseRequest(t, name, read("request.txt"))
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha.Hex(body)
		if c.SignBody {
			req.Header.Set("X-Amz-Content-Sha256", digest)
		}
		sign(req, digest, credentials{c.Credentials.Key, c.Credentials.Secret, c.Credentials.Session}, scope{c.Region, c.Service}, c.Timestamp)
		if got, want := req.Header.Get("Authorization"), strings.TrimSpace(string(read("header-signature.txt"))); !strings.HasSuffix(got, "Signature="+want) {
			t.Errorf("%s: %s, not %s", name, got, want)
			continue
		}
		signed++
	}
	t.Logf("%d requests of %d are signed alike, %d have paths that S3 does not rewrite", signed, len(cases), left)
}

// parseRequest reads a request of the suite, whose target may hold bytes that no
// client would send.
func parseRequest(t *testing.T, name string, text []byte) *http.Request {
	t.Helper()
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	head, body, _ := bytes.Cut(text, []byte("\n\n"))
	lines := bufio.NewScanner(bytes.NewReader(head))
	lines.Scan()
	first := strings.TrimSuffix(lines.Text(), " HTTP/1.1")
	method, target, _ := strings.Cut(first, " ")
	path, ask, _ := strings.Cut(target, "?")
	req := &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: ask}, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
	last := ""
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, " ") { // goes on
			values := req.Header[last]
			values[len(values)-1] += line
			continue
		}
		key, value, _ := strings.Cut(lines.Text(), ":")
		if last = http.CanonicalHeaderKey(key); last == "Host" {
			req.Host = value
			continue
		}
		req.Header.Add(last, value)
	}
	if req.Host == "" {
		t.Fatalf("%s: no host", name)
	}
	return req
}
