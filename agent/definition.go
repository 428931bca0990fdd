package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"wb/internal/diag"
	"wb/internal/slug"
	"wb/org"
)

// Definition is an agent as a document defines it: a headline tagged :agent:.
type Definition struct {
	ID      string
	Title   string
	Tagline string
	System  string
	Model   string // "" leaves the choice to the caller

	Tools    []string // names; none means every base tool
	Toolkits []string
	MCP      []string // servers: names the user has configured, or NAME=URL
	Exec     bool     // it asks for the exec tools; the host grants them

	Bounds      Bounds
	Allowance   Allowance // over all its runs
	WrapUp      WrapUp
	Temperature float64
	MaxTokens   int
	Reasoning   string // how long the model should reason, "" for the provider's default
	MaxRetries  int
	Repair      int // turns to mend an answer that does not fit Output
	Output      *Schema
	AllowHosts  []string
	Style       string // "tools" or "wat"
	Catalog     string // directory of programs, for the wat style
	SessionTTL  time.Duration
	Schedule    string // cron, or an active SCHEDULED timestamp; see package schedule
	SkipMissed  bool   // wakes that were slept through are not made up for
	Guard       string
	On          []Listener // hear every run of it
	Warnings    []diag.Finding

	Pos      diag.Position
	ToolsPos diag.Position // of :TOOLS:, where it has some

	counted bool // its drawer says how many steps it has
}

// DefaultSteps is how many steps an agent has whose drawer does not say it.
func (d *Definition) DefaultSteps(n int64) {
	if !d.counted {
		d.Bounds.Steps = n
	}
}

// The styles of agents.
const (
	StyleTools = "tools" // it calls tools
	StyleWat   = "wat"   // it writes programs
)

// Reasonings are how long a model may be asked to reason.
var Reasonings = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// WrapUp says what an agent may still do when it reaches a bound.
type WrapUp string

// The ways a bound may end a run.
const (
	WrapUpTurn WrapUp = "t"    // one more turn, without tools
	WrapUpLast WrapUp = "last" // the latest text is the result
	WrapUpNone WrapUp = "nil"  // the bound itself is the result
)

// The defaults of a definition.
const (
	DefaultSteps       = 12
	DefaultWall        = 60 * time.Second // of runs bounded by time
	DefaultTemperature = 0.4
	defaultRepair      = 1
	defaultRetries     = 2
	defaultSessionTTL  = time.Hour
)

// Default is the agent of `wb run "a sentence"`: bounded by time.
func Default() *Definition {
	return &Definition{ID: "wb", Title: "wb", System: defaultSystem, Bounds: Bounds{Wall: DefaultWall}, WrapUp: WrapUpTurn,
		Temperature: DefaultTemperature, MaxRetries: defaultRetries, Repair: defaultRepair, Style: "tools", SessionTTL: defaultSessionTTL}
}

const defaultSystem = `You work in a directory of org files and other text with the tools you are given. Look before you answer: list and read files, query them, run workbooks. When you have the answer, call done with it, short and exact. If something you need is missing, file an issue and carry on with what there is.`

// Definitions reads the agents of a document. Mistakes are placed in file; an
// agent with an error among them is left out.
func Definitions(doc *org.Document, file string) ([]*Definition, []diag.Finding) {
	var all []*Definition
	var found []diag.Finding
	for h := range doc.Headlines() {
		if !h.HasTag("agent") {
			continue
		}
		r := &definitionReader{doc: doc, h: h, file: file, d: Default()}
		r.read()
		found = append(found, r.found...)
		if !r.failed {
			r.d.Warnings = r.found
			all = append(all, r.d)
		}
	}
	return all, found
}

// definitionReader reads one headline.
type definitionReader struct {
	doc    *org.Document
	h      org.Headline
	file   string
	d      *Definition
	found  []diag.Finding
	failed bool

	bounded string // :BOUNDS:, which is applied to what the others have set
}

func (r *definitionReader) read() {
	d := r.d
	d.Pos = r.at(r.h.Node.Start())
	d.Title = strings.TrimSpace(r.h.Title.Text)
	d.ID = slug.Of(d.Title)
	d.Bounds = Bounds{Steps: DefaultSteps}
	for p := range r.h.Properties() {
		r.property(drawerProperty{strings.ToUpper(p.Key.Text), strings.TrimSpace(p.Value.Text), r.at(p.Key.Start)})
	}
	if d.Style == StyleWat {
		r.watDefaults()
	}
	if d.Schedule == "" {
		d.Schedule = scheduledAt(r.h)
	}
	r.bounds(r.bounded)
	d.System = r.system()
	if d.System == "" {
		r.found = append(r.found, diag.Finding{Pos: d.Pos, Severity: diag.Warning, Code: "agent-prompt", Message: fmt.Sprintf("agent %s has no system prompt", d.ID), Hint: "write it below a heading System prompt"})
	}
}

// watDefaults apply to agents that write programs where their drawer says
// nothing.
func (r *definitionReader) watDefaults() {
	if _, given := r.h.Property("MAX_STEPS"); !given {
		r.d.Bounds.Steps = 10
	}
	if _, given := r.h.Property("TEMPERATURE"); !given {
		r.d.Temperature = 0.3
	}
	if _, given := r.h.Property("MAX_TOKENS"); !given {
		r.d.MaxTokens = 4096
	}
}

// scheduledAt is an active SCHEDULED timestamp as package schedule reads it, "" where
// there is none.
func scheduledAt(h org.Headline) string {
	planning, ok := h.Planning()
	if !ok || !planning.Scheduled.Present() || !planning.Scheduled.Active || planning.Scheduled.Diary != "" {
		return ""
	}
	t := planning.Scheduled
	text := fmt.Sprintf("%04d-%02d-%02d", t.From.Year, t.From.Month, t.From.Day)
	if t.From.HasTime {
		text += fmt.Sprintf("T%02d:%02d", t.From.Hour, t.From.Minute)
	}
	if t.Repeat.Mark != "" {
		text += fmt.Sprintf(" %s%d%c", t.Repeat.Mark, t.Repeat.Count, t.Repeat.Unit)
	}
	return text
}

// bounds applies :BOUNDS:, which says whether steps or time bound the run.
func (r *definitionReader) bounds(text string) {
	d := r.d
	steps, wall := strings.Contains(text, "steps"), strings.Contains(text, "wall")
	switch {
	case text == "":
	case wall && !steps:
		d.Bounds.Steps = 0
		fallthrough
	case wall:
		if d.Bounds.Wall == 0 {
			d.Bounds.Wall = DefaultWall
		}
	case steps:
		d.Bounds.Wall = 0
	default:
		r.fail(d.Pos, fmt.Sprintf(":BOUNDS: %s: expected steps or wall", text), "")
	}
}

// system is the text under the agent's "System prompt" heading, with what is
// below it, else the agent's own text.
func (r *definitionReader) system() string {
	if prompt, ok := promptBelow(r.h); ok {
		return strings.TrimSpace(r.doc.Text(org.Span{Start: prompt.Body().Start, End: prompt.End()}))
	}
	return strings.TrimSpace(r.doc.Text(r.h.Body()))
}

// promptBelow finds the heading of the prompt at any depth below an agent.
func promptBelow(h org.Headline) (org.Headline, bool) {
	for sub := range h.Subs() {
		if strings.EqualFold(strings.TrimSpace(sub.Title.Text), "system prompt") {
			return sub, true
		}
		if prompt, ok := promptBelow(sub); ok {
			return prompt, true
		}
	}
	return org.Headline{}, false
}

// output finds the block with the JSON Schema of the result.
func (r *definitionReader) output(pos diag.Position, name string) {
	block, ok := r.doc.BlockNamed(name)
	if !ok {
		r.fail(pos, fmt.Sprintf(":OUTPUT: %s: no block has that name", name), "give the json block that holds the schema this #+NAME:")
		return
	}
	schema, err := NewSchema([]byte(block.Code()))
	if err != nil {
		r.fail(r.at(block.Body.Start), err.Error(), "")
		return
	}
	r.d.Output = schema
}

func (r *definitionReader) at(offset int) diag.Position {
	line, col := r.doc.Position(offset)
	return diag.Position{File: r.file, Line: line, Col: col}
}

func (r *definitionReader) fail(pos diag.Position, message, hint string) {
	r.failed = true
	r.found = append(r.found, diag.Finding{Pos: pos, Severity: diag.Error, Code: "agent", Message: message, Hint: hint})
}

// Fingerprint names an agent by what it is made of: the same model, prompt and
// tools give the same name in every process.
func (d *Definition) Fingerprint() string {
	text, _ := json.Marshal([]any{d.Model, d.System, d.Tools, d.Toolkits})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// named is d, or where it has no id, as happens to agents that no document
// defines, d named by its fingerprint with the tools it is given.
func (d *Definition) named(tools []Tool) *Definition {
	if d.ID != "" {
		return d
	}
	whole := *d
	whole.Tools = nil
	for _, t := range tools {
		whole.Tools = append(whole.Tools, t.Spec().Name)
	}
	whole.ID, whole.Tools = "agent-"+whole.Fingerprint(), d.Tools
	return &whole
}

// Schema is a JSON Schema (2020-12) that results are checked against.
type Schema struct {
	text     json.RawMessage
	resolved *jsonschema.Resolved
}

// NewSchema reads a schema.
func NewSchema(text []byte) (*Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("JSON Schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("JSON Schema: %w", err)
	}
	return &Schema{text: json.RawMessage(text), resolved: resolved}, nil
}

// Check reads text as JSON, with or without a code fence around it, and says
// what does not fit.
func (s *Schema) Check(text string) (json.RawMessage, error) {
	data := []byte(unfenced(text))
	var instance any
	if err := json.Unmarshal(data, &instance); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if err := s.resolved.Validate(instance); err != nil {
		return nil, err
	}
	return data, nil
}

// unfenced takes a Markdown code fence off, which models like to add.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "```") {
		return text
	}
	_, text, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
}

// OutputSchema is the schema of results, nil where the document says none.
func (d *Definition) OutputSchema() json.RawMessage {
	if d.Output == nil {
		return nil
	}
	return d.Output.text
}

// fits says what is wrong with a result.
func (r *run) fits(text string) error {
	if r.agent.Output == nil {
		return nil
	}
	if _, err := r.agent.Output.Check(text); err != nil {
		return fmt.Errorf("the result does not fit its schema: %s", oneLine(err.Error()))
	}
	return nil
}

// check says what is wrong with a result, in words for the model; "" when
// nothing is.
func (r *run) check(text string) string {
	err := r.fits(text)
	if err == nil {
		return ""
	}
	return err.Error() + ". Answer again with JSON that does, and nothing else."
}

// checkAnswer is check for an answer in words, which must have some.
func (r *run) checkAnswer(text string) string {
	if r.agent.Output == nil && strings.TrimSpace(text) == "" {
		return "Your answer is empty. Say in words what you found or did, or call a tool."
	}
	return r.check(text)
}

// dataOf is the structured form of a result.
func (r *run) dataOf(text string) []byte {
	if r.agent.Output == nil {
		return nil
	}
	data, _ := r.agent.Output.Check(text)
	return data
}

// repair reports whether the agent may try again to give a fitting result.
func (r *run) repair() bool {
	if r.repairs <= 0 {
		return false
	}
	r.repairs--
	return true
}
