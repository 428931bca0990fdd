package plan

import (
	"wb/compile"
)

// LangAgent is the language of components that are agents: headings tagged :agent:
// that declare ports, whose drawer and text define the agent, and blocks of this
// language, whose text is the model's prompt.
const LangAgent = "agent"

// shapeAgent is how values reach an agent: its input is the task, its answer the
// output.
const shapeAgent compile.Shape = "agent"

// AgentArguments are the header arguments of a block that is an agent, besides its
// ports: the properties of the same names that a heading's drawer has.
var AgentArguments = []string{"model", "tools", "toolkits", "mcp", "max-steps", "timeout-ms", "budget-tokens", "budget-usd", "budget-tool-calls",
	"bounds", "wrap-up", "temperature", "max-tokens", "allow-hosts", "guard"}

// IsAgent reports whether the component is an agent. In a file of Emacs' a block of
// this language is one that nothing runs.
func (c *Component) IsAgent() bool { return c.Lang == LangAgent && c.Dialect != DialectBabel }

// agentHeading makes a heading that declares ports and is tagged :agent: an agent.
func (b *builder) agentHeading(c *Component, h *heading) {
	c.Lang, c.Shape = LangAgent, shapeAgent
	c.Body = b.doc.Text(h.Node.Span())
	c.Uses = append(c.Uses, "llm")
}
