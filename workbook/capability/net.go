package capability

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/workbook"
)

// web is a net broker for what was granted. What it refuses becomes an error of
// the dock, which records it: one refusal, one event.
func (h *Host) web(allow []netbroker.Grant, granted []string) *netbroker.Broker {
	config := h.Net
	config.Allow = allow
	config.Ranges = privateRanges(granted)
	return netbroker.New(config)
}

// privateRanges are the addresses of net-private:RANGE.
func privateRanges(granted []string) []netip.Prefix {
	var ranges []netip.Prefix
	for _, g := range granted {
		if scope, ok := strings.CutPrefix(g, netbroker.PrivateCapability+":"); ok {
			if p, err := netbroker.ParsePrivateGrant(scope); err == nil {
				ranges = append(ranges, p)
			}
		}
	}
	return ranges
}

// netGrants are the origins of net:HOST; net alone is every public host.
func netGrants(granted []string) []netbroker.Grant {
	var allow []netbroker.Grant
	for _, g := range granted {
		if grants.Capability(g) != "net" {
			continue
		}
		if g == "net" {
			return anyHost()
		}
		if grant, err := netbroker.ParseGrant(strings.TrimPrefix(g, "net:")); err == nil {
			allow = append(allow, grant)
		}
	}
	return allow
}

// publicWeb are the origins of browse: every public host, or those it names.
func publicWeb(granted []string) []netbroker.Grant {
	var allow []netbroker.Grant
	for _, g := range granted {
		name, scope, narrowed := strings.Cut(g, ":")
		if name != "browse" {
			continue
		}
		if !narrowed {
			return anyHost()
		}
		for _, scheme := range []string{"https://", "http://"} {
			if grant, err := netbroker.ParseGrant(scheme + scope); err == nil {
				allow = append(allow, grant)
			}
		}
	}
	return allow
}

// anyHost are the web's own ports on any host; the floor keeps private ones out.
func anyHost() []netbroker.Grant {
	return []netbroker.Grant{{Scheme: "https", Host: "*", Port: 443}, {Scheme: "http", Host: "*", Port: 80}}
}

// socketGrants are the addresses of tcp:HOST:PORT and the like; tcp alone is
// every public one.
func socketGrants(network string, granted []string) []netbroker.Grant {
	var allow []netbroker.Grant
	for _, g := range granted {
		name, scope, narrowed := strings.Cut(g, ":")
		switch {
		case name != network:
		case !narrowed:
			return []netbroker.Grant{netbroker.AnySocket(network)}
		default:
			if grant, err := netbroker.ParseSocketGrant(network, scope); err == nil {
				allow = append(allow, grant)
			}
		}
	}
	return allow
}

// beforeEnd is how long before its own time limit a component stops serving, so
// that it can end well.
const beforeEnd = 500 * time.Millisecond

// serving says how a component may serve: within its own time. Where it listens
// is among the events, and told to who started the run.
func (h *Host) serving(want workbook.DockRequest) broker.ServeConfig {
	config := broker.ServeConfig{Started: func(call *dock.Call, address string) {
		if h.Notice != nil {
			scheme := map[string]string{"serve": "http", "tcpserve": "tcp"}[call.Operation.Module]
			h.Notice(fmt.Sprintf("%s serves at %s://%s", want.Component, scheme, address))
		}
		if want.Used != nil {
			want.Used(call.Operation.String(), address)
		}
	}}
	if want.Limits.Timeout > 0 {
		config.Time = max(want.Limits.Timeout-beforeEnd, want.Limits.Timeout/2)
	}
	return config
}
