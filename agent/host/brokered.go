package host

import (
	"net/netip"
	"net/url"
	"time"

	"wb/agent"
	"wb/agent/tools"
	"wb/sandbox/netbroker"
)

// brokered are the tools of the exec grant: the agent says what it wants, the
// host does one fixed thing.
func (rt *Runtime) brokered(d *agent.Definition, task Task, tree *agent.Tree, events agent.Recorder) ([]agent.Tool, error) {
	repo := tools.Repository{Dir: task.Dir, Tenant: rt.tenant(), User: rt.Getenv("WB_GIT_USER"), Token: rt.Getenv("WB_GIT_TOKEN"), Now: time.Now}
	all := []agent.Tool{tools.Git(repo), tools.Publish(tree, rt.Settings.Publish.WebRoot, rt.Settings.Path)}
	var provider *tools.ImageProvider
	if s := rt.Settings.Image; s.URL != "" {
		web, err := rt.configured(d, s.URL, events, netbroker.Limits{Body: 32 << 20, Timeout: agent.ToolTimeout})
		if err != nil {
			return nil, err
		}
		provider = &tools.ImageProvider{URL: s.URL, Model: s.Model, Web: web}
		for _, name := range []string{s.KeyEnv, "WB_IMAGE_KEY"} {
			if name != "" && provider.Key == "" {
				provider.Key = rt.Getenv(name)
			}
		}
	}
	return append(all, tools.Image(tree, provider)), nil
}

// tenant is who runs and commits are by.
func (rt *Runtime) tenant() string {
	if name := rt.Getenv("WB_TENANT"); name != "" {
		return name
	}
	return "default"
}

// configured is the network towards an endpoint that the user has configured:
// that origin and no other, which may be on this machine.
func (rt *Runtime) configured(d *agent.Definition, endpoint string, events agent.Recorder, limits netbroker.Limits) (*netbroker.Broker, error) {
	grant, err := originOf(endpoint)
	if err != nil {
		return nil, err
	}
	config := rt.netConfig(d, []netbroker.Grant{grant}, events)
	config.Limits = limits
	config.Private = func(netip.Addr) bool { return true }
	return netbroker.New(config), nil
}

// originOf grants the origin of an address and no other.
func originOf(address string) (netbroker.Grant, error) {
	u, err := url.Parse(address)
	if err != nil {
		return netbroker.Grant{}, err
	}
	return netbroker.ParseGrant(u.Scheme + "://" + u.Host)
}
