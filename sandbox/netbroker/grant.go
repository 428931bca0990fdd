package netbroker

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Grant is an origin that may be reached: scheme, host and port must all be
// the same. Host "*" is any host, "*.example.com" any name below example.com.
type Grant struct {
	Scheme string // http or https; tcp, udp or tls for an [Exchange]
	Host   string // lower case, without port
	Port   int    // 0, for exchanges, is any
}

// ParseGrant reads the part of --grant net:HOST after "net:". A bare host is
// https on port 443; the scheme and the port may be written out:
//
//	api.example.com   http://intranet.example.com:8080   *.example.com
func ParseGrant(text string) (Grant, error) {
	fail := func(why string) (Grant, error) {
		return Grant{}, fmt.Errorf("grant net:%s: %s; write net:HOST, net:HOST:PORT or net:SCHEME://HOST:PORT", text, why)
	}
	full := text
	if !strings.Contains(full, "://") {
		full = "https://" + full
	}
	u, err := url.Parse(full)
	switch {
	case err != nil:
		return fail("is not an origin")
	case u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fail("is not an origin")
	}
	o, err := originOf(u)
	if err != nil {
		return fail(err.Error())
	}
	return o, nil
}

// originOf is the origin of a URL, with the port its scheme has by default.
func originOf(u *url.URL) (Grant, error) {
	g := Grant{Scheme: strings.ToLower(u.Scheme), Host: canonicalHost(u.Hostname())}
	switch g.Scheme {
	case "https":
		g.Port = 443
	case "http":
		g.Port = 80
	default:
		return g, fmt.Errorf("scheme %q is not http or https", u.Scheme)
	}
	if g.Host == "" {
		return g, fmt.Errorf("no host")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return g, fmt.Errorf("port %q is not between 1 and 65535", port)
		}
		g.Port = int(n)
	}
	return g, nil
}

// Allows reports whether the grant covers an origin.
func (g Grant) Allows(o Grant) bool {
	if g.Scheme != o.Scheme || g.Port != o.Port && g.Port != 0 {
		return false
	}
	below, wild := strings.CutPrefix(g.Host, "*.")
	switch {
	case g.Host == "*":
		return true
	case wild:
		_, err := netip.ParseAddr(o.Host)
		return err != nil && strings.HasSuffix(o.Host, "."+below)
	}
	return g.Host == o.Host
}

// String is the grant as --grant takes it.
func (g Grant) String() string {
	host := g.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch {
	case slices.Contains(Networks, g.Scheme) && g.Port == 0:
		return g.Scheme + ":" + host + ":*"
	case slices.Contains(Networks, g.Scheme):
		return fmt.Sprintf("%s:%s:%d", g.Scheme, host, g.Port)
	case g.Scheme == "https" && g.Port == 443:
		return "net:" + host
	case g.Scheme == "https":
		return fmt.Sprintf("net:%s:%d", host, g.Port)
	case g.Scheme == "http" && g.Port == 80:
		return "net:http://" + host
	}
	return fmt.Sprintf("net:%s://%s:%d", g.Scheme, host, g.Port)
}
