package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"wb/app"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// keyCmd manages the key that signs, and its log.
type keyCmd struct {
	Show      keyShowCmd   `cmd:"" help:"Show the key that signs, and since when."`
	New       keyNewCmd    `cmd:"" help:"Make the key, if there is none."`
	Rotate    keyRotateCmd `cmd:"" help:"Replace the key; the old one names the new one."`
	Revoke    keyRevokeCmd `cmd:"" help:"Take back what a key signed from some release on."`
	ExportDID keyDIDCmd    `cmd:"" name:"export-did" help:"Print the did:web document of a host, for /.well-known/did.json."`
}

// issuer opens the user's key and log.
func issuer() (*keys.Store, error) { return keys.Open("", identity.DefaultTenant, time.Now()) }

// keyData is the answer about a key.
type keyData struct {
	DID      string       `json:"did"`
	Identity string       `json:"identity"` // the first key of the log
	Path     string       `json:"path,omitempty"`
	Verifier string       `json:"note_verifier"` // for readers of signed notes
	Log      []keys.Entry `json:"log"`
}

func (a *terminal) showKey(verb string, s *keys.Store) error {
	data := keyData{DID: s.Key.DID(), Identity: s.Log.Identity(), Path: s.Path(), Log: s.Log.Entries(),
		Verifier: manifest.VerifierKey(s.Log.Identity(), s.Key.Public())}
	return a.answer(verb, data, func(w io.Writer) error {
		fmt.Fprintln(w, data.DID)
		if data.Identity != data.DID {
			fmt.Fprintln(w, "identity", data.Identity)
		}
		for _, e := range data.Log {
			fmt.Fprintf(w, "%s %s %s", e.At, e.Kind, e.Key)
			if e.Kind != keys.Genesis {
				fmt.Fprintf(w, " from release %d", e.Sequence)
			}
			if e.Reason != "" {
				fmt.Fprintf(w, ": %s", e.Reason)
			}
			fmt.Fprintln(w)
		}
		if err := s.Log.Allows(data.DID, keys.NoSequence); err != nil {
			a.note("wb: warning: %v; wb key rotate cannot help, since a revoked key names no other", err)
		}
		return nil
	})
}

type keyShowCmd struct{}

func (c *keyShowCmd) Help() string {
	return "Example:\n  wb key show\n\nThe first line is the did:key that others compare signatures with. The secret is never printed."
}

func (c *keyShowCmd) Run(a *terminal) error {
	s, err := issuer()
	if err != nil {
		return err
	}
	return a.showKey("key", s)
}

type keyNewCmd struct{}

func (c *keyNewCmd) Help() string {
	return "Example:\n  wb key new\n\nThe key lies in wb/keys/ in the user's configuration directory, readable by the user only. Back it up: who loses it cannot rotate it."
}

func (c *keyNewCmd) Run(a *terminal) error {
	exists, err := identity.Exists("", identity.DefaultTenant)
	if err != nil {
		return err
	}
	if exists {
		return diag.Busyf("wb key show shows it, wb key rotate replaces it", "there is a key already")
	}
	s, err := issuer()
	if err != nil {
		return err
	}
	return a.showKey("key", s)
}

type keyRotateCmd struct {
	From int `default:"1" help:"The first release of your site that the new key signs; older ones stay good under the old key." placeholder:"RELEASE"`
}

func (c *keyRotateCmd) Help() string {
	return "Example:\n  wb key rotate --from 12\n\nThe old key signs the new one in the key log, the new one signs that it agrees, and the old one is deleted."
}

func (c *keyRotateCmd) Run(a *terminal) error {
	s, err := issuer()
	if err != nil {
		return err
	}
	old, err := s.Rotate(c.From, time.Now())
	if err != nil {
		return err
	}
	a.note("%s gave way", old)
	return a.showKey("key", s)
}

type keyRevokeCmd struct {
	Key    string `arg:"" help:"The did:key to revoke, one of the log."`
	From   int    `default:"0" help:"The first release of your site that it no longer holds for; 0 takes back everything." placeholder:"RELEASE"`
	Reason string `default:"revoked" help:"Why, for people."`
}

func (c *keyRevokeCmd) Help() string {
	return "Example:\n  wb key revoke did:key:z6Mk… --from 7 --reason stolen\n\nRotate first when the key is still the current one: a revoked key can name no other. Publish the site again, so that readers see the log."
}

func (c *keyRevokeCmd) Run(a *terminal) error {
	s, err := issuer()
	if err != nil {
		return err
	}
	if fault.CodeOf(s.Log.Allows(c.Key, keys.NoSequence)) == fault.KeyUnknown {
		return diag.NotFoundf("wb key show lists the keys in it", "%s", c.Key+" is not in your key log")
	}
	if err := s.Revoke(c.Key, c.From, c.Reason, time.Now()); err != nil {
		return err
	}
	return a.showKey("key", s)
}

type keyDIDCmd struct {
	Host string   `arg:"" help:"The host of the site, such as example.org or localhost:8080."`
	Path []string `arg:"" complete:"words" optional:"" help:"Names of the directories at the host that the document is for; by default .well-known is."`
}

func (c *keyDIDCmd) Help() string {
	return `Examples:
  wb key export-did example.org > public/.well-known/did.json
  wb key export-did example.org people ada > public/people/ada/did.json

The second is for did:web:example.org:people:ada. Readers give either name to
wb verify --did.`
}

func (c *keyDIDCmd) Run(a *terminal) error {
	s, err := issuer()
	if err != nil {
		return err
	}
	did := keys.DIDWeb(c.Host, c.Path...)
	if _, err := keys.WebURL(did); err != nil {
		return diag.Usagef("such as example.org, or localhost:8080", "%q names no host: %w", c.Host, err)
	}
	doc := keys.Document(did, s.Key.DID())
	return a.answer("key", doc, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(doc)
	})
}

// count is a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxFile is the largest file that is signed, verified or taken apart, in bytes.
const maxFile = 2 << 30

// readFile reads a file that the user named: what has no end, or would wait for
// somebody to write to it, is refused.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, missing(name, err)
	case info.IsDir():
		return nil, diag.Usagef("", "%s is a directory", name)
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("", "%s is no regular file", name)
	case info.Size() > maxFile:
		return nil, diag.Usagef("", "%s has %d bytes, more than the %d that are read", name, info.Size(), int64(maxFile))
	}
	return os.ReadFile(name)
}

// missing turns the absence of a named file into the answer verbs give.
func missing(name string, err error) error {
	if os.IsNotExist(err) {
		return app.MissingFile(name)
	}
	return err
}
