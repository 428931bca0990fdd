package app

import (
	"context"
	"encoding/json"
	"time"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// KeyOut is the key that signs, and its log.
type KeyOut struct {
	DID      string       `json:"did"`
	Identity string       `json:"identity"` // the first key of the log
	Path     string       `json:"path,omitempty"`
	Verifier string       `json:"note_verifier"` // for readers of signed notes
	Log      []keys.Entry `json:"log"`
}

// keyVerb is a verb that does something with the user's key and shows it.
func keyVerb[In any](name, help, about string, do func(h *Home, s *keys.Ring, in *In) error) Verb[In, *KeyOut] {
	return Verb[In, *KeyOut]{Name: name, Help: help, About: about,
		Do: func(_ context.Context, h *Home, in *In) (*KeyOut, error) {
			s, _, err := UserKey()
			if err != nil {
				return nil, err
			}
			if err := do(h, s, in); err != nil {
				return nil, err
			}
			out := &KeyOut{DID: s.Key.DID(), Identity: s.Log.Identity(), Path: s.Path(), Log: s.Log.Entries(),
				Verifier: manifest.VerifierKey(s.Log.Identity(), s.Key.Public())}
			if err := s.Log.Allows(out.DID, keys.NoSequence); err != nil {
				h.notef("%v; a revoked key has no successor: wb key new --another begins another identity", err)
			}
			return out, nil
		},
		Text: func(p *Page, out *KeyOut) error {
			p.Printf("%s\n", out.DID)
			if out.Identity != out.DID {
				p.Printf("identity %s\n", out.Identity)
			}
			for _, e := range out.Log {
				p.Printf("%s %s %s", e.At, e.Kind, e.Key)
				if e.Kind != keys.Genesis {
					p.Printf(" from release %d", e.Sequence)
				}
				if e.Reason != "" {
					p.Printf(": %s", e.Reason)
				}
				p.Printf("\n")
			}
			return nil
		}}
}

var keyShow = keyVerb("key show", "Show the key that signs, and since when.",
	"Example:\n  wb key show\n\nThe first line is the did:key that others compare signatures with. The secret is never printed.",
	func(*Home, *keys.Ring, *struct{}) error { return nil })

// KeyNewIn holds the arguments of wb key new.
type KeyNewIn struct {
	Another bool `help:"Begin another identity, with its own key and log. Revocations of the earlier identity stay published."`
}

var keyNew = Verb[KeyNewIn, *KeyOut]{
	Name: "key new", Help: "Make your signing key.", Text: keyShow.Text, Changes: true,
	About: "Examples:\n  wb key new\n  wb key new --another\n\nThe key is a file in wb/keys/ of the configuration directory that only you can read. Back it up: a lost key cannot be rotated.",
	Do: func(ctx context.Context, h *Home, in *KeyNewIn) (*KeyOut, error) {
		exists, err := identity.Exists("", identity.DefaultTenant)
		if err != nil {
			return nil, err
		}
		if exists && !in.Another {
			return nil, diag.Busyf("wb key show shows it, wb key rotate replaces it", "you already have a key")
		}
		if exists {
			s, _, err := UserKey()
			if err == nil {
				err = s.Another(time.Now())
			}
			if err != nil {
				return nil, err
			}
			h.notef("tell readers who know your former identity about this one; give its sites a new directory")
		}
		return keyShow.Do(ctx, h, nil) // which makes it
	},
}

// kept makes a verb refuse where no key is kept. Otherwise it would make one and replace
// that, and whose key was stolen would believe it gone.
func kept[In any](v Verb[In, *KeyOut]) Verb[In, *KeyOut] {
	do := v.Do
	v.Do = func(ctx context.Context, h *Home, in *In) (*KeyOut, error) {
		exists, err := identity.Exists("", identity.DefaultTenant)
		if err != nil {
			return nil, err
		}
		if !exists {
			dir, err := keys.Dir("")
			if err != nil {
				return nil, err
			}
			return nil, diag.NotFoundf("run this on the machine that has the key; keys are below $XDG_CONFIG_HOME", "there is no key in %s", dir)
		}
		return do(ctx, h, in)
	}
	return v
}

// KeyRotateIn holds the arguments of wb key rotate.
type KeyRotateIn struct {
	From int `default:"1" help:"The first release of your site that the new key signs; older ones stay good under the old key." placeholder:"RELEASE"`
}

var keyRotate = kept(keyVerb("key rotate", "Replace the key; the old one names the new one.",
	"Example:\n  wb key rotate --from 12\n\nThe old key signs the new one in the key log, the new one signs that it agrees, and the old one is deleted.",
	func(h *Home, s *keys.Ring, in *KeyRotateIn) error {
		old, err := s.Rotate(in.From, time.Now())
		if err == nil {
			h.notef("%s gave way", old)
		}
		return err
	}))

// KeyRevokeIn holds the arguments of wb key revoke.
type KeyRevokeIn struct {
	Key    string `arg:"" help:"The did:key to revoke, or current."`
	From   int    `default:"0" help:"The first release of your site that the key no longer vouches for; 0 revokes everything." placeholder:"RELEASE"`
	Reason string `default:"revoked" help:"The reason, for people to read."`
}

var keyRevoke = kept(keyVerb("key revoke", "Revoke a key, for everything it signed or from some release on.",
	`Examples:
  wb key revoke current --from 7 --reason stolen
  wb key revoke did:key:z6Mk… --reason lost

The current key gives way to a new one in the same step. Nothing takes a
revocation back. Readers learn of it from the next release of your site, and
from what wb key export-revoked prints; docs/publishing.org has the steps.`,
	func(h *Home, s *keys.Ring, in *KeyRevokeIn) error {
		if in.Key == "current" {
			in.Key = s.Log.Current()
		}
		if !s.Log.Has(in.Key) {
			return diag.NotFoundf("wb key show lists the keys in it", "%s is not in your key log", in.Key)
		}
		if err := s.Revoke(in.Key, in.From, in.Reason, time.Now()); err != nil {
			return err
		}
		h.notef("%s is revoked from release %d on; so is every page, file and bundle that it signed outside a site", in.Key, in.From)
		h.notef("readers do not know this yet: publish your sites again, and send them the output of wb key export-revoked")
		return nil
	}))

var keyRevoked = Verb[struct{}, json.RawMessage]{
	Name: "key export-revoked", Help: "Print your revoked keys, with the logs that prove it.",
	About: `Example:
  wb key export-revoked > revoked.json

Sites that you publish have it as /.well-known/wb-revoked.json. Readers of a page
that stands alone give it to wb verify --keys.`,
	Do: func(context.Context, *Home, *struct{}) (json.RawMessage, error) {
		_, by, err := UserKey()
		if err != nil {
			return nil, err
		}
		list, err := keys.RevokedList(append([]*keys.Log{by.Keys}, by.Former...)...)
		if err == nil && list == nil {
			err = diag.NotFoundf("wb key show lists your keys", "none of your keys is revoked")
		}
		return list, err
	},
	Text: func(p *Page, list json.RawMessage) error {
		_, err := p.Write(list)
		return err
	},
}

// KeyDIDIn holds the arguments of wb key export-did.
type KeyDIDIn struct {
	Host string   `arg:"" help:"The host of the site, such as example.org or localhost:8080."`
	Path []string `arg:"" complete:"words" optional:"" help:"The path at the host that the document is for, one word a directory; .well-known by default."`
}

var keyDID = Verb[KeyDIDIn, any]{
	Name: "key export-did", Help: "Print the did:web document of a host, for /.well-known/did.json.",
	About: `Examples:
  wb key export-did example.org > public/.well-known/did.json
  wb key export-did example.org people ada > public/people/ada/did.json

The second is for did:web:example.org:people:ada. Readers give either name to
wb verify --did.`,
	Do: func(_ context.Context, _ *Home, in *KeyDIDIn) (any, error) {
		s, _, err := UserKey()
		if err != nil {
			return nil, err
		}
		did := keys.DIDWeb(in.Host, in.Path...)
		if _, err := keys.WebURL(did); err != nil {
			return nil, diag.Usagef("such as example.org, or localhost:8080", "%q names no host: %w", in.Host, err)
		}
		return keys.Document(did, s.Key.DID(), s.Log.Revocations()...), nil
	},
	Text: func(p *Page, doc any) error {
		enc := json.NewEncoder(p)
		enc.SetIndent("", "  ")
		return enc.Encode(doc)
	},
}
