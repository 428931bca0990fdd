package host

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"wb/agent"
	"wb/internal/diag"
	"wb/internal/nearest"
)

// TaskError is a task that cannot be meant.
type TaskError struct{ What, Help string }

func (e *TaskError) Error() string { return e.What }

// Hint says what to give.
func (e *TaskError) Hint() string { return e.Help }

// ExitCode is that of usage.
func (e *TaskError) ExitCode() int { return diag.ExitUsage }

// check refuses what cannot be meant before anything is recorded.
func (rt *Runtime) check(d *agent.Definition, task Task) error {
	switch {
	case strings.TrimSpace(task.Text) == "":
		return &TaskError{"the task is empty", "describe in words what the agent shall do"}
	case !utf8.ValidString(task.Text) || bytes.IndexByte([]byte(task.Text), 0) >= 0:
		return &TaskError{fmt.Sprintf("the task is not text (%d bytes)", len(task.Text)), "put the data in a file of the working directory and name it in the task"}
	case task.Limits.Steps < 0 || task.Limits.Wall < 0 || task.Limits.Tokens < 0 || task.Limits.USD < 0 || task.Limits.ToolCalls < 0:
		return &TaskError{"a bound is negative", ""}
	}
	if task.Session != "" {
		if _, err := rt.sessionPath(d.ID, task.Session); err != nil {
			return &TaskError{err.Error(), ""}
		}
	}
	for _, w := range d.Warnings {
		text := fmt.Sprintf("%s: %s", w.Pos, w.Message)
		if w.Hint != "" {
			text += "; " + w.Hint
		}
		rt.warn(fmt.Errorf("%s", text))
	}
	if _, err := rt.client(nil); err != nil { // without a model nothing begins
		return err
	}
	tree, err := agent.NewTree(task.Dir, false)
	if err != nil {
		return err
	}
	defer tree.Close()
	return rt.checkNames(d, task, tree, map[string]bool{})
}

// checkPolicy refuses a policy that names an unknown tool, since such a policy would
// protect nothing. Tools of documents are written own:NAME where the agent that runs
// does not have them.
func (rt *Runtime) checkPolicy(d *agent.Definition) error {
	for _, name := range rt.Settings.Policy.Approve {
		server, foreign := strings.CutPrefix(name, "mcp:")
		_, own := strings.CutPrefix(name, "own:")
		if own || slices.Contains(toolNames, name) || slices.Contains(d.Tools, name) || foreign && rt.knowsServer(d, server) || rt.knowsForeign(d, name) {
			continue
		}
		hint := "tools of the host are " + strings.Join(toolNames, ", ") + "; mcp:SERVER stands for all tools of a server, own:NAME for one of the document's"
		if near := nearest.Word(name, toolNames); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return &PolicyError{fmt.Sprintf("%s: policy.approve names %s, but no tool has that name", rt.Settings.Path, name), hint}
	}
	return nil
}

// PolicyError is a policy that cannot be meant.
type PolicyError struct{ What, Help string }

func (e *PolicyError) Error() string { return e.What }

// Hint says what to write.
func (e *PolicyError) Hint() string { return e.Help }

// ExitCode is that of usage.
func (e *PolicyError) ExitCode() int { return diag.ExitUsage }

// knowsServer reports whether an MCP server is configured, or named by the agent.
func (rt *Runtime) knowsServer(d *agent.Definition, server string) bool {
	_, configured := rt.Settings.MCP[server]
	return configured || slices.ContainsFunc(mcpNames(d), func(name string) bool {
		name, _, _ = strings.Cut(name, "=")
		return name == server
	})
}

// knowsForeign reports whether a name is that of a tool of an MCP server.
func (rt *Runtime) knowsForeign(d *agent.Definition, tool string) bool {
	rest, ok := strings.CutPrefix(tool, "mcp_")
	for i := range rest {
		if rest[i] == '_' && rt.knowsServer(d, rest[:i]) {
			return ok
		}
	}
	return false
}

// checkNames refuses an agent whose drawer names an unknown guard, tool or MCP server. It
// checks the agents that this one may ask, too.
func (rt *Runtime) checkNames(d *agent.Definition, task Task, tree *agent.Tree, seen map[string]bool) error {
	if seen[d.ID] {
		return nil
	}
	seen[d.ID] = true
	if _, err := rt.guard(d, task, nil); err != nil {
		return err
	}
	if d.Style == agent.StyleWat {
		return rt.checkAssembler(d)
	}
	all, err := rt.tools(d, task, tree, agent.Options{}, 0)
	if err != nil {
		return err
	}
	for _, name := range mcpNames(d) {
		if _, err := rt.mcpServer(d, task, name, nil); err != nil { // this contacts no server
			return err
		}
	}
	for _, t := range all {
		if m, ok := t.(*member); ok {
			if err := rt.checkNames(m.d, task, tree, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
