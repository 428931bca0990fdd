package toolchain

import (
	"cmp"
	"context"

	"wb/internal/diag"
)

// offline is an origin that the user can give what the network would.
type offline interface {
	// check says what is wrong with job.From.
	check(ctx context.Context, job *Job) error
}

// Check says at once what would keep [Depot.Install] from installing a toolchain with
// these options, however much must be installed before it: a name that nobody
// knows, a place for sources that is none, an archive that is another one.
func (s *Depot) Check(ctx context.Context, name string, progress Progress, opts Options) error {
	r, err := s.recipe(name)
	if err != nil {
		return err
	}
	if err := cmp.Or(opts.Sources, s.sources).check(); err != nil || opts.From == "" {
		return err
	}
	origin, ok := r.Origin.(offline)
	if !ok {
		return diag.Usagef(r.command(), "toolchain %s takes no archive: wb builds it of its own sources", name)
	}
	return origin.check(ctx, s.job(r, "", orSilent(progress), opts))
}

func (n NPM) check(_ context.Context, job *Job) error { return n.verify(job.Tool, job.From) }

func (s Source) check(ctx context.Context, job *Job) error {
	_, err := s.open(ctx, job)
	return err
}
