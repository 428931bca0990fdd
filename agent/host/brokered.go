package host

import (
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
		web, err := rt.network(d, events).configured(s.URL, netbroker.Limits{Body: 32 << 20, Timeout: agent.ToolTimeout})
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

// originOf grants the origin of an address and no other.
func originOf(address string) (netbroker.Grant, error) {
	u, err := url.Parse(address)
	if err != nil {
		return netbroker.Grant{}, err
	}
	return netbroker.ParseGrant(u.Scheme + "://" + u.Host)
}
