package app

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/proof/fetch"
	"wb/proof/keys"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/workbook"
	"wb/workbook/capability"
)

// TrustIn holds the arguments of wb trust.
type TrustIn struct {
	What   string   `arg:"" complete:"files" optional:"" help:"A document; or a signer: a did:key, a did:web, a key log or did.json."`
	Grant  []string `help:"Grant this capability; may be repeated. Without it a document is granted everything it asks for." placeholder:"CAP"`
	Online bool     `help:"Use the network to fetch the document of a did:web."`
	List   bool     `help:"List the documents and signers that are trusted."`
	Forget bool     `help:"Revoke the trust instead."`
}

// TrustOut lists what was granted, and to whom.
type TrustOut struct {
	Documents []grants.Trust         `json:"documents"`
	Signers   []grants.TrustedSigner `json:"signers"`

	in *TrustIn
}

// Data returns, for programs, the one document or the signers that were granted
// something, else both lists.
func (out *TrustOut) Data() any {
	switch {
	case out.in.List || out.in.Forget:
		return out
	case out.Signers != nil:
		return out.Signers
	}
	return out.Documents[0]
}

var trustWhat = Verb[TrustIn, *TrustOut]{
	Name: "trust", Help: "Grant a document, or everything a signer signs, the capabilities it asks for.", Changes: true,
	About: `Examples:
  wb trust report.org
  wb trust report.org --grant kv --grant net:api.example.com
  wb trust did:key:z6Mk… --grant kv --grant 'net:*'
  wb trust wb-keys.jsonl --grant kv
  wb trust --list
  wb trust did:key:z6Mk… --forget

What a document is granted is remembered by the digest of its code, in your own
configuration. When its code changes the trust is gone; prose and results may change.
Read the document first: wb plan shows what asks for what.

Whoever signs is trusted with what --grant names: every workbook with a signature
of theirs beside it (wb sign FILE.org), every page, bundle and toolkit they
validly signed, is granted of it what it asks for. A key that was revoked in a
log that came along, or that wb verify has seen, is not trusted.`,
	Do: func(ctx context.Context, _ *Home, in *TrustIn) (*TrustOut, error) {
		store, err := UserGrants()
		if err != nil {
			return nil, err
		}
		out := &TrustOut{in: in}
		switch {
		case in.List && (in.What != "" || in.Forget || len(in.Grant) > 0):
			return nil, diag.Usagef("", "--list takes no other argument")
		case in.List:
			out.Documents, out.Signers, _, err = granted(store)
			return out, err
		case in.What == "":
			return nil, diag.Usagef("wb trust --list shows who is trusted", "name a document or a key")
		case in.Forget:
			out.Documents, out.Signers, err = store.Forget(principal(in.What))
			if err == nil && len(out.Documents)+len(out.Signers) == 0 {
				err = diag.NotFoundf("wb trust --list shows what is trusted", "%s is not trusted", in.What)
			}
			return out, err
		}
		return out, in.grant(ctx, store, out)
	},
	Text: func(p *Page, out *TrustOut) error {
		switch in := out.in; {
		case in.List:
			out.lines(p)
		case in.Forget:
			p.Printf("%s is no longer trusted\n", in.What)
		case out.Signers != nil:
			for _, s := range out.Signers {
				p.Printf("documents signed by %s are granted %s, if they ask for it\n", s.DID, strings.Join(s.Grants, " "))
			}
		default:
			p.Printf("%s is granted %s until its code changes\n", in.What, strings.Join(out.Documents[0].Grants, " "))
		}
		return nil
	},
}

// lines writes a line for each document and signer that is trusted.
func (out *TrustOut) lines(p *Page) {
	const minute = "2006-01-02 15:04"
	for _, t := range out.Documents {
		p.Printf("granted  %s  %s  %s\n", t.At.Local().Format(minute), t.File, strings.Join(t.Grants, " "))
	}
	for _, s := range out.Signers {
		who := s.DID
		if s.Name != "" {
			who += " (" + s.Name + ")"
		}
		p.Printf("signer   %s  %s  %s\n", s.At.Local().Format(minute), who, strings.Join(s.Grants, " "))
	}
}

// grant trusts a document, or whoever signs.
func (in *TrustIn) grant(ctx context.Context, store *grants.File, out *TrustOut) error {
	if err := capability.CheckGrants(in.Grant); err != nil {
		return err
	}
	who, isSigner, err := in.signer(ctx)
	switch {
	case err != nil:
		return err
	case !isSigner:
		trust, err := in.document(store)
		out.Documents = []grants.Trust{trust}
		return err
	case len(in.Grant) == 0:
		return diag.Usagef("wb trust "+in.What+" --grant kv --grant 'net:*'", "name the capabilities for everything they sign")
	}
	for i := range who {
		who[i].Grants = in.Grant
		if who[i], err = store.TrustSigner(who[i]); err != nil {
			return err
		}
	}
	out.Signers = who
	return nil
}

// signer is who a did or a file with keys names; ok is false for a document.
func (in *TrustIn) signer(ctx context.Context) (who []grants.TrustedSigner, ok bool, err error) {
	switch {
	case strings.HasPrefix(in.What, "did:web:"):
		dids, err := fetch.Keys(ctx, in.What, in.Online)
		for _, did := range dids {
			who = append(who, grants.TrustedSigner{DID: did, Name: in.What})
		}
		return who, true, err
	case strings.HasPrefix(in.What, "did:"):
		_, err := keys.Public(in.What)
		return []grants.TrustedSigner{{DID: in.What}}, true, err
	case filepath.Ext(in.What) == ".org" || IsPublished(in.What):
		return nil, false, nil
	}
	text, err := ReadFile(in.What)
	if err != nil {
		return nil, false, err
	}
	named, err := keys.Named(text)
	if err != nil {
		return nil, false, diag.Usagef("a key log is .well-known/wb-keys.jsonl of a site; wb trust did:key:… names a key itself", "%s is neither a document nor a key file", in.What)
	}
	file, err := filepath.Abs(in.What)
	for _, n := range named {
		who = append(who, grants.TrustedSigner{DID: n.DID, Name: file, Keys: n.Log})
	}
	return who, true, err
}

// document trusts a document by the digest of its code.
func (in *TrustIn) document(store *grants.File) (none grants.Trust, err error) {
	if IsPublished(in.What) {
		return none, diag.Usagef("wb verify "+in.What+" shows who that is", "%s is signed; trust its signer instead", in.What)
	}
	src, err := ReadFile(in.What)
	if err != nil {
		return none, err
	}
	plan := workbook.NewPlan(in.What, src)
	granted := workbook.Asks(plan)
	if len(in.Grant) > 0 {
		granted = in.Grant
	}
	if err := capability.CheckGrants(granted); err != nil {
		return none, err
	}
	if len(granted) == 0 {
		return none, diag.NotFoundf("a block asks with :uses", "%s asks for nothing", in.What)
	}
	file, err := filepath.Abs(in.What)
	if err != nil {
		return none, err
	}
	return store.Trust(workbook.ProgramDigest(plan), file, granted)
}

// principal is the name that grants are kept under: a file's whole path, or what
// is not a file as it is.
func principal(name string) string {
	if _, err := os.Stat(name); err != nil && !strings.HasSuffix(name, ".org") {
		return name
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// granted is all that was granted for good, and taken back.
func granted(store *grants.File) ([]grants.Trust, []grants.TrustedSigner, []grants.Revocation, error) {
	documents, revoked, err := store.List()
	if err != nil {
		return nil, nil, nil, err
	}
	signers, err := store.Signers()
	return documents, signers, revoked, err
}

// GrantsOut lists lasting grants and revocations.
type GrantsOut struct {
	Revoked []grants.Revocation    `json:"revoked"`
	Signers []grants.TrustedSigner `json:"signers"`
	Trusted []grants.Trust         `json:"trusted"`
}

// everything stands for all capabilities in a revocation that names none.
func everything(capability string) string {
	if capability == "" {
		return "everything"
	}
	return capability
}

var grantsList = Verb[struct{}, *GrantsOut]{
	Name: "grants list", Help: "List lasting grants and revocations.", About: "Example:\n  wb grants list",
	Do: func(context.Context, *Home, *struct{}) (*GrantsOut, error) {
		store, err := UserGrants()
		if err != nil {
			return nil, err
		}
		out := &GrantsOut{}
		out.Trusted, out.Signers, out.Revoked, err = granted(store)
		return out, err
	},
	Text: func(p *Page, out *GrantsOut) error {
		(&TrustOut{Documents: out.Trusted, Signers: out.Signers}).lines(p)
		for _, r := range out.Revoked {
			p.Printf("revoked  %s  %s  %s\n", r.At.Local().Format("2006-01-02 15:04"), r.Principal, everything(r.Capability))
		}
		return nil
	},
}

// GrantsRevokeIn holds the arguments of wb grants revoke.
type GrantsRevokeIn struct {
	Principal  string `arg:"" help:"A document's path, an agent's id, or the did of a signer."`
	Capability string `arg:"" optional:"" help:"The capability to revoke; without one, all."`
}

// GrantsRevokeOut lists the revoked capabilities.
type GrantsRevokeOut struct {
	Capability string         `json:"capability"`
	Principal  string         `json:"principal"`
	Trusted    []grants.Trust `json:"trusted"`
}

var grantsRevoke = Verb[GrantsRevokeIn, *GrantsRevokeOut]{
	Name: "grants revoke", Help: "Revoke what a document or agent was granted, also in running runs.", Changes: true,
	About: "Examples:\n  wb grants revoke report.org net\n  wb grants revoke report.org\n  wb grants revoke did:key:z6Mk…\n\nRunning runs lose it with their next call; a waiting request is ended. You can grant\nit again later.",
	Do: func(ctx context.Context, _ *Home, in *GrantsRevokeIn) (*GrantsRevokeOut, error) {
		host, err := Capabilities()
		if err != nil {
			return nil, err
		}
		defer host.Close()
		name := principal(in.Principal)
		known, err := knownPrincipals(ctx, host)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(name); err != nil && !slices.Contains(known, name) {
			return nil, unknownPrincipal(in.Principal, known)
		}
		gone, err := host.Grants.Revoke(name, in.Capability)
		return &GrantsRevokeOut{in.Capability, name, gone}, err
	},
	Text: func(p *Page, out *GrantsRevokeOut) error {
		p.Printf("%s is revoked for %s", everything(out.Capability), out.Principal)
		if len(out.Trusted) == 0 {
			p.Printf("; it had no lasting grant")
		}
		p.Printf("\n")
		return nil
	},
}

// knownPrincipals are the names that something was granted to, or that have
// used or were denied a capability.
func knownPrincipals(ctx context.Context, host *capability.Host) ([]string, error) {
	documents, signers, revoked, err := granted(host.Grants)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range documents {
		names = append(names, t.File, t.Digest)
	}
	for _, s := range signers {
		names = append(names, s.DID, s.Name)
	}
	for _, r := range revoked {
		names = append(names, r.Principal)
	}
	uses, err := host.Variables().Uses(ctx)
	for _, u := range uses {
		names = append(names, u.Principal)
	}
	return names, err
}

// unknownPrincipal refuses a name that nothing can be taken back from, so that
// a misspelt name does not leave the user believing that a capability is gone.
func unknownPrincipal(name string, known []string) error {
	short := map[string]string{} // from the short name a person types to the stored one
	for _, k := range known {
		short[k] = k
		short[filepath.Base(k)] = k
	}
	hint := "wb grants list and wb grants stats show who was granted something"
	if near := nearest.Word(filepath.Base(name), slices.Collect(maps.Keys(short))); near != "" {
		hint = "did you mean " + short[near] + "?"
	}
	return diag.NotFoundf(hint, "%s was never granted anything; nothing is revoked", name)
}

var grantsStats = Verb[struct{}, []store.Use]{
	Name: "grants stats", Help: "Show what was used and what was denied, by principal.", About: "Example:\n  wb grants stats",
	Do: func(ctx context.Context, _ *Home, _ *struct{}) ([]store.Use, error) {
		host, err := Capabilities()
		if err != nil {
			return nil, err
		}
		defer host.Close()
		return host.Variables().Uses(ctx)
	},
	Text: func(p *Page, uses []store.Use) error {
		for _, u := range uses {
			p.Printf("%-10s %8d calls %6d denied  %s  %s\n", u.Capability, u.Calls, u.Denied, u.Last.Local().Format("2006-01-02 15:04"), u.Principal)
		}
		return nil
	},
}
