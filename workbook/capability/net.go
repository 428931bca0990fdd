package capability

import (
	"strings"

	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/workbook"
)

// web is a net broker for what was granted. What it refuses becomes an error of
// the dock, which records it: one refusal, one event.
func (h *Host) web(allow []netbroker.Grant, _ workbook.DockRequest) *netbroker.Broker {
	config := h.Net
	config.Allow = allow
	return netbroker.New(config)
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
