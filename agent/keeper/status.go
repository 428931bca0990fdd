package keeper

import (
	"fmt"
	"io"
	"time"

	"wb/agent"
	"wb/agent/account"
	"wb/agent/host"
	"wb/agent/schedule"
)

// Status is how an agent is kept, and what it has spent.
type Status struct {
	State
	Kept     bool            `json:"kept"` // by some process, now
	Schedule string          `json:"schedule"`
	Next     time.Time       `json:"next,omitzero"`
	Day      account.Amount  `json:"spent_day"`
	Month    account.Amount  `json:"spent_month"`
	Total    account.Amount  `json:"spent_total"`
	Limits   agent.Allowance `json:"limits"`
}

// StatusOf looks at what is kept of a task's agent.
func StatusOf(rt *host.Runtime, task host.Task) (*Status, error) {
	d, err := rt.Definition(task)
	if err != nil {
		return nil, err
	}
	key := rt.KeyOf(d, task)
	s := &Status{Schedule: d.Schedule, Limits: d.Allowance, Kept: Kept(rt.State, key)}
	if s.State, err = Load(rt.State, key); err != nil {
		return nil, err
	}
	now := time.Now()
	if d.Schedule != "" {
		times, err := schedule.Parse(d.Schedule)
		if err != nil {
			return nil, err
		}
		s.Next = times(now)
	}
	book, err := rt.Account(d, task)
	if err != nil {
		return nil, err
	}
	s.Day, s.Month, s.Total = book.Spent(now)
	return s, nil
}

// Write tells the status in lines.
func (s *Status) Write(w io.Writer) error {
	kept := "no process keeps it"
	if s.Kept {
		kept = "a process keeps it"
	}
	if s.Schedule != "" {
		kept += ", schedule " + s.Schedule
	}
	if !s.Next.IsZero() {
		kept += ", next " + s.Next.Format(timeFormat)
	}
	fmt.Fprintf(w, "%s; %d wakes, %d skipped\n", kept, s.Wakes, s.Skipped)
	if s.Last != nil {
		fmt.Fprintf(w, "last   %s\n", s.Last)
	}
	if s.Wake != nil {
		fmt.Fprintf(w, "going  %s, runs %v\n", s.Wake.Due.Format(timeFormat), s.Wake.Runs)
	}
	if s.Limits == (agent.Allowance{}) {
		return nil
	}
	for _, row := range []struct {
		name  string
		spent account.Amount
		limit agent.Bounds
	}{{"day", s.Day, s.Limits.Day}, {"month", s.Month, s.Limits.Month}, {"total", s.Total, s.Limits.Total}} {
		line := fmt.Sprintf("%-6s %d tokens, %.4f USD", row.name, row.spent.Tokens, row.spent.USD)
		if row.limit.Tokens > 0 {
			line += fmt.Sprintf(", of %d tokens", row.limit.Tokens)
		}
		if row.limit.USD > 0 {
			line += fmt.Sprintf(", of %g USD", row.limit.USD)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
