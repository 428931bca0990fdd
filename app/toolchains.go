package app

import (
	"context"
	"errors"
	"fmt"
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

// env builds programs here.
func (h *Home) env(ctx context.Context) (*compile.Env, error) {
	if h.Env == nil {
		return nil, errors.New("nothing is built here")
	}
	return h.Env(ctx)
}

// toolchains are the names of those that are as wanted.
func toolchains(env *compile.Env, want func(toolchain.Status) bool) (names []string) {
	for _, s := range env.Tools.List() {
		if want(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

func installed(s toolchain.Status) bool { return s.Installed }

var toolchainList = Verb[struct{}, []toolchain.Status]{
	Name: "toolchain list", Help: "Show the toolchains and which are installed.", About: "Example:\n  wb toolchain list", Usual: true,
	Do: func(ctx context.Context, h *Home, _ *struct{}) ([]toolchain.Status, error) {
		env, err := h.env(ctx)
		if err != nil {
			return nil, err
		}
		return env.Tools.List(), nil
	},
	Text: func(p *Page, list []toolchain.Status) error {
		return p.Table(func(p *Page) {
			for _, s := range list {
				state := "not installed"
				if s.Installed {
					state = "installed"
				}
				p.Printf("%s\t%s\t%s\t%s\n", s.Name, s.Version, state, s.Summary)
			}
		})
	},
}

// ToolchainInstallIn is what wb toolchain install takes.
type ToolchainInstallIn struct {
	Names []string `arg:"" optional:"" help:"Toolchains; see wb toolchain list."`
	All   bool     `help:"Install every toolchain that is fetched or built here."`
	Force bool     `help:"Install again even when it is there."`
	From  string   `help:"Use this local archive in place of the network, which must match the same digest; for zig and rust a directory." type:"path"`
}

var toolchainInstall = Verb[ToolchainInstallIn, Done]{
	Name: "toolchain install", Help: "Fetch, check and prepare toolchains; first use does it too.", Changes: true,
	About: "Examples:\n  wb toolchain install clang quickjs\n  wb toolchain install clang --from ./clang.tgz",
	Do: func(ctx context.Context, h *Home, in *ToolchainInstallIn) (done Done, err error) {
		env, err := h.env(ctx)
		if err != nil {
			return done, err
		}
		names := in.Names
		if in.All {
			names = toolchains(env, func(s toolchain.Status) bool { return !s.Given })
		}
		if len(names) == 0 {
			return done, diag.Usagef("wb toolchain list", "name a toolchain, or give --all")
		}
		for _, name := range names {
			t, err := env.Tools.Install(ctx, name, env.Progress, toolchain.Options{Force: in.Force, From: in.From})
			if err != nil {
				return done, err
			}
			h.notef("%s %s is installed", t.Name, t.Version)
		}
		return done, nil
	},
}

// ToolchainsIn is what wb toolchain verify takes.
type ToolchainsIn struct {
	Names []string `arg:"" optional:"" help:"Toolchains; all installed ones when none is named."`
}

// of are those that were named, or all that are installed.
func (in ToolchainsIn) of(env *compile.Env) []string {
	if len(in.Names) > 0 {
		return in.Names
	}
	return toolchains(env, installed)
}

var toolchainVerify = Verb[ToolchainsIn, []string]{
	Name: "toolchain verify", Help: "Check installed files against their digests and run the self-tests.", About: "Example:\n  wb toolchain verify quickjs",
	Do: func(ctx context.Context, h *Home, in *ToolchainsIn) ([]string, error) {
		env, err := h.env(ctx)
		if err != nil {
			return nil, err
		}
		names := in.of(env)
		for _, name := range names {
			if err := env.Tools.Verify(ctx, name, env.Progress); err != nil {
				return nil, err
			}
		}
		return names, nil
	},
	Text: listed(func(name string) string { return name + " ok" }),
}

// ToolchainPackIn is what wb toolchain pack takes.
type ToolchainPackIn struct {
	File string `arg:"" help:"File to write."`
	ToolchainsIn
}

var toolchainPack = Verb[ToolchainPackIn, Done]{
	Name: "toolchain pack", Help: "Write installed toolchains to one file for machines without a network.", Changes: true,
	About: "Example:\n  wb toolchain pack wb.pack quickjs python\n\nA pack takes toolchains to a machine without network: wb toolchain unpack FILE.",
	Do: func(ctx context.Context, h *Home, in *ToolchainPackIn) (done Done, err error) {
		env, err := h.env(ctx)
		if err != nil {
			return done, err
		}
		f, err := os.Create(in.File)
		if err != nil {
			return done, err
		}
		if err := env.Tools.Pack(f, env.Progress, in.of(env)...); err != nil {
			f.Close()
			os.Remove(in.File)
			return done, err
		}
		return done, f.Close()
	},
}

// ToolchainUnpackIn is what wb toolchain unpack takes.
type ToolchainUnpackIn struct {
	File string `arg:"" help:"Pack to install from." type:"existingfile"`
}

var toolchainUnpack = Verb[ToolchainUnpackIn, Done]{
	Name: "toolchain unpack", Help: "Install toolchains from a pack, offline.", About: "Example:\n  wb toolchain unpack wb.pack", Changes: true,
	Do: func(ctx context.Context, h *Home, in *ToolchainUnpackIn) (done Done, err error) {
		env, err := h.env(ctx)
		if err != nil {
			return done, err
		}
		f, err := os.Open(in.File)
		if err != nil {
			return done, err
		}
		defer f.Close()
		added, unknown, err := env.Tools.Unpack(ctx, f, env.Progress)
		for _, t := range added {
			h.notef("%s %s is installed", t.Name, t.Version)
		}
		for _, name := range unknown {
			h.notef("%s is not a toolchain of this wb, left out", name)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", in.File, err)
		}
		return done, err
	},
}

var toolchainGC = Verb[struct{}, []string]{
	Name: "toolchain gc", Help: "Remove versions that this wb does not use.", About: "Example:\n  wb toolchain gc", Changes: true,
	Do: func(ctx context.Context, h *Home, _ *struct{}) ([]string, error) {
		env, err := h.env(ctx)
		if err != nil {
			return nil, err
		}
		return env.Tools.Collect(ctx)
	},
	Text: listed(func(name string) string { return "removed " + name }),
}

// Checkup is one thing that wb can use, and how to get it when it is not there.
type Checkup struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// doctor never fails: its job is to name the command that fixes what is missing.
var doctor = Verb[struct{}, []Checkup]{
	Name: "doctor", Help: "Show what works here, what is missing and how to get it.", About: "Example:\n  wb doctor",
	Do: func(ctx context.Context, h *Home, _ *struct{}) ([]Checkup, error) {
		checks := []Checkup{checkCache()}
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

// checkToolchains lists the compilers; one that is missing is fetched on first
// use, so that is no fault.
func (h *Home) checkToolchains(ctx context.Context) (checks []Checkup) {
	env, err := h.env(ctx)
	if err != nil {
		return []Checkup{{Name: "toolchains", Detail: err.Error(), Fix: diag.HintOf(err)}}
	}
	for _, s := range env.Tools.List() {
		check := Checkup{Name: s.Name, OK: s.Installed, Detail: s.Version + "  " + s.Summary}
		if !s.Installed {
			check.Fix = s.Install
			if !s.Given {
				check.Fix += "  (first use does it too)"
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
