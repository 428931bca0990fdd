package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
)

// toolchainCmd manages the compilers that lanes run in the sandbox.
type toolchainCmd struct {
	List    toolchainListCmd    `cmd:"" default:"1" help:"Show the toolchains and which are installed."`
	Install toolchainInstallCmd `cmd:"" help:"Fetch, check and prepare toolchains; first use does it too."`
	Verify  toolchainVerifyCmd  `cmd:"" help:"Check installed files against their digests and run the self-tests."`
	Pack    toolchainPackCmd    `cmd:"" help:"Write installed toolchains to one file for machines without a network."`
	Unpack  toolchainUnpackCmd  `cmd:"" help:"Install toolchains from a pack, offline."`
	Gc      toolchainGcCmd      `cmd:"" help:"Remove versions that this wb does not use."`
}

type toolchainListCmd struct{}

func (c *toolchainListCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		list := env.Tools.List()
		return a.answer("toolchain", list, func(w io.Writer) error {
			tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			for _, s := range list {
				state := "not installed"
				if s.Installed {
					state = "installed"
				}
				fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", s.Name, s.Version, state, s.Summary)
			}
			return tab.Flush()
		})
	})
}

type toolchainInstallCmd struct {
	Names []string `arg:"" optional:"" help:"Toolchains; see wb toolchain list."`
	All   bool     `help:"Install every toolchain that is fetched or built here."`
	Force bool     `help:"Install again even when it is there."`
	From  string   `help:"Use this local archive in place of the network, which must match the same digest; for zig and rust a directory." type:"path"`
}

func (c *toolchainInstallCmd) Help() string {
	return "Examples:\n  wb toolchain install clang quickjs\n  wb toolchain install clang --from ./clang.tgz"
}

func (c *toolchainInstallCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		names := c.Names
		if c.All {
			names = fetchable(env)
		}
		if len(names) == 0 {
			return diag.Usagef("wb toolchain list", "name a toolchain, or give --all")
		}
		for _, name := range names {
			t, err := env.Tools.Install(a.ctx, name, env.Progress, toolchain.Options{Force: c.Force, From: c.From})
			if err != nil {
				return err
			}
			a.note("%s %s is installed", t.Name, t.Version)
		}
		return nil
	})
}

// fetchable are the toolchains that need nothing of the user's.
func fetchable(env *compile.Env) []string {
	var names []string
	for _, s := range env.Tools.List() {
		if !s.Given {
			names = append(names, s.Name)
		}
	}
	return names
}

type toolchainVerifyCmd struct {
	Names []string `arg:"" optional:"" help:"Toolchains; all installed ones when none is named."`
}

func (c *toolchainVerifyCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		names := c.Names
		if len(names) == 0 {
			names = installedNames(env)
		}
		for _, name := range names {
			if err := env.Tools.Verify(a.ctx, name, env.Progress); err != nil {
				return err
			}
			fmt.Fprintf(a.std.Out, "%s ok\n", name)
		}
		return nil
	})
}

func installedNames(env *compile.Env) []string {
	var names []string
	for _, s := range env.Tools.List() {
		if s.Installed {
			names = append(names, s.Name)
		}
	}
	return names
}

type toolchainPackCmd struct {
	File  string   `arg:"" help:"File to write."`
	Names []string `arg:"" optional:"" help:"Toolchains; all installed ones when none is named."`
}

func (c *toolchainPackCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		names := c.Names
		if len(names) == 0 {
			names = installedNames(env)
		}
		f, err := os.Create(c.File)
		if err != nil {
			return err
		}
		if err := env.Tools.Pack(f, env.Progress, names...); err != nil {
			f.Close()
			os.Remove(c.File)
			return err
		}
		return f.Close()
	})
}

type toolchainUnpackCmd struct {
	File string `arg:"" help:"Pack to install from." type:"existingfile"`
}

func (c *toolchainUnpackCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		installed, unknown, err := env.Tools.Unpack(a.ctx, f, env.Progress)
		for _, t := range installed {
			a.note("%s %s is installed", t.Name, t.Version)
		}
		for _, name := range unknown {
			a.note("%s is not a toolchain of this wb, left out", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		return nil
	})
}

type toolchainGcCmd struct{}

func (c *toolchainGcCmd) Run(a *terminal) error {
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		removed, err := env.Tools.Collect(a.ctx)
		for _, name := range removed {
			fmt.Fprintf(a.std.Out, "removed %s\n", name)
		}
		return err
	})
}

// withLanes runs do with the lanes of this process.
func (a *terminal) withLanes(do func(*compile.Env, *compile.Registry) error) error {
	registry, err := a.languages(a.ctx)
	if err != nil {
		return err
	}
	return do(a.env, registry)
}

// progress shows bars to a person and lines to a log; --quiet shows nothing.
func (a *terminal) progress() (toolchain.Progress, func()) {
	switch {
	case a.quiet:
		return toolchain.Silent, func() {}
	case isTerminal(a.std.Err):
		return toolchain.Bars(a.std.Err)
	}
	return toolchain.Plain(a.std.Err), func() {}
}
