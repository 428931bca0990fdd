package main

import (
	"fmt"
	"io"

	"wb/sandbox/dock/store"
)

// grantsCmd looks after what was granted.
type grantsCmd struct {
	List   grantsListCmd   `cmd:"" help:"List what was granted for good, and what was taken back."`
	Revoke grantsRevokeCmd `cmd:"" help:"Take back what a document or agent was granted, also in runs under way."`
	Stats  grantsStatsCmd  `cmd:"" help:"Show what was used and what was denied, by principal."`
}

type grantsListCmd struct{}

func (c *grantsListCmd) Help() string { return "Example:\n  wb grants list" }

func (c *grantsListCmd) Run(a *app) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	trusted, revoked, err := host.Grants.List()
	if err != nil {
		return err
	}
	signers, err := host.Grants.Signers()
	if err != nil {
		return err
	}
	return a.answer("grants", map[string]any{"trusted": trusted, "signers": signers, "revoked": revoked}, func(w io.Writer) error {
		showTrust(w, trusted, signers)
		for _, r := range revoked {
			what := r.Capability
			if what == "" {
				what = "everything"
			}
			fmt.Fprintf(w, "revoked  %s  %s  %s\n", r.At.Local().Format("2006-01-02 15:04"), r.Principal, what)
		}
		return nil
	})
}

type grantsRevokeCmd struct {
	Principal  string `arg:"" help:"A document's path, an agent's id, or the did of a signer."`
	Capability string `arg:"" optional:"" help:"What to take back; everything without one."`
}

func (c *grantsRevokeCmd) Help() string {
	return "Examples:\n  wb grants revoke report.org net\n  wb grants revoke report.org\n  wb grants revoke did:key:z6Mk…\n\nRuns under way lose it with their next call; a request that waits is ended. What is\ngranted after this, it has."
}

func (c *grantsRevokeCmd) Run(a *app) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	name := principal(c.Principal)
	gone, err := host.Grants.Revoke(name, c.Capability)
	if err != nil {
		return err
	}
	return a.answer("grants", map[string]any{"principal": name, "capability": c.Capability, "trusted": gone}, func(w io.Writer) error {
		what := c.Capability
		if what == "" {
			what = "everything"
		}
		_, err := fmt.Fprintf(w, "%s is revoked for %s\n", what, name)
		return err
	})
}

type grantsStatsCmd struct{}

func (c *grantsStatsCmd) Help() string { return "Example:\n  wb grants stats" }

func (c *grantsStatsCmd) Run(a *app) error {
	return withVariables(func(s *store.Store) error {
		uses, err := s.Uses(a.ctx)
		if err != nil {
			return err
		}
		return a.answer("grants", uses, func(w io.Writer) error {
			for _, u := range uses {
				fmt.Fprintf(w, "%-10s %8d calls %6d denied  %s  %s\n", u.Capability, u.Calls, u.Denied, u.Last.Local().Format("2006-01-02 15:04"), u.Principal)
			}
			return nil
		})
	})
}
