package account_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"wb/agent"
	"wb/agent/account"
)

// clock is a time that tests turn.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func tokens(n int64) agent.Bounds { return agent.Bounds{Tokens: n} }

func broken(err error) string {
	var b *agent.BoundError
	if errors.As(err, &b) {
		return b.Name
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// Days, months and all time are bounded, whichever run spends.
func TestWindows(t *testing.T) {
	c := &clock{time.Date(2026, 11, 29, 23, 0, 0, 0, time.Local)}
	path := filepath.Join(t.TempDir(), "accounts", "a.json")
	allowance := agent.Allowance{Day: tokens(100), Month: tokens(150), Total: agent.Bounds{Tokens: 400, USD: 2}}
	open := func(run string) *agent.Ledger {
		a, err := account.Open(account.Config{Path: path, Agent: "a", Allowance: allowance, Root: run, Run: run, Alive: func(string) bool { return false }, Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		return agent.NewAccountLedger(a, nil)
	}
	spend := func(run string, amount agent.Bounds) string {
		r, err := open(run).Reserve(amount)
		if err == nil {
			r.Settle(amount)
		}
		return broken(err)
	}
	for i, step := range []struct {
		run    string
		amount agent.Bounds
		want   string
		later  time.Duration
	}{
		{"1", tokens(60), "", 0}, {"2", tokens(50), "day_tokens", 0}, {"2", tokens(40), "", 2 * time.Hour}, // to the 30th
		{"3", tokens(60), "month_tokens", 0}, {"3", tokens(50), "", 24 * time.Hour}, // to December
		{"4", tokens(100), "", 24 * time.Hour}, {"5", tokens(50), "", 31 * 24 * time.Hour},
		{"6", tokens(100), "", 24 * time.Hour}, {"7", tokens(1), "total_tokens", 0},
		{"8", agent.Bounds{USD: 2.1}, "total_usd", 0}, {"8", agent.Bounds{USD: 2}, "", 0}, {"9", agent.Bounds{USD: 0.01}, "total_usd", 0},
	} {
		if got := spend(step.run, step.amount); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
		c.at = c.at.Add(step.later)
	}
	if err := account.Exhausted(path, allowance, c.at); broken(err) != "total_tokens" {
		t.Error(err)
	}
}

// A run that goes on with one that died pays again for nothing that it paid for, and
// what a dead run had reserved is spent.
func TestResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	open := func(root, run string, alive bool) *agent.Ledger {
		a, err := account.Open(account.Config{Path: path, Agent: "a", Allowance: agent.Allowance{Total: tokens(100)}, Root: root, Run: run, Alive: func(string) bool { return alive }})
		if err != nil {
			t.Fatal(err)
		}
		return agent.NewAccountLedger(a, nil)
	}
	spend := func(l *agent.Ledger, n int64) error {
		r, err := l.Reserve(tokens(n))
		r.Settle(tokens(n))
		return err
	}
	first := open("r", "r", true)
	if err := errors.Join(spend(first, 30), spend(first, 20)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Reserve(tokens(25)); err != nil { // and dies
		t.Fatal(err)
	}
	if got := broken(spend(open("other", "other", true), 30)); got != "total_tokens" {
		t.Errorf("another run took what was reserved: %q", got)
	}
	again := open("r", "r2", false)
	if err := errors.Join(spend(again, 30), spend(again, 20), spend(again, 25)); err != nil { // which it has paid for
		t.Error(err)
	}
	if got := broken(spend(again, 26)); got != "total_tokens" {
		t.Errorf("more than is left: %q", got)
	}
	if err := spend(again, 25); err != nil {
		t.Error(err)
	}
	if b, err := account.Read(path); err != nil || b.Total.Tokens != 100 {
		t.Errorf("%+v %v", b, err)
	}
}

// Many runs that reserve and settle at random at the same time never spend more
// than there is.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	const limit = 5000
	var all sync.WaitGroup
	for run := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(run), 1))
			name := string(rune('a' + run))
			a, err := account.Open(account.Config{Path: path, Agent: "a", Allowance: agent.Allowance{Day: tokens(limit)}, Root: name, Run: name, Alive: func(string) bool { return true }})
			if err != nil {
				t.Error(err)
				return
			}
			l := agent.NewAccountLedger(a, nil)
			for range 40 {
				amount := random.Int64N(200)
				if r, err := l.Reserve(tokens(amount)); err == nil {
					r.Settle(tokens(random.Int64N(amount + 1)))
				}
			}
		})
	}
	all.Wait()
	b, err := account.Read(path)
	if err != nil || b.Total.Tokens > limit || b.Total.Tokens == 0 {
		t.Errorf("%+v %v", b, err)
	}
	for name, e := range b.Runs {
		if e.Reserved != (account.Amount{}) {
			t.Errorf("%s has still reserved %+v", name, e.Reserved)
		}
	}
}
