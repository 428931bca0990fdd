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
		return nil, errors.New("this server builds no toolchains")
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

// ToolchainInstallIn holds the arguments of wb toolchain install.
type ToolchainInstallIn struct {
	Names   []string `arg:"" optional:"" help:"Toolchains; see wb toolchain list."`
	All     bool     `help:"Install every toolchain that its first use would install."`
	Force   bool     `help:"Install again, even if it is installed."`
	Sources string   `help:"A directory or URL of yours with the archives, tried before the network; their digests must match." env:"WB_SOURCES" placeholder:"DIR|URL"`
	From    string   `help:"Use this local archive in place of the network. Its digest must match; for numpy and cython its files must. For zig and rust: a directory." type:"path"`
}

var toolchainInstall = Verb[ToolchainInstallIn, Done]{
	Name: "toolchain install", Help: "Fetch, check and prepare toolchains; the first use of one also does this.", Changes: true,
	About: "Examples:\n  wb toolchain install clang quickjs\n  wb toolchain install clang --from ./clang.tgz\n  wb toolchain install --all --sources https://mirror.example.org/wb",
	Do: func(ctx context.Context, h *Home, in *ToolchainInstallIn) (done Done, err error) {
		env, err := h.env(ctx)
		if err != nil {
			return done, err
		}
		names := in.Names
		if in.All {
			names = toolchains(env, toolchain.Status.Comes)
			for _, s := range env.Tools.List() {
				if s.Apart != "" && !s.Installed {
					h.notef("%s is left out, because %s: %s", s.Name, s.Apart, s.Install)
				}
			}
		}
		if len(names) == 0 {
			return done, diag.Usagef("wb toolchain list", "name a toolchain, or give --all")
		}
		options := toolchain.Options{Force: in.Force, From: in.From, Sources: toolchain.Sources(in.Sources)}
		if err := in.check(ctx, env, names, options); err != nil {
			return done, err
		}
		for _, name := range names {
			_, had := env.Tools.Installed(name)
			t, err := env.Tools.Install(ctx, name, env.Progress, options)
			switch {
			case err != nil:
				return done, err
			case had && in.From != "" && !in.Force:
				h.notef("%s %s was installed already, and not again from %s: --force does that", t.Name, t.Version, in.From)
			default:
				h.notef("%s %s is installed", t.Name, t.Version)
			}
		}
		return done, nil
	},
}

// check says what is wrong with what was asked for before anything is installed, which may
// take minutes.
func (in *ToolchainInstallIn) check(ctx context.Context, env *compile.Env, names []string, options toolchain.Options) error {
	if _, err := os.Stat(in.From); in.From != "" && errors.Is(err, os.ErrNotExist) {
		return MissingFile(in.From)
	}
	if in.From != "" && len(names) > 1 {
		return diag.Usagef("wb toolchain install "+names[0]+" --from "+in.From, "--from is for one toolchain, and %d are named", len(names))
	}
	for _, name := range names {
		if err := env.Tools.Check(ctx, name, env.Progress, options); err != nil {
			return err
		}
	}
	return nil
}

// ToolchainsIn holds the arguments of wb toolchain verify.
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

// ToolchainPackIn holds the arguments of wb toolchain pack.
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

// ToolchainUnpackIn holds the arguments of wb toolchain unpack.
type ToolchainUnpackIn struct {
	Pack string `arg:"" help:"The pack to install from: a file, or the https address of a signed one." complete:"files"`
	DID  string `name:"did" help:"Fail unless this key signed the pack; without it, the key that signs the releases of this build." placeholder:"DID"`
}

var toolchainUnpack = Verb[ToolchainUnpackIn, Done]{
	Name: "toolchain unpack", Help: "Install toolchains from a pack, without a registry.", Changes: true,
	About: `Examples:
  wb toolchain unpack wb.pack
  wb toolchain unpack https://example.org/wb/wb.pack --did did:key:z6Mk…

Whatever wb builds from sources or fetches from npm must match the digests pinned in wb, whoever made the
pack. What a Go compiler built is not pinned, so a pack from a server must be signed (wb sign wb.pack).`,
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
			h.notef("%s is not a toolchain of this wb: left out", name)
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
		return nil, &diag.CodedError{Err: fmt.Errorf("%s is signed by %s, a key that this build does not know", in.Pack, by.IssuerDID),
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
