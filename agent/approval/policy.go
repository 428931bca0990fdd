package approval

import (
	"fmt"
	"slices"
	"strings"
)

// Policy says which calls of an agent need a person.
type Policy struct {
	// Taint says what needs a person once the run has read text that somebody
	// else wrote: TaintOutside, TaintEffects, TaintEgress or TaintAllow; "" is
	// TaintOutside.
	Taint string
	// Sources are whose text counts, by the first word of its label: "web",
	// "mcp", "file". Without any they are web and mcp.
	Sources []string
	// Tools need a person in any case; mcp:SERVER are all tools of a server.
	Tools []string
}

// What needs a person after a run has read untrusted text.
const (
	TaintOutside = "outside" // what has effects or carries words of the agent's own outside
	TaintEffects = "effects" // git and publish: what others will see
	TaintEgress  = "egress"  // these and whatever sends to the network
	TaintAllow   = "allow"   // nothing
)

var (
	effects = []string{"git", "publish"}
	egress  = []string{"fetch", "web_search", "image"}
)

// Check says what is wrong with a policy.
func (p Policy) Check() error {
	if !slices.Contains([]string{"", TaintOutside, TaintEffects, TaintEgress, TaintAllow}, p.Taint) {
		return fmt.Errorf("taint must be outside, effects, egress or allow, not %q", p.Taint)
	}
	for _, s := range p.Sources {
		if !slices.Contains([]string{"web", "mcp", "file"}, s) {
			return fmt.Errorf("sources must be web, mcp or file, not %q", s)
		}
	}
	return nil
}

// Call is a tool call for a policy to decide on.
type Call struct {
	Tool string
	// Reads says that the tool changes nothing, as far as is known.
	Reads bool
	// Composed says that the call carries words outside which the run has not read
	// as they are: what it read in private may be among them.
	Composed bool
	Taint    []string // where text came from that somebody else wrote
}

// Needed says why a call needs a person, "" when it does not.
func (p Policy) Needed(c Call) string {
	if slices.ContainsFunc(p.Tools, func(name string) bool { return names(name, c.Tool) }) {
		return "the policy asks for approval of " + c.Tool
	}
	if !p.guarded(c) {
		return ""
	}
	sources := p.Sources
	if len(sources) == 0 {
		sources = []string{"web", "mcp"}
	}
	var read []string
	for _, label := range c.Taint {
		if kind, _, _ := strings.Cut(label, ":"); slices.Contains(sources, kind) {
			read = append(read, label)
		}
	}
	if len(read) == 0 {
		return ""
	}
	return "the run has read untrusted text from outside: " + strings.Join(read, " ")
}

// names reports whether a name of the policy means a tool.
func names(name, tool string) bool {
	if server, ok := strings.CutPrefix(name, "mcp:"); ok {
		return strings.HasPrefix(tool, "mcp_"+server+"_")
	}
	return strings.TrimPrefix(name, "own:") == tool
}

// guarded reports whether the policy holds a call back from tainted runs.
func (p Policy) guarded(c Call) bool {
	foreign := strings.HasPrefix(c.Tool, "mcp_")
	switch p.Taint {
	case "", TaintOutside:
		return slices.Contains(effects, c.Tool) || foreign && !c.Reads || c.Tool == "fetch" && c.Composed
	case TaintEffects:
		return slices.Contains(effects, c.Tool)
	case TaintEgress:
		return slices.Contains(effects, c.Tool) || slices.Contains(egress, c.Tool) || foreign
	}
	return false
}
