package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"wb/internal/diag"
	"wb/proof/release"
)

// ReleaseKey is the did:key that signs the releases of this build. The linker sets it
// (just release); it is "" in a build of anybody's own.
var ReleaseKey string

// SelfVerifyIn holds the arguments of wb self verify.
type SelfVerifyIn struct {
	Binary string `help:"The executable to check instead of this one." placeholder:"FILE" type:"existingfile"`
	From   string `help:"The signed list of a release's executables, in place of the one beside the executable." placeholder:"FILE|URL"`
	DID    string `name:"did" help:"Fail unless this key signed the list, in place of the key that signs the releases of this build." placeholder:"DID"`
}

// SelfVerifyOut says what an executable is.
type SelfVerifyOut struct {
	Binary   string `json:"binary"`
	As       string `json:"as"` // its name in the release
	SignedBy string `json:"signed_by"`
	SignedAt string `json:"signed_at"`
	Expected bool   `json:"expected"` // the key is the one that was asked for
}

var selfVerify = Verb[SelfVerifyIn, *SelfVerifyOut]{
	Name: "self verify", Help: "Check that this wb is a released one.",
	About: `Examples:
  wb self verify
  wb self verify --binary ./wb-new --from ./BINARIES --did did:key:z6Mk…
  wb self verify --from https://example.org/wb/BINARIES

Each archive of a release holds BINARIES, the digests of all its executables, and the
signature of that list. An executable that somebody changed can lie about itself:
use your present wb to check a new one, with --binary.`,
	Do: func(ctx context.Context, _ *Home, in *SelfVerifyIn) (*SelfVerifyOut, error) {
		file := in.Binary
		if file == "" {
			self, err := os.Executable()
			if err != nil {
				return nil, err
			}
			if file, err = filepath.EvalSymlinks(self); err != nil {
				return nil, err
			}
		}
		list, want := in.From, in.DID
		if list == "" {
			list = filepath.Join(filepath.Dir(file), release.Binaries)
		}
		if want == "" {
			want = ReleaseKey
		}
		as, by, err := release.Executable(ctx, file, list, want)
		if in.From == "" && diag.ExitOf(err) == diag.ExitNotFound {
			err = diag.Advise(err, "each release archive holds it beside wb; --from names another list")
		}
		if err != nil {
			return nil, err
		}
		return &SelfVerifyOut{Binary: file, As: as, SignedBy: by.IssuerDID, SignedAt: by.IssuedAt, Expected: want != ""}, nil
	},
	Text: func(p *Page, out *SelfVerifyOut) error {
		_, err := fmt.Fprintf(p, "%s is %s\nsigned by %s at %s (the issuer's clock)\n", out.Binary, out.As, out.SignedBy, out.SignedAt)
		if err == nil && !out.Expected {
			_, err = fmt.Fprintln(p, "this build has no release key to compare with: compare the key with one you know, or give --did")
		}
		return err
	},
}
