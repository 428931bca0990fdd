package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"wb/agent"
	"wb/agent/account"
	"wb/trace"
)

// key names an agent of a document among the state of this machine.
func key(d *agent.Definition, file string) string {
	sum := sha256.Sum256([]byte(file))
	return pathSafe(d.ID) + "-" + hex.EncodeToString(sum[:4])
}

// AccountPath is where the account of an agent lies; file is its document.
func (rt *Runtime) AccountPath(d *agent.Definition, file string) string {
	return filepath.Join(rt.State.Dir(), "accounts", key(d, file)+".json")
}

// accounted is the ledger of a run whose agent has an account: what the run spends
// counts there, besides for who started it.
func (rt *Runtime) accounted(d *agent.Definition, task Task, opts agent.Options) (*agent.Ledger, error) {
	if d.Allowance == (agent.Allowance{}) || opts.Replay {
		return opts.Ledger, nil
	}
	a, err := account.Open(account.Config{Path: rt.AccountPath(d, task.File), Agent: d.ID, File: task.File, Allowance: d.Allowance,
		Root: opts.Keys, Run: task.run, Alive: rt.alive, Now: rt.now, Warn: rt.warn})
	if err != nil {
		return nil, err
	}
	return agent.NewAccountLedger(a, opts.Ledger), nil
}

// alive reports whether a run is going in some process.
func (rt *Runtime) alive(run string) bool {
	runs, err := rt.State.Runs()
	if err != nil {
		return true // what it has reserved stays so
	}
	for _, r := range runs {
		if r.Run == run {
			return r.Status == trace.StatusRunning
		}
	}
	return false
}
