package netbroker

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
)

// canonicalHost is a host in lower case without the dot that may end a name.
func canonicalHost(host string) string {
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// localSuffixes are names that never lead into the public internet (RFC 6761,
// 6762, 8375 and what clouds use for themselves).
var localSuffixes = []string{"localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain", "onion"}

// checkHost refuses what is neither an address nor a name that public DNS could
// have. Names in other scripts are refused rather than translated: what stands
// for a dot or a digit in them would make an address behind the checks.
func checkHost(host string, allowLocal bool) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	switch {
	case !isASCII(host):
		return errors.New("the host is not ASCII; write it as xn--…")
	case len(host) > 253:
		return errors.New("the host is too long for a name")
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return errors.New("the host is not a name")
		}
		if strings.ContainsFunc(label, func(r rune) bool {
			return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
		}) {
			return errors.New("the host has a character that names cannot have")
		}
	}
	if !allowLocal && slices.ContainsFunc(localSuffixes, func(s string) bool { return host == s || strings.HasSuffix(host, "."+s) }) {
		return errors.New("the host is a name of a local network")
	}
	return nil
}
