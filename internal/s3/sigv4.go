package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"wb/internal/sha"
)

// credentials are whoever asks.
type credentials struct{ key, secret, session string }

// scope is what a signature holds for.
type scope struct{ region, service string }

// sign adds to a request what Signature Version 4 of AWS asks for: its time, the
// session of the credentials and a signature of the method, the address, all headers
// and the digest of the body. Paths are signed as they are sent, as S3 has it.
func sign(req *http.Request, digest string, who credentials, s scope, at time.Time) {
	stamp := at.UTC().Format("20060102T150405Z")
	day := stamp[:8]
	req.Header.Set("X-Amz-Date", stamp)
	if who.session != "" {
		req.Header.Set("X-Amz-Security-Token", who.session)
	}
	headers := map[string]string{"host": req.Host}
	for name, values := range req.Header {
		for i, v := range values {
			values[i] = strings.Join(strings.Fields(v), " ")
		}
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	names := slices.Sorted(maps.Keys(headers))
	var canonical strings.Builder
	for _, part := range []string{req.Method, escapedPath(req.URL), query(req.URL)} {
		canonical.WriteString(part + "\n")
	}
	for _, name := range names {
		canonical.WriteString(name + ":" + headers[name] + "\n")
	}
	signed := strings.Join(names, ";")
	canonical.WriteString("\n" + signed + "\n" + digest)

	within := strings.Join([]string{day, s.region, s.service, "aws4_request"}, "/")
	message := strings.Join([]string{"AWS4-HMAC-SHA256", stamp, within, sha.Hex(canonical.String())}, "\n")
	key := []byte("AWS4" + who.secret)
	for _, part := range []string{day, s.region, s.service, "aws4_request", message} {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(part))
		key = h.Sum(nil)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+who.key+"/"+within+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(key))
}

// query is the query of an address, sorted and escaped as signatures have it.
func query(u *url.URL) string {
	var pairs [][]string
	for name, values := range u.Query() {
		for _, v := range values {
			pairs = append(pairs, []string{escape(name, ""), escape(v, "")})
		}
	}
	slices.SortFunc(pairs, slices.Compare) // by name, which may begin another one
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p[0] + "=" + p[1])
	}
	return b.String()
}

// escapedPath is the path of an address as signatures have it.
func escapedPath(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return escape(u.Path, "/")
}

// escape writes all bytes but those that RFC 3986 reserves for nothing, and those of
// keep, as %XX.
func escape(text, keep string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~"+keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
	}
	return b.String()
}
