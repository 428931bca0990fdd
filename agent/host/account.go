package host

import (
	"path/filepath"

	"wb/agent"
	"wb/agent/account"
)

// Definition reads a task's agent.
func (rt *Runtime) Definition(task Task) (*agent.Definition, error) { return definition(task) }

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
