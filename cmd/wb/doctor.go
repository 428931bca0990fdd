package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/place/tier"
	"wb/compile/toolchain"
	"wb/internal/diag"
)

// doctorCmd tells what works on this machine. It never fails: its job is to
// name the command that fixes what is missing.
type doctorCmd struct{}

// checkup is one thing wb can use and how to get it when it is not there.
type checkup struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (c *doctorCmd) Run(a *terminal) error {
	checks := []checkup{checkCache()}
	for _, name := range slices.Sorted(maps.Keys(toolchain.Clients())) {
		checks = append(checks, checkClient(name))
	}
	checks = append(checks, checkTiers(a)...)
	checks = append(checks, checkToolchains(a)...)
	return a.answer("doctor", checks, func(w io.Writer) error {
		for _, check := range checks {
			mark := "ok     "
			if !check.OK {
				mark = "missing"
			}
			fmt.Fprintf(w, "%s  %-14s %s\n", mark, check.Name, check.Detail)
			if check.Fix != "" {
				fmt.Fprintf(w, "         %-14s hint: %s\n", "", check.Fix)
			}
		}
		return nil
	})
}

func checkClient(name string) checkup {
	path, ok := toolchain.FindClient(name)
	if !ok {
		return checkup{Name: name, Detail: "not on PATH", Fix: toolchain.Clients()[name]}
	}
	return checkup{Name: name, OK: true, Detail: path}
}

// checkToolchains lists the compilers; one that is missing is fetched on first
// use, so that is no fault.
func checkToolchains(a *terminal) (checks []checkup) {
	err := a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		for _, s := range env.Tools.List() {
			check := checkup{Name: s.Name, OK: s.Installed, Detail: s.Version + "  " + s.Summary}
			if !s.Installed {
				check.Fix = s.Install
				if !s.Given {
					check.Fix += "  (first use does it too)"
				}
			}
			checks = append(checks, check)
		}
		return nil
	})
	if err != nil {
		checks = append(checks, checkup{Name: "toolchains", Detail: err.Error(), Fix: diag.HintOf(err)})
	}
	return checks
}

// checkTiers tells which tiers of isolation there are, by running a child in
// each.
func checkTiers(a *terminal) (checks []checkup) {
	for _, t := range []tier.Tier{tier.Process, tier.Container} {
		check := checkup{Name: "tier " + string(t), OK: true, Detail: "all walls stand"}
		notes, err := tryTier(a.ctx, t)
		switch {
		case err != nil:
			check.OK, check.Detail, check.Fix = false, err.Error(), diag.HintOf(err)
		case len(notes) > 0:
			check.Detail = "works, but: " + strings.Join(notes, "; ")
		}
		checks = append(checks, check)
	}
	return checks
}

func checkCache() checkup {
	dir, err := os.UserCacheDir()
	if err != nil {
		return checkup{Name: "cache", Detail: err.Error(), Fix: "set HOME or XDG_CACHE_HOME"}
	}
	dir = filepath.Join(dir, "wb")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return checkup{Name: "cache", Detail: err.Error(), Fix: "make " + dir + " writable or set XDG_CACHE_HOME"}
	}
	return checkup{Name: "cache", OK: true, Detail: dir}
}
