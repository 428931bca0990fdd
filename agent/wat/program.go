package wat

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"wb/agent"
	"wb/compile"
	"wb/compile/wat"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// Programs compiles programs and keeps them by their text, so that one that is
// run again, or stands in the catalog, is not compiled again. It is safe for
// concurrent use.
type Programs struct {
	Lanes *compile.Registry

	mu   sync.Mutex
	kept map[[32]byte]*sandbox.Module
}

// CompileError is a program that cannot be built; the model may mend it.
type CompileError struct{ Messages string }

func (e *CompileError) Error() string { return e.Messages }

// compile is a body as a module.
func (p *Programs) compile(ctx context.Context, engine *sandbox.Engine, body string) (*sandbox.Module, error) {
	assembled, err := Assemble(body)
	if err != nil {
		return nil, &CompileError{err.Error()}
	}
	key := sha256.Sum256([]byte(assembled.Text))
	p.mu.Lock()
	m := p.kept[key]
	p.mu.Unlock()
	if m != nil {
		return m, nil
	}
	lane, ok := p.Lanes.Lookup("wat")
	if !ok {
		return nil, fmt.Errorf("no assembler is available")
	}
	assembler, ok := compile.Unwrapped[wat.Assembler](lane)
	if !ok {
		return nil, fmt.Errorf("the wat lane cannot assemble programs")
	}
	wasm, messages, err := assembler.Assemble(ctx, assembled.Text)
	if err != nil {
		return nil, err
	}
	if messages != "" {
		return nil, &CompileError{placed(messages, assembled.Line)}
	}
	if m, err = engine.Compile(ctx, "program", wasm); err != nil {
		return nil, &CompileError{err.Error()}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[[32]byte]*sandbox.Module{}
	}
	p.kept[key] = m
	return m, nil
}

// place is where the assembler says a line of the whole module is.
var place = lazyregexp.New(`/?block\.wat:(\d+):(\d+)`)

// placed puts the assembler's lines where the body's are.
func placed(messages string, first int) string {
	messages = place.ReplaceAllStringFunc(messages, func(m string) string {
		parts := place.FindStringSubmatch(m)
		line, _ := strconv.Atoi(parts[1])
		return fmt.Sprintf("line %d:%s", line-first+1, parts[2])
	})
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(messages), "wat2wasm exited with code 1"))
}

// Run compiles a body and runs it. What the program gives is the output's text,
// whatever its exit code; the error is a *[CompileError] or that of a run that
// ended badly.
func (p *Programs) Run(ctx context.Context, host *Host, body string, args []string) (agent.Output, error) {
	m, err := p.compile(ctx, host.Engine, body)
	if err != nil {
		return agent.Output{}, err
	}
	limits := host.Limits
	if limits == (sandbox.Limits{}) {
		limits = DefaultLimits
	}
	c := &call{host: host, args: args}
	mark := host.State.Mark()
	in, err := host.Engine.Start(ctx, sandbox.Command{Module: m, Args: []string{"program"}, Host: c.modules(), Limits: limits})
	if err != nil {
		return agent.Output{}, err
	}
	defer in.Close(context.WithoutCancel(ctx))
	stack, err := in.Call(ctx, "run")
	out := agent.Output{BytesOut: c.sent, Taint: strings.Join(c.tainted, " ")}
	changes, treeErr := host.Files.Changes(ctx)
	out.Files, out.State = changes, host.State.Since(mark)
	if treeErr != nil {
		return out, treeErr
	}
	if err != nil {
		return out, err
	}
	exit := 0
	if len(stack) > 0 {
		exit = int(int32(uint32(stack[0])))
	}
	out.Exit = &exit
	out.Text = c.observed(Code(exit))
	return out, nil
}

// observed is the observation of a program that ran to its end.
func (c *call) observed(code Code) string {
	var lines []string
	for _, l := range c.logged {
		lines = append(lines, "[debug] "+l)
	}
	lines = append(lines, c.results...)
	if code != Success {
		line := fmt.Sprintf("exit code %d (%s)", code, code)
		if c.why != "" {
			line += ": " + c.why
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "(no results)"
	}
	return string(sandbox.Neutralize([]byte(strings.Join(lines, "\n"))))
}
