package compile

import (
	"context"
	"sync"
)

// partial remembers the end of what a program printed, for when it is stopped
// and its lane has no outcome.
type partial struct {
	mu   sync.Mutex
	kept []byte
}

// partialKeeps is how much of each stream is remembered.
const partialKeeps = 64 << 10

func (p *partial) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, b[max(0, len(b)-partialKeeps):]...)
	if len(p.kept) > 2*partialKeeps {
		p.kept = append(p.kept[:0], p.kept[len(p.kept)-partialKeeps:]...)
	}
	return len(b), nil
}

// tail is the end of what was written.
func (p *partial) tail() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[max(0, len(p.kept)-partialKeeps):]
}

// runKeeping runs an artifact. When there is an error and the lane has no
// outcome, the outcome is what the program had printed until then.
func runKeeping(ctx context.Context, lane Lane, art *Artifact, job *Job) (*Outcome, error) {
	var stdout, stderr partial
	watched := *job
	watched.Stdout, watched.Stderr = Tee(&stdout, job.Stdout), Tee(&stderr, job.Stderr)
	out, err := lane.Run(ctx, art, &watched)
	if err != nil && (out == nil || len(out.Stdout)+len(out.Stderr) == 0) {
		out = &Outcome{Stdout: stdout.tail(), Stderr: stderr.tail()}
	}
	return out, err
}
