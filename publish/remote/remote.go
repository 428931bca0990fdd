// Package remote reads sites and did:web documents from servers. Servers on this
// machine are asked freely. Others are asked only when the user says so, and
// then through the same gate as everything that leaves the sandbox
// (wb/sandbox/netbroker): https, public addresses, one host, bounded answers.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"wb/publish/keys"
	"wb/publish/manifest"
	"wb/publish/verify"
	"wb/sandbox/netbroker"
)

// Bounds of what is read.
const (
	maxFile     = 256 << 20
	maxDocument = 1 << 20
	timeout     = time.Minute
)

// OfflineError says that a server of another machine would have to be asked.
type OfflineError struct{ URL string }

func (e *OfflineError) Error() string {
	return e.URL + " is not on this machine, and nothing else is asked unless you say so"
}

// Hint says how.
func (e *OfflineError) Hint() string { return "--online asks it" }

// ExitCode is that of what is not permitted.
func (e *OfflineError) ExitCode() int { return 7 }

// Loopback reports whether a host is this machine, by its name or address.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Direct gets with a client, which must not follow redirects.
func Direct(by *http.Client) verify.Getter {
	return func(ctx context.Context, at string) (int, []byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return 0, nil, err
		}
		resp, err := by.Do(req)
		if err != nil {
			return 0, nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.StatusCode, nil, nil
		}
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxFile+1))
		if err == nil && len(data) > maxFile {
			err = fmt.Errorf("%s: more than %d bytes", at, maxFile)
		}
		return resp.StatusCode, data, err
	}
}

// getter is how a server may be asked.
func getter(u *url.URL, online bool) (verify.Getter, error) {
	switch {
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s is no address that can be fetched", u)
	case Loopback(u.Hostname()):
		return Direct(&http.Client{Timeout: timeout, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}), nil
	case !online:
		return nil, &OfflineError{u.String()}
	case u.Scheme != "https":
		return nil, fmt.Errorf("%s: other machines are asked over https only", u)
	}
	port := 443
	if text := u.Port(); text != "" {
		var err error
		if port, err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	broker := netbroker.New(netbroker.Config{Allow: []netbroker.Grant{{Scheme: "https", Host: strings.ToLower(u.Hostname()), Port: port}},
		Limits: netbroker.Limits{Body: maxFile, Timeout: timeout}})
	return func(ctx context.Context, at string) (int, []byte, error) {
		reply, err := broker.Do(ctx, netbroker.Request{URL: at, Show: true})
		if err != nil {
			return 0, nil, err
		}
		if reply.Status != http.StatusOK {
			return reply.Status, nil, nil
		}
		return reply.Status, reply.Body, nil
	}, nil
}

// Site reads the files of the site at base that its manifest lists.
func Site(ctx context.Context, base string, online bool) (manifest.Files, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	get, err := getter(u, online)
	if err != nil {
		return nil, err
	}
	return verify.Fetch(ctx, base, get)
}

// History reads what the next release of the site at base goes on from.
func History(ctx context.Context, base string, online bool) (manifest.Files, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	get, err := getter(u, online)
	if err != nil {
		return nil, err
	}
	return verify.FetchHistory(ctx, base, get)
}

// Keys resolves a did:web to the did:keys that its document names. On this
// machine, where there are no certificates, plain http is asked.
func Keys(ctx context.Context, did string, online bool) ([]string, error) {
	u, err := keys.WebURL(did)
	if err != nil {
		return nil, err
	}
	if Loopback(u.Hostname()) {
		u.Scheme = "http"
	}
	get, err := getter(u, online)
	if err != nil {
		return nil, err
	}
	status, text, err := get(ctx, u.String())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", did, err)
	case status != http.StatusOK:
		return nil, fmt.Errorf("%s: HTTP %d at %s", did, status, u)
	case len(text) > maxDocument:
		return nil, errors.New(did + ": its document is too large")
	}
	return keys.ReadDocument(did, text)
}
