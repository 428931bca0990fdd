package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	return a.answer("grants", map[string]any{"trusted": trusted, "revoked": revoked}, func(w io.Writer) error {
		for _, t := range trusted {
			fmt.Fprintf(w, "granted  %s  %s  %s\n", t.At.Local().Format("2006-01-02 15:04"), t.File, strings.Join(t.Grants, " "))
		}
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
	Principal  string `arg:"" help:"A document's path or an agent's id."`
	Capability string `arg:"" optional:"" help:"What to take back; everything without one."`
}

func (c *grantsRevokeCmd) Help() string {
	return "Examples:\n  wb grants revoke report.org net\n  wb grants revoke report.org\n\nRuns under way lose it with their next call; a request that waits is ended. What is\ngranted after this, it has."
}

func (c *grantsRevokeCmd) Run(a *app) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	principal := c.Principal
	if _, err := os.Stat(principal); err == nil || strings.HasSuffix(principal, ".org") {
		if principal, err = filepath.Abs(principal); err != nil {
			return err
		}
	}
	gone, err := host.Grants.Revoke(principal, c.Capability)
	if err != nil {
		return err
	}
	return a.answer("grants", map[string]any{"principal": principal, "capability": c.Capability, "trusted": gone}, func(w io.Writer) error {
		what := c.Capability
		if what == "" {
			what = "everything"
		}
		_, err := fmt.Fprintf(w, "%s is revoked for %s\n", what, principal)
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
