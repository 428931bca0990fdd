// Package fetch reads sites and did:web documents from servers. Servers on this
// machine are asked freely. Others are asked only when the user says so, and
// then through the same gate as everything that leaves the sandbox
// (wb/sandbox/netbroker): https, public addresses, one host, bounded answers.
package fetch

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

	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/verify"
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
	return e.URL + " is on another machine, and the network is used only if you say so"
}

// Hint says how.
func (e *OfflineError) Hint() string { return "--online fetches it" }

// ExitCode is that of what is not permitted.
func (e *OfflineError) ExitCode() int { return diag.ExitForbidden }

// Loopback reports whether a host is this machine, by its name or address.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// UnreachableError is a server that does not answer.
type UnreachableError struct {
	Host string
	Err  error
}

func (e *UnreachableError) Error() string { return e.Host + " does not answer: " + e.Err.Error() }

// Unwrap is why.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Hint says what to look at.
func (e *UnreachableError) Hint() string { return "is a server running there, at that port?" }

// ExitCode is that of what is not available.
func (e *UnreachableError) ExitCode() int { return diag.ExitUnavailable }

// unreachable is the error of a request that had no answer.
func unreachable(ctx context.Context, at *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the address stands before it already
	}
	return &UnreachableError{at.Host, err}
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
			return 0, nil, unreachable(ctx, req.URL, err)
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
		return nil, fmt.Errorf("%s is not an address that can be fetched", u)
	case Loopback(u.Hostname()):
		return Direct(&http.Client{Timeout: timeout, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}), nil
	case !online:
		return nil, &OfflineError{u.String()}
	case u.Scheme != "https":
		return nil, fmt.Errorf("%s: other machines are contacted over https only", u)
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

// getterAt is the getter of an address that is still text.
func getterAt(at string, online bool) (verify.Getter, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	return getter(u, online)
}

// Site reads the files of the site at base that its manifest lists.
func Site(ctx context.Context, base string, online bool) (manifest.Files, error) {
	get, err := getterAt(base, online)
	if err != nil {
		return nil, err
	}
	return verify.Fetch(ctx, base, get)
}

// MissingError says that a server has no such file.
type MissingError struct {
	URL    string
	Status int
}

func (e *MissingError) Error() string { return fmt.Sprintf("%s: HTTP %d", e.URL, e.Status) }

// Hint says how sites are named.
func (e *MissingError) Hint() string { return "the address of a whole site must end in /" }

// ExitCode is that of what is not found.
func (e *MissingError) ExitCode() int { return diag.ExitNotFound }

// File reads one file, such as a page.
func File(ctx context.Context, at string, online bool) ([]byte, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	get, err := getter(u, online)
	if err != nil {
		return nil, err
	}
	u.Fragment = ""
	status, data, err := get(ctx, u.String())
	if err == nil && status != http.StatusOK {
		err = &MissingError{u.String(), status}
	}
	return data, err
}

// History reads what the next release of the site at base goes on from.
func History(ctx context.Context, base string, online bool) (manifest.Files, error) {
	get, err := getterAt(base, online)
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
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fault.New(fault.DIDUnavailable, "%v", err)
	case status != http.StatusOK:
		return nil, fault.New(fault.DIDUnavailable, "HTTP %d at %s", status, u)
	case len(text) > maxDocument:
		return nil, fault.New(fault.DIDDocument, "the document of %s is too large", did)
	}
	return keys.ReadDocument(did, text)
}

// Revoked reads what the server of a page or site says about revoked keys, nil
// when it says nothing.
func Revoked(ctx context.Context, at string, online bool) ([]*keys.Log, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	get, err := getter(u, online)
	if err != nil {
		return nil, err
	}
	status, text, err := get(ctx, u.ResolveReference(&url.URL{Path: "/" + manifest.RevokedPath}).String())
	if err != nil || status != http.StatusOK {
		return nil, err
	}
	return keys.ReadLogs(text)
}
