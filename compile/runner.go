package compile

import (
	"context"
	"time"

	"wb/internal/diag"
)

// Program is a block ready to be built and run.
type Program struct {
	// ID is the component it belongs to, for messages and records.
	ID     string
	Lane   Lane
	Source *Source
	// Job holds its inputs. The runner sets its Source.
	Job *Job
	// Placed hears where the program ran, before Built, when that is not this
	// process; nil need not.
	Placed func(where string)
	// Built hears of the build, once, before the program runs; nil need not.
	Built func(warnings []diag.Finding, took time.Duration)
}

// Runner brings about the outcome of programs, in this process or somewhere
// else (see package compile/remote). It is safe for concurrent use. What it
// returns is what [Lane.Build] and [Lane.Run] would: the same bytes, the same
// fuel, errors of the same types. With an error there may be an outcome, too: what
// the program had printed when it was stopped.
type Runner interface {
	Execute(ctx context.Context, p *Program) (*Outcome, error)
}

// Here runs programs in this process.
var Here Runner = here{}

type here struct{}

func (here) Execute(ctx context.Context, p *Program) (*Outcome, error) {
	start := time.Now()
	art, err := p.Lane.Build(ctx, p.Source)
	if err != nil {
		return nil, err
	}
	if p.Built != nil {
		p.Built(art.Warnings, time.Since(start))
	}
	job := *p.Job
	job.Source = p.Source
	return runKeeping(ctx, p.Lane, art, &job)
}

// Place is a Runner that holds something, such as processes, until it is closed.
type Place interface {
	Runner
	// Notes say what it lacks here, a line each.
	Notes() []string
	Close() error
}
