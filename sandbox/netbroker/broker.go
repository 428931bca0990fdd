package netbroker

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says what a broker may do. The zero Config allows nothing.
type Config struct {
	// Allow are the origins that may be reached.
	Allow []Grant
	// Revoked is asked before every request and may take everything back; nil
	// never does.
	Revoked func() bool
	Limits  Limits
	// Denied is told of every request that was refused; nil is silent.
	Denied func(*DeniedError)

	// Resolve finds the addresses of a host; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that passed; nil uses the system's network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Private lets addresses through that are not public. Only tests and an
	// operator's own configuration set it, never a document or its grants.
	Private func(netip.Addr) bool
	// Ranges are private addresses that the user granted (--grant net-private:RANGE),
	// for hosts that a grant names and no wildcard. Loopback and link-local addresses
	// are never among them.
	Ranges []netip.Prefix
	// TLS is the configuration for https; nil is the default.
	TLS *tls.Config
}

// Limits bound one request; zero fields have the values of [DefaultLimits].
type Limits struct {
	Body      int64         // bytes of a reply, decompressed
	Request   int64         // bytes of a request's body
	Header    int64         // bytes of a reply's header
	Redirects int           // followed at most
	Timeout   time.Duration // from the call to the last byte
	Calls     int           // requests a minute, redirects counted
}

// DefaultLimits bound a request that says nothing else.
var DefaultLimits = Limits{Body: 16 << 20, Request: 1 << 20, Header: 64 << 10, Redirects: 5, Timeout: 10 * time.Second, Calls: 120_000}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	if l.Body > 0 {
		d.Body = l.Body
	}
	if l.Request > 0 {
		d.Request = l.Request
	}
	if l.Header > 0 {
		d.Header = l.Header
	}
	if l.Redirects > 0 {
		d.Redirects = l.Redirects
	}
	if l.Timeout > 0 {
		d.Timeout = l.Timeout
	}
	if l.Calls > 0 {
		d.Calls = l.Calls
	}
	return d
}

// Broker makes requests for one principal. It is safe for concurrent use.
type Broker struct {
	config Config
	limits Limits
	now    func() time.Time

	mu     sync.Mutex
	window time.Time // the minute that calls are counted in
	calls  int
}

// New makes a broker.
func New(config Config) *Broker {
	return &Broker{config: config, limits: config.Limits.withDefaults(), now: time.Now}
}

// Request is an HTTP request.
type Request struct {
	Method string // "" is GET
	URL    string
	Header http.Header
	Body   []byte
	// Stay refuses redirects to another origin: the request holds what only
	// this one may see.
	Stay bool
	// Show answers with a redirect, without its body, instead of following it.
	Show bool
}

// Reply is an answer, whatever its status.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	URL    string // after redirects
}

// Get asks for a URL.
func (b *Broker) Get(ctx context.Context, url string, header http.Header) (*Reply, error) {
	return b.Do(ctx, Request{URL: url, Header: header})
}

// Do makes a request and follows redirects. It returns a *[DeniedError] for
// what is not allowed, a *[LimitError] for what is too much and a
// *[FetchError] for what failed on its way.
func (b *Broker) Do(ctx context.Context, r Request) (*Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limits.Timeout)
	defer cancel()
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, &FetchError{URL: "request", Err: errors.New("is no URL")} // the text may hold a secret
	}
	if !slices.Contains(methods, r.Method) {
		return nil, b.deny(u, "the method must be one of "+strings.Join(methods, ", "), "")
	}
	if int64(len(r.Body)) > b.limits.Request {
		return nil, &LimitError{shown(u), "request", b.limits.Request}
	}
	for hop := 0; ; hop++ {
		if hop > b.limits.Redirects {
			return nil, &LimitError{shown(u), "redirects", int64(b.limits.Redirects)}
		}
		reply, next, err := b.hop(ctx, u, r)
		if err != nil || next == nil || r.Show {
			return reply, err
		}
		if !sameOrigin(u, next) {
			if r.Stay {
				return nil, b.deny(next, "the redirect leads to another origin, which the request may not reach", "")
			}
			r.Header = anywhere(r.Header)
		}
		if reply.Status == http.StatusSeeOther || r.Method == http.MethodPost && (reply.Status == http.StatusMovedPermanently || reply.Status == http.StatusFound) {
			if r.Method != http.MethodHead {
				r.Method = http.MethodGet
			}
			r.Body = nil
			r.Header.Del("Content-Type")
		}
		u = next
	}
}

// methods are those that requests may have: none that opens a tunnel or makes a
// server show what it was sent.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// anywhere are the headers that may follow a redirect to another origin: any
// other could carry a credential.
func anywhere(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"} {
		if values := h.Values(name); len(values) > 0 {
			out[name] = values
		}
	}
	return out
}

func sameOrigin(a, b *url.URL) bool {
	x, errA := originOf(a)
	y, errB := originOf(b)
	return errA == nil && errB == nil && x == y
}

// hop makes one request without following redirects; next is where one points.
func (b *Broker) hop(ctx context.Context, u *url.URL, r Request) (*Reply, *url.URL, error) {
	origin, err := b.permit(u)
	if err != nil {
		return nil, nil, err
	}
	addresses, err := b.resolve(ctx, u, origin)
	if err != nil {
		return nil, nil, err
	}
	u.RawQuery = strings.ReplaceAll(u.RawQuery, " ", "%20") // it would end the request line
	request, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, nil, &FetchError{URL: shown(u), Err: errors.New("is not a request that can be made")}
	}
	request.Header = cleanHeader(r.Header)
	transport := b.transport(addresses)
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, nil, &FetchError{URL: shown(u), Err: b.reason(ctx, err), unreached: true}
	}
	defer response.Body.Close()
	reply := &Reply{Status: response.StatusCode, Header: response.Header, URL: u.String()}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil, &FetchError{URL: shown(u), Err: errors.New("the server switched protocols without being asked")}
	}
	if next, ok := redirect(u, response); ok {
		return reply, next, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, b.limits.Body+1))
	if int64(len(body)) > b.limits.Body {
		return nil, nil, &LimitError{shown(u), "body", b.limits.Body}
	}
	if err != nil {
		return nil, nil, &FetchError{URL: shown(u), Err: b.reason(ctx, err)}
	}
	reply.Body = body
	return reply, nil, nil
}

// reason says that time was up instead of what broke because of it.
func (b *Broker) reason(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("time limit %v exceeded: %w", b.limits.Timeout, context.DeadlineExceeded)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// permit checks what can be checked without the network.
func (b *Broker) permit(u *url.URL) (Grant, error) {
	origin, err := originOf(u)
	if err != nil {
		return origin, b.deny(u, err.Error(), "")
	}
	return origin, b.permitOrigin(u, origin)
}

// permitOrigin is the part of permit that all schemes share.
func (b *Broker) permitOrigin(u *url.URL, origin Grant) error {
	hostErr := checkHost(origin.Host, b.config.Private != nil || len(b.config.Ranges) > 0)
	switch {
	case b.config.Revoked != nil && b.config.Revoked():
		return b.deny(u, "the grant was revoked", "")
	case u.User != nil:
		return b.deny(u, "the URL names a user", "")
	case hostErr != nil:
		return b.deny(u, hostErr.Error(), "")
	case !slices.ContainsFunc(b.config.Allow, func(g Grant) bool { return g.Allows(origin) }):
		if a, err := netip.ParseAddr(origin.Host); err == nil && !PublicAddress(a) && privateGrant(a) == "" {
			return b.deny(u, "not granted", "") // and no grant would help
		}
		return b.deny(u, "not granted", origin.String())
	case !b.count():
		return &LimitError{shown(u), "calls", int64(b.limits.Calls)}
	}
	return nil
}

// count reports whether another request fits into this minute.
func (b *Broker) count() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); now.Sub(b.window) >= time.Minute {
		b.window, b.calls = now, 0
	}
	b.calls++
	return b.calls <= b.limits.Calls
}

// resolve finds the addresses of a host, with the port. One address that is not public refuses
// the request, whatever the others are.
func (b *Broker) resolve(ctx context.Context, u *url.URL, origin Grant) (checked []string, err error) {
	var addresses []netip.Addr
	if a, parseErr := netip.ParseAddr(origin.Host); parseErr == nil {
		addresses = []netip.Addr{a}
	} else if looksNumeric(origin.Host) { // 127.1, 0x7f.1, 2130706433: what some resolvers take for addresses
		return nil, b.deny(u, "the host is a number that is not an address", "")
	} else {
		resolve := b.config.Resolve
		if resolve == nil {
			resolve = systemResolve
		}
		if addresses, err = resolve(ctx, origin.Host); err != nil {
			return nil, &FetchError{URL: shown(u), Err: b.reason(ctx, err), unreached: true}
		}
	}
	if len(addresses) == 0 {
		return nil, &FetchError{URL: shown(u), Err: errors.New("the host has no address")}
	}
	for _, a := range addresses {
		if !PublicAddress(a) && (b.config.Private == nil || !b.config.Private(a.Unmap())) && !(b.named(origin) && b.inRanges(a)) {
			return nil, b.deny(u, fmt.Sprintf("address %s is not public", a), privateGrant(a))
		}
		checked = append(checked, net.JoinHostPort(a.String(), strconv.Itoa(origin.Port)))
	}
	return checked, nil
}

func systemResolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for i, a := range addresses {
		addresses[i] = a.Unmap() // the system writes IPv4 addresses so
	}
	return addresses, err
}

// looksNumeric reports whether the last label of a host is a number, which no
// name's is.
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return !strings.ContainsFunc(hex, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	}
	return last != "" && !strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' })
}

// transport connects to the first of the addresses that answers and to nothing
// else, whatever the URL's host is by now.
func (b *Broker) transport(addresses []string) *http.Transport {
	return &http.Transport{
		Proxy: nil, // a proxy would resolve the host again
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return b.dial(ctx, network, addresses)
		},
		TLSClientConfig:        b.tlsConfig(),
		MaxResponseHeaderBytes: b.limits.Header,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

// cleanHeader drops the headers that belong to the connection, not to the
// caller.
func cleanHeader(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range []string{"Host", "Expect", "Http2-Settings", "Proxy-Authorization", "Proxy-Authenticate", "Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Accept-Encoding"} {
		out.Del(name)
	}
	if out.Get("User-Agent") == "" {
		out.Set("User-Agent", "wb")
	}
	return out
}

func redirect(u *url.URL, response *http.Response) (*url.URL, bool) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	next, err := u.Parse(response.Header.Get("Location"))
	if err != nil || response.Header.Get("Location") == "" {
		return nil, false
	}
	return next, true
}

func (b *Broker) deny(u *url.URL, reason, grant string) error {
	e := &DeniedError{shown(u), reason, grant}
	if b.config.Denied != nil {
		b.config.Denied(e)
	}
	return e
}

// shown is a URL as it may stand in a message: without user and query, which
// may be secret.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Names reports whether a grant names the host of a URL, alone or as a domain:
// what --grant net:* allows, it does not name.
func (b *Broker) Names(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	origin, err := originOf(u)
	return err == nil && slices.ContainsFunc(b.config.Allow, func(g Grant) bool { return g.Host != "*" && g.Allows(origin) })
}
