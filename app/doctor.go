package app

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"wb/compile/place/tier"
	"wb/compile/toolchain"
	"wb/internal/diag"
)

// Checkup is one thing that wb can use, and how to get it when it is not there.
type Checkup struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// DoctorIn holds the arguments of wb doctor.
type DoctorIn struct {
	Fix  bool `help:"Install missing toolchains and remove old ones; the rest is left to you."`
	Stop bool `help:"End the process that keeps compilers loaded between commands."`
}

// doctor never fails: its job is to name the command that fixes what is missing.
var doctor = Verb[DoctorIn, []Checkup]{
	Name: "doctor", Help: "Show what works here, what is missing and how to get it.", About: "Examples:\n  wb doctor\n  wb doctor --fix\n  wb doctor --stop",
	Do: func(ctx context.Context, h *Home, in *DoctorIn) ([]Checkup, error) {
		if in.Fix {
			if err := h.mend(ctx); err != nil {
				return nil, err
			}
		}
		if in.Stop {
			if err := endResident(ctx); err != nil {
				return nil, err
			}
		}
		checks := []Checkup{checkCache(), checkResident(ctx)}
		for _, name := range slices.Sorted(maps.Keys(toolchain.Clients())) {
			check := Checkup{Name: name, Detail: "not on PATH", Fix: toolchain.Clients()[name]}
			if path, ok := toolchain.FindClient(name); ok {
				check = Checkup{Name: name, OK: true, Detail: path}
			}
			checks = append(checks, check)
		}
		for _, t := range []tier.Tier{tier.Process, tier.Container} {
			checks = append(checks, checkTier(ctx, t))
		}
		return append(checks, h.checkToolchains(ctx)...), nil
	},
	Text: func(p *Page, checks []Checkup) error {
		for _, check := range checks {
			mark := "ok     "
			if !check.OK {
				mark = "missing"
			}
			p.Printf("%s  %-14s %s\n", mark, check.Name, check.Detail)
			if check.Fix != "" {
				p.Printf("         %-14s hint: %s\n", "", check.Fix)
			}
		}
		return nil
	},
}

// mend does what wb can do by itself: it installs what is missing of what is fetched or
// built here. One toolchain that cannot be had does not keep the others from coming.
func (h *Home) mend(ctx context.Context) error {
	env, err := h.env(ctx)
	if err != nil {
		return err
	}
	for _, name := range toolchains(env, func(s toolchain.Status) bool { return s.Comes() && !s.Installed }) {
		t, err := env.Tools.Ensure(ctx, name, env.Progress)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			h.notef("%v", err)
		default:
			h.notef("%s %s is installed", t.Name, t.Version)
		}
	}
	removed, err := env.Tools.Collect(ctx)
	for _, name := range removed {
		h.notef("removed %s", name)
	}
	return err
}

// checkToolchains lists the compilers; one that is missing is fetched on first
// use, so that is not a fault.
func (h *Home) checkToolchains(ctx context.Context) (checks []Checkup) {
	env, err := h.env(ctx)
	if err != nil {
		return []Checkup{{Name: "toolchains", Detail: err.Error(), Fix: diag.HintOf(err)}}
	}
	for _, s := range env.Tools.List() {
		check := Checkup{Name: s.Name, OK: s.Installed, Detail: s.Version + "  " + s.Summary}
		if !s.Installed {
			check.Fix = s.Install
			if s.Comes() {
				check.Fix += "  (the first use installs it too)"
			}
		}
		checks = append(checks, check)
	}
	return checks
}

// checkTier tells whether a tier of isolation is there, by running a child in it.
func checkTier(ctx context.Context, t tier.Tier) Checkup {
	check := Checkup{Name: "tier " + string(t), OK: true, Detail: "isolates fully"}
	notes, err := tryTier(ctx, t)
	switch {
	case err != nil:
		check.OK, check.Detail, check.Fix = false, err.Error(), diag.HintOf(err)
	case len(notes) > 0:
		check.Detail = "works, but: " + strings.Join(notes, "; ")
	}
	return check
}

func checkCache() Checkup {
	dir, err := os.UserCacheDir()
	if err != nil {
		return Checkup{Name: "cache", Detail: err.Error(), Fix: "set HOME or XDG_CACHE_HOME"}
	}
	dir = filepath.Join(dir, "wb")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Checkup{Name: "cache", Detail: err.Error(), Fix: "make " + dir + " writable or set XDG_CACHE_HOME"}
	}
	return Checkup{Name: "cache", OK: true, Detail: dir}
}
