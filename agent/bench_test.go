package agent_test

import (
	"context"
	"fmt"
	"testing"

	"wb/agent"
	"wb/internal/trace"
)

// parrot is a model that answers at once: a call of echo, turn after turn, and
// at the end of done.
type parrot struct{ turns int }

func (p *parrot) Complete(_ context.Context, _ agent.Request, _ func(string)) (agent.Reply, error) {
	p.turns--
	call := agent.ToolCall{ID: fmt.Sprint("call-", p.turns), Name: "echo", Args: `{"text":"a line of output as tools give it"}`}
	if p.turns <= 0 {
		call.Name = "done"
	}
	return agent.Reply{Message: agent.Message{Role: agent.RoleAssistant, Content: "I look.", ToolCalls: []agent.ToolCall{call}}, Finish: "tool_calls",
		Usage: trace.Usage{TokensIn: 100, TokensOut: 10}}, nil
}

// effecting is echo as a tool whose calls must be announced on disk.
var effecting = function{"echo", false, echo.call}

// contained is echo as a tool that changes nothing outside the run.
type contained struct{ function }

func (contained) Contained() bool { return true }

// BenchmarkStep is what a step costs besides model and tool: bounds, transcript
// and, where it is recorded, the journal and the events. A run waits for the
// disk before each effect, "effects"; calls that only read or stay in the run,
// "reads", do not make it wait.
func BenchmarkStep(b *testing.B) {
	const steps = 40
	for _, c := range []struct {
		name     string
		tool     agent.Tool
		recorded bool
	}{{"loop", echo, false}, {"reads", contained{echo}, true}, {"effects", effecting, true}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				d := agent.Default()
				d.Bounds, d.Model = agent.Bounds{Steps: steps, Tokens: 1 << 30, ToolCalls: 1 << 20}, "m"
				opts := agent.Options{Agent: d, Task: "do it", Model: &parrot{steps}, Tools: []agent.Tool{c.tool, done}, RunID: "r1"}
				var close func()
				if c.recorded {
					opts, close = recording(b, opts)
				}
				r := agent.Run(b.Context(), opts)
				if r.Status != agent.StatusDone || r.Steps != steps {
					b.Fatalf("%s after %d steps: %s", r.Status, r.Steps, r.Error)
				}
				if c.recorded {
					close()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*steps), "µs/step")
		})
	}
}

// recording gives a run a journal and records on disk.
func recording(b *testing.B, opts agent.Options) (agent.Options, func()) {
	b.StopTimer()
	defer b.StartTimer()
	dir := b.TempDir()
	state := trace.NewState(b.TempDir())
	run, err := trace.Begin(trace.Config{Files: trace.FilesIn(dir), State: state}, trace.RunInfo{Agent: "wb"})
	if err != nil {
		b.Fatal(err)
	}
	journal, err := state.OpenJournal(run.ID())
	if err != nil {
		b.Fatal(err)
	}
	opts.Events, opts.Journal, opts.RunID = run, journal, run.ID()
	return opts, func() {
		b.StopTimer()
		defer b.StartTimer()
		if err := journal.Close(); err != nil {
			b.Fatal(err)
		}
		if err := run.End(trace.Outcome{Status: "done"}); err != nil {
			b.Fatal(err)
		}
	}
}
