package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"wb/internal/clip"
)

// accessLog writes a line for each request that was answered, in the combined format
// that web servers write and log readers know:
//
//	127.0.0.1 - ada [22/Nov/2026:10:00:00 +0000] "GET /run/01K… HTTP/1.1" 200 5120 "-" "Mozilla/5.0 …"
//
// The third word is the tenant. Queries, which may say what somebody looked for, and
// tokens are not in it. It is safe for concurrent use.
type accessLog struct {
	now  func() time.Time
	warn func(error)

	mu     sync.Mutex
	to     io.Writer
	failed bool // it was said already
}

// logged answers requests and writes them down; a nil writer writes nothing.
func logged(to io.Writer, now func() time.Time, warn func(error), next http.Handler) http.Handler {
	if to == nil {
		return next
	}
	l := &accessLog{now: now, warn: warn, to: to}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := l.now()
		c := &counted{ResponseWriter: w}
		r = r.WithContext(withVisitor(r.Context(), &c.visitor))
		defer func() { l.write(r, c, began) }()
		next.ServeHTTP(c, r)
	})
}

func (l *accessLog) write(r *http.Request, c *counted, began time.Time) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	status, bytes := c.status, "-"
	if status == 0 {
		status = http.StatusOK
	}
	if c.bytes > 0 {
		bytes = strconv.FormatInt(c.bytes, 10)
	}
	line := fmt.Sprintf("%s - %s [%s] \"%s %s %s\" %d %s \"%s\" \"%s\"\n", orDash(host), orDash(c.visitor), began.Format("02/Jan/2006:15:04:05 -0700"),
		quotable(r.Method), quotable(r.URL.EscapedPath()), r.Proto, status, bytes, orDash(withoutQuery(r.Referer())), orDash(r.UserAgent()))
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := io.WriteString(l.to, line); err != nil && !l.failed && l.warn != nil {
		l.failed = true
		l.warn(fmt.Errorf("access log: %w", err))
	}
}

// quotable is text that can stand between quotes in a line: what could end either is
// written as \xHH, as web servers do.
func quotable(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == '"' || c == '\\' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return quotable(clip.Chars(text, 500))
}

func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// counted counts what is answered.
type counted struct {
	http.ResponseWriter
	status  int
	bytes   int64
	visitor string // the tenant, once it is known
}

func (c *counted) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap lets streams flush and WebSockets take the connection over.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }
