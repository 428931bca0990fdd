package host

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/tools"
	"wb/internal/trace"
	"wb/sandbox/netbroker"
)

// network is the network as an agent may reach it. What it refuses is an event.
type network struct {
	rt     *Runtime
	d      *agent.Definition
	events agent.Recorder
}

func (rt *Runtime) network(d *agent.Definition, events agent.Recorder) network {
	return network{rt, d, events}
}

// public opens public hosts, narrowed by the agent's :ALLOW_HOSTS:.
func (n network) public() (*netbroker.Broker, error) {
	grants, err := tools.PublicGrants(n.d.AllowHosts)
	if err != nil {
		return nil, err
	}
	return n.broker(grants...), nil
}

// towards opens an address that a document gives: the user's grant of its very origin
// opens it wherever it is, as for a server on this machine; else it must be public.
func (n network) towards(u *url.URL, task Task) (*netbroker.Broker, error) {
	origin, err := originOf(u.String())
	if err != nil {
		return nil, err
	}
	held := task.Grants
	if n.rt.Ceiling != nil {
		held = n.rt.Ceiling(held)
	}
	for _, grant := range held {
		scope, ok := strings.CutPrefix(grant, "net:")
		if granted, err := netbroker.ParseGrant(scope); ok && err == nil && granted == origin {
			config := n.config(origin)
			config.Private = netbroker.Local
			return netbroker.New(config), nil
		}
	}
	return n.public()
}

// configured opens an endpoint that the user has configured: that origin and no other,
// which may be on this machine.
func (n network) configured(endpoint string, limits netbroker.Limits) (*netbroker.Broker, error) {
	grant, err := originOf(endpoint)
	if err != nil {
		return nil, err
	}
	config := n.config(grant)
	config.Limits = limits
	config.Private = func(netip.Addr) bool { return true }
	return netbroker.New(config), nil
}

func (n network) broker(grants ...netbroker.Grant) *netbroker.Broker {
	return netbroker.New(n.config(grants...))
}

func (n network) config(grants ...netbroker.Grant) netbroker.Config {
	config := n.rt.Net
	config.Allow = grants
	if began := time.Now(); n.rt.Revoked != nil {
		config.Revoked = func() bool { return n.rt.Revoked(n.d.ID, "net", began) }
	}
	config.Denied = func(denied *netbroker.DeniedError) {
		if n.events != nil {
			_ = n.events.Emit(trace.Event{Kind: trace.KindDenial, Agent: n.d.ID, Tool: "net", Error: denied.Error()})
		}
	}
	return config
}

// search is the user's search provider: WB_SEARCH_URL with {query} in it,
// whose answer is JSON. Its host is the user's choice, so it may be any.
func (n network) search(provider string) (agent.Tool, error) {
	web, err := n.configured(provider, netbroker.Limits{})
	if err != nil {
		return nil, err
	}
	return tools.WebSearch(&tools.SearchProvider{URL: provider, Key: n.rt.Getenv("WB_SEARCH_KEY"), Web: web}), nil
}
