package s3

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"wb/internal/sha"
)

// TestSignature signs the first two examples of Amazon's documentation, "Signature
// Calculations for the Authorization Header".
func TestSignature(t *testing.T) {
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	who := credentials{key: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	for _, c := range []struct{ method, url, body, header, value, want string }{
		{"GET", "https://examplebucket.s3.amazonaws.com/test.txt", "", "Range", "bytes=0-9", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "", "", "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		req := &http.Request{Method: c.method, URL: u, Host: u.Host, Header: http.Header{}}
		digest := sha.Hex(c.body)
		req.Header.Set("X-Amz-Content-Sha256", digest)
		if c.header != "" {
			req.Header.Set(c.header, c.value)
		}
		sign(req, digest, who, scope{"us-east-1", "s3"}, at)
		if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+c.want) {
			t.Errorf("%s %s: %s", c.method, c.url, got)
		}
	}
}
