package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/sandbox/dock/store"
	"wb/workbook/capability"
)

// grantsCmd looks after what was granted.
type grantsCmd struct {
	List   grantsListCmd   `cmd:"" help:"List what was granted for good, and what was taken back."`
	Revoke grantsRevokeCmd `cmd:"" help:"Take back what a document or agent was granted, also in runs under way."`
	Stats  grantsStatsCmd  `cmd:"" help:"Show what was used and what was denied, by principal."`
}

type grantsListCmd struct{}

func (c *grantsListCmd) Help() string { return "Example:\n  wb grants list" }

func (c *grantsListCmd) Run(a *terminal) error {
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

func (c *grantsRevokeCmd) Run(a *terminal) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	name := principal(c.Principal)
	known, err := knownPrincipals(a.ctx, host)
	if err != nil {
		return err
	}
	if !slices.Contains(known, name) && !exists(name) {
		return unknownPrincipal(c.Principal, known)
	}
	gone, err := host.Grants.Revoke(name, c.Capability)
	if err != nil {
		return err
	}
	return a.answer("grants", map[string]any{"principal": name, "capability": c.Capability, "trusted": gone}, func(w io.Writer) error {
		what := c.Capability
		if what == "" {
			what = "everything"
		}
		after := ""
		if len(gone) == 0 {
			after = "; nothing was granted to it for good"
		}
		_, err := fmt.Fprintf(w, "%s is revoked for %s%s\n", what, name, after)
		return err
	})
}

// knownPrincipals are the names that something was granted to, or that have
// used or were denied a capability.
func knownPrincipals(ctx context.Context, host *capability.Host) ([]string, error) {
	trusted, revoked, err := host.Grants.List()
	if err != nil {
		return nil, err
	}
	signers, err := host.Grants.Signers()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range trusted {
		names = append(names, t.File, t.Digest)
	}
	for _, s := range signers {
		names = append(names, s.DID, s.Name)
	}
	for _, r := range revoked {
		names = append(names, r.Principal)
	}
	err = withVariables(func(s *store.Store) error {
		uses, err := s.Uses(ctx)
		for _, u := range uses {
			names = append(names, u.Principal)
		}
		return err
	})
	return names, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// unknownPrincipal refuses a name that nothing can be taken back from, so that
// nobody believes a capability gone that a misspelt name still has.
func unknownPrincipal(name string, known []string) error {
	short := map[string]string{} // what a person would type, to what is kept
	for _, k := range known {
		short[k] = k
		short[filepath.Base(k)] = k
	}
	hint := "wb grants list and wb grants stats name who was"
	if near := nearest.Word(filepath.Base(name), slices.Collect(maps.Keys(short))); near != "" {
		hint = "did you mean " + short[near] + "?"
	}
	return diag.NotFoundf(hint, "%s was never granted anything; nothing is revoked", name)
}

type grantsStatsCmd struct{}

func (c *grantsStatsCmd) Help() string { return "Example:\n  wb grants stats" }

func (c *grantsStatsCmd) Run(a *terminal) error {
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
