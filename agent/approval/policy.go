package approval

import (
	"fmt"
	"slices"
	"strings"
)

// Policy says which calls of an agent need a person.
type Policy struct {
	// Taint says what needs a person once the run has read text that somebody
	// else wrote: TaintEffects, TaintEgress or TaintAllow; "" is TaintEffects.
	Taint string
	// Sources are whose text counts, by the first word of its label: "web",
	// "mcp", "file". Without any they are web and mcp.
	Sources []string
	// Tools need a person in any case.
	Tools []string
}

// What needs a person after a run has read untrusted text.
const (
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
	if !slices.Contains([]string{"", TaintEffects, TaintEgress, TaintAllow}, p.Taint) {
		return fmt.Errorf("taint is effects, egress or allow, not %q", p.Taint)
	}
	for _, s := range p.Sources {
		if !slices.Contains([]string{"web", "mcp", "file"}, s) {
			return fmt.Errorf("sources are web, mcp and file, not %q", s)
		}
	}
	return nil
}

// Needed says why a call of a tool needs a person, "" when it does not.
func (p Policy) Needed(tool string, taint []string) string {
	if slices.Contains(p.Tools, tool) {
		return "the policy asks for approval of " + tool
	}
	if !p.guarded(tool) {
		return ""
	}
	sources := p.Sources
	if len(sources) == 0 {
		sources = []string{"web", "mcp"}
	}
	var read []string
	for _, label := range taint {
		if kind, _, _ := strings.Cut(label, ":"); slices.Contains(sources, kind) {
			read = append(read, label)
		}
	}
	if len(read) == 0 {
		return ""
	}
	return "the run has read text from outside: " + strings.Join(read, " ")
}

// guarded reports whether the policy holds a tool back from tainted runs.
func (p Policy) guarded(tool string) bool {
	switch p.Taint {
	case "", TaintEffects:
		return slices.Contains(effects, tool)
	case TaintEgress:
		return slices.Contains(effects, tool) || slices.Contains(egress, tool) || strings.HasPrefix(tool, "mcp_")
	}
	return false
}
