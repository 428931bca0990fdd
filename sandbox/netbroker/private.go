package netbroker

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// PrivateCapability is the name of the grant for addresses of the user's own network.
const PrivateCapability = "net-private"

// grantable are the private address blocks that a user may grant parts of: those of
// organisations' own networks. Loopback, link-local addresses with the clouds'
// metadata, and multicast are not among them.
var grantable = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7"),
}

// metadata are addresses inside grantable blocks at which clouds hand out
// credentials.
var metadata = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200")}

// Local reports whether an address is this machine's own or one of a private network,
// and none at which clouds hand out credentials.
func Local(a netip.Addr) bool {
	return a.Zone() == "" && !slices.Contains(metadata, a) &&
		(a.IsLoopback() || slices.ContainsFunc(grantable, func(p netip.Prefix) bool { return p.Contains(a) }))
}

// ParsePrivateGrant reads the part of --grant net-private:RANGE after the colon:
// 10.1.0.0/16, or one address.
func ParsePrivateGrant(text string) (netip.Prefix, error) {
	fail := func(why string) (netip.Prefix, error) {
		return netip.Prefix{}, fmt.Errorf("grant %s:%s: %s; write %s:10.1.0.0/16", PrivateCapability, text, why, PrivateCapability)
	}
	p, err := netip.ParsePrefix(text)
	if a, errAddr := netip.ParseAddr(text); errAddr == nil && a.Zone() == "" {
		p, err = netip.PrefixFrom(a, a.BitLen()), nil
	}
	switch {
	case err != nil:
		return fail("is no range of addresses")
	case p.Masked() != p:
		return fail(fmt.Sprintf("has bits below its mask, as %s has not", p.Masked()))
	case !slices.ContainsFunc(grantable, func(g netip.Prefix) bool { return g.Bits() <= p.Bits() && g.Contains(p.Addr()) }):
		return fail("is no range of a private network")
	}
	return p, nil
}

// inRanges reports whether a private address was granted.
func (b *Broker) inRanges(a netip.Addr) bool {
	return a.Zone() == "" && !slices.Contains(metadata, a) &&
		slices.ContainsFunc(b.config.Ranges, func(p netip.Prefix) bool { return p.Contains(a) })
}

// privateGrant is the grant that would let an address through, "" when none does.
func privateGrant(a netip.Addr) string {
	p := netip.PrefixFrom(a, a.BitLen())
	if _, err := ParsePrivateGrant(p.String()); err != nil || slices.Contains(metadata, a) {
		return ""
	}
	return PrivateCapability + ":" + p.String()
}

// named reports whether a grant names an origin's host itself: private addresses are
// reached only so, never by net:* or net:*.example.com.
func (b *Broker) named(o Grant) bool {
	return slices.ContainsFunc(b.config.Allow, func(g Grant) bool { return !strings.Contains(g.Host, "*") && g.Allows(o) })
}

// proxyHint says why a proxy of the environment was not used, "" when there is none:
// it would look names up again, behind the checks.
func proxyHint(getenv func(string) string) string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if getenv(name) != "" {
			return name + " is not used for requests of blocks: a proxy would resolve the name again and bypass the address checks"
		}
	}
	return ""
}

// Hint says what may be in the way of a request that went out and failed.
func (e *FetchError) Hint() string {
	if !e.unreached {
		return ""
	}
	return proxyHint(os.Getenv)
}
