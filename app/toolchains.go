package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/proof/release"
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
	Names   []string `arg:"" optional:"" help:"Toolchains; see wb toolchain list."`
	All     bool     `help:"Install every toolchain that is fetched or built here."`
	Force   bool     `help:"Install again even when it is there."`
	Sources string   `help:"A directory or URL of yours with the archives, asked before the network; the same digests are pinned." env:"WB_SOURCES" placeholder:"DIR|URL"`
	From    string   `help:"Use this local archive in place of the network, which must match the same digest; for zig and rust a directory." type:"path"`
}

var toolchainInstall = Verb[ToolchainInstallIn, Done]{
	Name: "toolchain install", Help: "Fetch, check and prepare toolchains; first use does it too.", Changes: true,
	About: "Examples:\n  wb toolchain install clang quickjs\n  wb toolchain install clang --from ./clang.tgz\n  wb toolchain install --all --sources https://mirror.example.org/wb",
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
			t, err := env.Tools.Install(ctx, name, env.Progress, toolchain.Options{Force: in.Force, From: in.From, Sources: toolchain.Sources(in.Sources)})
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
	Pack string `arg:"" help:"Pack to install from: a file, or the https address of a signed one." complete:"files"`
	DID  string `name:"did" help:"Fail unless this key signed the pack; without it, the key that signs the releases of this build." placeholder:"DID"`
}

var toolchainUnpack = Verb[ToolchainUnpackIn, Done]{
	Name: "toolchain unpack", Help: "Install toolchains from a pack, without a registry.", Changes: true,
	About: `Examples:
  wb toolchain unpack wb.pack
  wb toolchain unpack https://example.org/wb/wb.pack --did did:key:z6Mk…

What wb builds from sources or fetches from npm is compared with the digests pinned in wb, whoever made the
pack. What somebody's Go compiler built is not pinned, so a pack from a server must be signed (wb sign wb.pack).`,
	Do: func(ctx context.Context, h *Home, in *ToolchainUnpackIn) (done Done, err error) {
		pack, err := h.openPack(ctx, in)
		if err != nil {
			return done, err
		}
		defer pack.Close()
		env, err := h.env(ctx)
		if err != nil {
			return done, err
		}
		added, unknown, err := env.Tools.Unpack(ctx, pack, env.Progress)
		for _, t := range added {
			h.notef("%s %s is installed", t.Name, t.Version)
		}
		for _, name := range unknown {
			h.notef("%s is not a toolchain of this wb, left out", name)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", in.Pack, err)
		}
		return done, err
	},
}

// openPack opens a pack, once its signature is right. A file of the user's own needs none.
func (h *Home) openPack(ctx context.Context, in *ToolchainUnpackIn) (io.ReadCloser, error) {
	want := cmp.Or(in.DID, ReleaseKey)
	data, by, err := release.File(ctx, in.Pack, want)
	var unsigned *release.UnsignedError
	switch {
	case errors.As(err, &unsigned) && in.DID == "" && !release.Remote(in.Pack):
		f, err := os.Open(in.Pack)
		if os.IsNotExist(err) {
			err = MissingFile(in.Pack)
		}
		if err != nil {
			return nil, err
		}
		return f, nil
	case err != nil:
		return nil, err
	case want == "" && release.Remote(in.Pack):
		return nil, &diag.CodedError{Err: fmt.Errorf("%s is signed by %s, which nobody vouches for", in.Pack, by.IssuerDID),
			Help: "if you know the key, add --did " + by.IssuerDID, Code: diag.ExitVerify}
	}
	h.notef("%s is signed by %s", in.Pack, by.IssuerDID)
	return io.NopCloser(bytes.NewReader(data)), nil
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
