package host

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"wb/agent"
	"wb/agent/account"
	"wb/internal/trace"
)

// key names an agent of a document among the state of this machine.
func key(d *agent.Definition, file string) string {
	sum := sha256.Sum256([]byte(file))
	return pathSafe(d.ID) + "-" + hex.EncodeToString(sum[:4])
}

// KeyOf names a task's agent among the state of this machine.
func (rt *Runtime) KeyOf(d *agent.Definition, task Task) string {
	if abs, err := absolute(task); err == nil {
		task = abs
	}
	return key(d, task.File)
}

// Definition reads a task's agent.
func (rt *Runtime) Definition(task Task) (*agent.Definition, error) { return definition(task) }

// Account returns the amounts spent by a task's agent.
func (rt *Runtime) Account(d *agent.Definition, task Task) (*account.Book, error) {
	return account.Read(filepath.Join(rt.State.Dir(), "accounts", rt.KeyOf(d, task)+".json"))
}

// Ready reads a task's agent and says what keeps it from being run.
func (rt *Runtime) Ready(task Task) (*agent.Definition, error) {
	d, err := definition(task)
	if err != nil {
		return nil, err
	}
	_, err = rt.client(nil)
	return d, err
}

// Exhausted says which bound of its account leaves a task's agent nothing to spend.
func (rt *Runtime) Exhausted(d *agent.Definition, task Task) error {
	if d.Allowance == (agent.Allowance{}) {
		return nil
	}
	return account.Exhausted(filepath.Join(rt.State.Dir(), "accounts", rt.KeyOf(d, task)+".json"), d.Allowance, rt.now())
}

// accountPath is where the account of an agent lies; file is its document.
func (rt *Runtime) accountPath(d *agent.Definition, file string) string {
	return filepath.Join(rt.State.Dir(), "accounts", key(d, file)+".json")
}

// accounted is the ledger of a run whose agent has an account: what the run spends
// counts there, besides for who started it.
func (rt *Runtime) accounted(d *agent.Definition, task Task, opts agent.Options) (*agent.Ledger, error) {
	if d.Allowance == (agent.Allowance{}) || opts.Replay {
		return opts.Ledger, nil
	}
	a, err := account.Open(account.Config{Path: rt.accountPath(d, task.File), Agent: d.ID, File: task.File, Allowance: d.Allowance,
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
