package host

import (
	"fmt"
	"slices"
	"strings"

	"wb/agent"
	"wb/agent/schedule"
	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/org"
	"wb/workbook"
)

// toolNames are the tools that a definition can name in any document. Some are
// there only in runs that have a session, a memory or a grant.
var toolNames = []string{"done", "edit", "fetch", "file_issue", "git", "image", "memory", "more", "publish", "run", "search", "shell", "state", "vfs_read", "vfs_write", "wb", "web_search"}

// Lint finds mistakes in the agents of a document: unknown properties, unknown tools, and
// schedules that cannot be read.
func Lint(file string, src []byte) []diag.Finding {
	if !strings.Contains(string(src), ":agent:") {
		return nil
	}
	all, found := agent.Definitions(org.Parse(src), file)
	if len(all) == 0 {
		return found
	}
	known := slices.Clone(toolNames)
	for _, d := range all {
		known = append(known, d.ID)
	}
	for _, c := range workbook.NewPlan(file, src).Components {
		known = append(known, toolNamesOf(c)...)
	}
	for _, d := range all {
		for _, name := range d.Tools {
			if !slices.Contains(known, name) && !strings.HasPrefix(name, "mcp:") {
				found = append(found, diag.Finding{Pos: d.ToolsPos, Severity: diag.Error, Code: "agent-tool",
					Message: fmt.Sprintf("agent %s uses the tool %s, but no tool has that name", d.ID, name), Hint: meant(name, known)})
			}
		}
		if d.Schedule == "" {
			continue
		}
		if _, err := schedule.Parse(d.Schedule); err != nil {
			found = append(found, diag.Finding{Pos: d.Pos, Severity: diag.Error, Code: "agent-schedule", Message: err.Error(),
				Hint: "five cron fields, @daily, @every 6h, or SCHEDULED with a timestamp"})
		}
	}
	return found
}

// toolNamesOf are the names by which an agent can have a component as a tool.
func toolNamesOf(c *workbook.Component) []string {
	names := []string{c.ID, c.Name}
	if _, short, ok := strings.Cut(c.ID, "/"); ok {
		names = append(names, short)
	}
	return names
}

// Called reports which components of a document its agents call: those give them
// their inputs.
func Called(file string, src []byte) func(*workbook.Component) bool {
	if !strings.Contains(string(src), ":agent:") {
		return nil
	}
	var tools []string
	all, _ := agent.Definitions(org.Parse(src), file)
	for _, d := range all {
		tools = append(tools, d.Tools...)
	}
	return func(c *workbook.Component) bool {
		return slices.ContainsFunc(toolNamesOf(c), func(name string) bool { return name != "" && slices.Contains(tools, name) })
	}
}

// meant is the name that was probably meant, as a hint.
func meant(name string, known []string) string {
	if near := nearest.Word(name, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "tools: " + strings.Join(known, " ")
}
