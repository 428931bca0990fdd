package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"wb/compile/place/tier"
	"wb/internal/diag"
	"wb/internal/whole"
	"wb/workbook"
	"wb/workbook/frozen"
	"wb/workbook/instance"
)

// SessionInfoIn holds the arguments of wb session info.
type SessionInfoIn struct {
	File string `arg:"" help:"A file that wb run --freeze has written." type:"existingfile"`
}

// SessionOut describes the content of a frozen file.
type SessionOut struct {
	instance.Info
	Standing standing `json:"standing"`

	Keys  []string `json:"keys"`
	Files []string `json:"files"`
}

var sessionInfo = Verb[SessionInfoIn, *SessionOut]{
	Name: "session info", Help: "Check a frozen file and say what is in it.", About: "Example:\n  wb session info notebook.wbfreeze",
	Do: func(_ context.Context, _ *Home, in *SessionInfoIn) (*SessionOut, error) {
		file, err := os.Open(in.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		f, err := frozen.Read(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.File, err)
		}
		who, err := standingOf(f.Signer)
		return &SessionOut{instance.Describe(f), who, itemNames(f.KV), itemNames(f.Files)}, err
	},
	Text: func(p *Page, out *SessionOut) error {
		p.Printf("%s: %d sessions, %d keys, %d files\n", out.Document, len(out.Sessions), len(out.Keys), len(out.Files))
		p.Printf("%s\n", out.Standing.signedBy(out.Signer))
		for _, s := range out.Sessions {
			p.Printf("%-20s %8d bytes  after %s\n", s.Name, s.Size, strings.Join(s.Ran, ", "))
		}
		return nil
	},
}

func itemNames(items []frozen.Item) []string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.Name
	}
	return names
}

// FreezeFlags carry live sessions from one machine to another.
type FreezeFlags struct {
	Freeze string `help:"After the run, freeze the sessions and the directory's keys and volumes into this file, signed with your key." placeholder:"FILE"`
	Resume string `help:"Continue the sessions frozen in this file by you or somebody you trust; blocks that had run do not run again." placeholder:"FILE" type:"existingfile"`
}

// Run runs a workbook, in an instance where the flags ask for one.
func (f *FreezeFlags) Run(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
	if f.Freeze == "" && f.Resume == "" {
		return workbook.Run(ctx, opts)
	}
	host, err := Capabilities()
	if err != nil {
		return nil, err
	}
	config := instance.Config{Options: opts, Host: host}
	if config.Signer, err = ownSigner(); err != nil {
		return nil, errors.Join(err, host.Close())
	}
	config.Accept = func(signer string) (thirdParty bool, err error) { return f.accept(signer, opts.TrustTier) }
	report, err := f.runInstance(ctx, config)
	return report, errors.Join(err, host.Close())
}

// accept decides about a frozen file by its signer. A third party's sessions can
// be resumed in no other tier, so that the user must accept the risk.
func (f *FreezeFlags) accept(signer, trustTier string) (thirdParty bool, err error) {
	who, err := standingOf(signer)
	if err != nil || who == standingOwn || who == standingTrusted {
		return false, err
	}
	if trustTier == string(tier.Instance) && who != standingRevoked {
		return true, nil
	}
	refused := &frozen.Error{Code: frozen.CodeSigner, Message: "it is not signed", Help: "--trust-tier instance accepts the risk, with profile compute and no grants, and without its keys and files"}
	switch who {
	case standingForeign:
		refused.Help = "wb trust " + signer + " --grant CAP trusts everything they sign; " + refused.Help
	case standingRevoked:
		refused.Help = "freeze it again"
	}
	if who != standingUnsigned {
		refused.Message = "it is " + who.signedBy(signer)
	}
	return false, refused
}

func (f *FreezeFlags) runInstance(ctx context.Context, config instance.Config) (*workbook.Report, error) {
	nb, err := f.open(ctx, config)
	if err != nil {
		return nil, err
	}
	report, err := nb.Run(ctx)
	if err != nil || f.Freeze == "" {
		return report, err
	}
	return report, whole.File{}.Make(f.Freeze, func(file *os.File) error { return nb.Freeze(ctx, file) })
}

func (f *FreezeFlags) open(ctx context.Context, config instance.Config) (*instance.Instance, error) {
	if f.Resume == "" {
		return instance.Open(config)
	}
	file, err := os.Open(f.Resume)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	nb, err := instance.Resume(ctx, config, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Resume, err)
	}
	return nb, nil
}

// Check refuses what cannot be frozen.
func (f *FreezeFlags) Check(files []string) error {
	if (f.Freeze != "" || f.Resume != "") && len(files) != 1 {
		return diag.Usagef("", "--freeze and --resume take one workbook")
	}
	return nil
}
