package toolkit

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/org"
	"wb/proof/keys"
	"wb/sandbox"
)

// Check is one thing that was looked at.
type Check struct {
	Label string `json:"label"`
	OK    bool   `json:"ok"`
	Why   string `json:"why,omitempty"`
}

func (c Check) String() string {
	mark := "✓"
	if !c.OK {
		mark = "✗"
	}
	if c.Why == "" {
		return mark + " " + c.Label
	}
	return mark + " " + c.Label + ": " + c.Why
}

// OK reports whether all checks passed.
func OK(checks []Check) bool {
	return !slices.ContainsFunc(checks, func(c Check) bool { return !c.OK })
}

// Eval runs the evals of a toolkit: each heading :eval: in evals/*.org has a
// :CMD: with a command of the toolkit and its arguments, an example block for
// its standard input, and #+EXPECT: lines with what must be in its output.
func (t *Toolkit) Eval(ctx context.Context, lanes *compile.Registry, grants []string) ([]Check, error) {
	files, err := fs.Glob(os.DirFS(t.Dir), "evals/*.org")
	if err != nil {
		return nil, err
	}
	checks := []Check{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		doc := org.Parse(text)
		for h := range doc.Headlines() {
			if h.HasTag("eval") {
				checks = append(checks, t.evaluate(ctx, lanes, doc, h, strings.TrimSuffix(path.Base(name), ".org"), grants))
			}
		}
	}
	return checks, ctx.Err()
}

func (t *Toolkit) evaluate(ctx context.Context, lanes *compile.Registry, doc *org.Document, h org.Headline, file string, grants []string) Check {
	c := Check{Label: file + ": " + strings.TrimSpace(h.Title.Text)}
	line, _ := h.Property("CMD")
	words := compile.Words(line)
	section := doc.Text(org.Span{Start: h.Start(), End: h.End()})
	expected := keywords(org.Parse([]byte(section)), "EXPECT")
	switch {
	case len(words) == 0:
		c.Why = "it has no :CMD:"
		return c
	case len(expected) == 0:
		c.Why = "it has no #+EXPECT:"
		return c
	}
	var stdin string
	for b := range doc.Blocks(org.KindExampleBlock) {
		if b.Start() >= h.Start() && b.Start() < h.End() {
			stdin = strings.TrimSuffix(b.Code(), "\n") + "\n"
			break
		}
	}
	out, err := t.Run(ctx, lanes, words[0], Call{Args: words[1:], Stdin: strings.NewReader(stdin), Files: sandbox.NewMemFS(), Grants: grants})
	if err != nil {
		c.Why = err.Error()
		return c
	}
	printed := string(out.Stdout)
	for _, want := range expected {
		if !strings.Contains(printed, want) {
			c.Why = fmt.Sprintf("the output has no %q: %q", want, printed)
			return c
		}
	}
	if out.Exit != 0 {
		c.Why = fmt.Sprintf("it exited with %d: %s", out.Exit, strings.TrimSpace(string(out.Stderr)))
		return c
	}
	c.OK = true
	return c
}

// Judge decides whether a key may have signed, by the key log that came along
// (nil for none) and whatever else is known of its identity. It gives the log that
// counts, nil when there is none.
type Judge func(issuer string, log []byte) (*keys.Log, error)

// Verify looks at a toolkit without running it: its parts are there, its
// commands compile, and if it is signed, nothing was changed since and the key
// may sign.
func (t *Toolkit) Verify(ctx context.Context, lanes *compile.Registry, judge Judge) []Check {
	checks := []Check{
		{Label: "manifest has a tagline", OK: t.Tagline != ""},
		{Label: "skill overview", OK: slices.Contains(t.Skills, "overview")},
	}
	for _, name := range t.Skills {
		c := Check{Label: "skill " + name + " says when to use it"}
		text, err := t.Skill(name)
		if c.OK = err == nil && strings.Contains(strings.ToLower(text), "when to use"); !c.OK {
			c.Why = "no heading When to use"
		}
		checks = append(checks, c)
	}
	for _, command := range t.Commands {
		c := Check{Label: "command " + command.Name + " compiles", OK: true}
		if _, _, err := command.build(ctx, lanes); err != nil {
			c.OK, c.Why = false, err.Error()
		}
		checks = append(checks, c)
	}
	return append(checks, t.checkSignature(judge))
}

func (t *Toolkit) checkSignature(judge Judge) Check {
	s, err := t.Signature()
	if err == ErrNoSignature {
		return Check{Label: "not signed", OK: true}
	}
	if err != nil {
		return Check{Label: "signature", Why: err.Error()}
	}
	log, err := judge(s.DID, s.Keys)
	if err != nil {
		return Check{Label: "signature", Why: err.Error()}
	}
	c := Check{Label: "signed by " + s.DID, OK: true}
	if log != nil && log.Identity() != s.DID {
		c.Label += ", a key of " + log.Identity()
	}
	if log != nil && log.Current() != s.DID {
		c.Label += ", which was replaced by " + log.Current()
	}
	return c
}
