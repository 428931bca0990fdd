package run

import (
	"fmt"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/workbook/plan"
)

// recall finds the kept outcome of a program, or the reason why it must run.
func (r executor) recall(p *program) (*kept, string) {
	switch {
	case p.volatile != "":
		return nil, p.volatile
	case r.opts.Cache == nil:
		return nil, "nothing is kept"
	case r.opts.Force && !r.dry:
		return nil, "--force"
	}
	k := r.opts.Cache.get(p.digests.Key())
	if k == nil {
		return nil, r.opts.Cache.reason(r.opts.File, p.owner.ID, p.digests)
	}
	if changed := r.seenBy(p.owner).changedRead(k.Reads, k.Files); changed != nil {
		return nil, fmt.Sprintf("file %s changed", changed.Name)
	}
	return k, "nothing changed"
}

// keep stores an outcome. A cache that cannot be written costs time, not
// results: the run goes on and says so.
func (r executor) keep(p *program, k *kept) {
	if r.opts.Cache == nil {
		return
	}
	k.Digests = p.digests
	if err := r.opts.Cache.put(p.digests.Key(), k); err != nil {
		r.emit(trace.Event{Kind: trace.KindLog, Component: p.owner.ID, Error: err.Error()})
	}
}

// known finds a program's outcome without running it, and why it
// is or is not.
func (r executor) known(p *program, session *session) (*kept, string, error) {
	k, err := session.resumed(p.digests.Key())
	if err != nil {
		return nil, "", diag.Errorf(p.owner.Pos, "%v", err)
	}
	if k != nil {
		return k, "it ran before its session was frozen", nil
	}
	k, why := r.recall(p)
	return k, why, nil
}

// standsFresh takes over the result in the document when its hash says that
// nothing has changed since, as org-babel does, and nothing better is kept.
func (r executor) standsFresh(p *program, t *task) bool {
	if r.opts.Force || p.owner.Kind == plan.KindInline || !p.owner.IsElement() || r.opts.Cache.get(p.digests.Key()) != nil {
		return false
	}
	result, ok := r.plan.Document().ResultOf(p.owner.Node())
	if !ok || result.Hash.Text != t.hash {
		return false
	}
	t.done.Status, t.done.Why = StatusCached, "the result in the document has the hash of this block (:cache yes)"
	t.done.Value = r.standingResult(p.owner)
	t.standing = true
	return true
}

// resultHash is the hash a block with :cache yes writes above its result.
func (p *program) resultHash() string {
	if p.args.Value(":cache") != "yes" || p.src.Shape != compile.ShapeBabel {
		return ""
	}
	hash, err := p.emacsHash()
	if err != nil {
		return "" // a variable its language cannot express; the lane will say so
	}
	return hash
}
