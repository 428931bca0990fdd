package host

import (
	"net/url"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/tools"
	"wb/internal/trace"
	"wb/sandbox/netbroker"
)

// web is the network as an agent may reach it: public hosts, narrowed by its
// :ALLOW_HOSTS:. What is refused is an event.
func (rt *Runtime) web(d *agent.Definition, events agent.Recorder) (*netbroker.Broker, error) {
	grants, err := tools.PublicGrants(d.AllowHosts)
	if err != nil {
		return nil, err
	}
	return rt.broker(d, grants, events), nil
}

// webOr is the network towards an address that a document gives: the user's grant of
// its very origin opens it wherever it is, as for a server on this machine; else it is
// the public web.
func (rt *Runtime) webOr(d *agent.Definition, task Task, u *url.URL, events agent.Recorder) (*netbroker.Broker, error) {
	origin, err := originOf(u.String())
	if err != nil {
		return nil, err
	}
	held := task.Grants
	if rt.Ceiling != nil {
		held = rt.Ceiling(held)
	}
	for _, grant := range held {
		scope, ok := strings.CutPrefix(grant, "net:")
		if granted, err := netbroker.ParseGrant(scope); ok && err == nil && granted == origin {
			config := rt.netConfig(d, []netbroker.Grant{origin}, events)
			config.Private = netbroker.Local
			return netbroker.New(config), nil
		}
	}
	return rt.web(d, events)
}

func (rt *Runtime) broker(d *agent.Definition, grants []netbroker.Grant, events agent.Recorder) *netbroker.Broker {
	return netbroker.New(rt.netConfig(d, grants, events))
}

// netConfig is the network with grants; refusals are events.
func (rt *Runtime) netConfig(d *agent.Definition, grants []netbroker.Grant, events agent.Recorder) netbroker.Config {
	config := rt.Net
	config.Allow = grants
	if began := time.Now(); rt.Revoked != nil {
		config.Revoked = func() bool { return rt.Revoked(d.ID, "net", began) }
	}
	config.Denied = func(denied *netbroker.DeniedError) {
		if events != nil {
			_ = events.Emit(trace.Event{Kind: trace.KindDenial, Agent: d.ID, Tool: "net", Error: denied.Error()})
		}
	}
	return config
}

// webSearch is the user's search provider: WB_SEARCH_URL with {query} in it,
// whose answer is JSON. Its host is the user's choice, so it may be any.
func (rt *Runtime) webSearch(provider string, d *agent.Definition, events agent.Recorder) (agent.Tool, error) {
	web, err := rt.configured(d, provider, events, netbroker.Limits{})
	if err != nil {
		return nil, err
	}
	return tools.WebSearch(&tools.SearchProvider{URL: provider, Key: rt.Getenv("WB_SEARCH_KEY"), Web: web}), nil
}
