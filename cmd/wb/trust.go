package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/proof/fetch"
	"wb/proof/keys"
	"wb/sandbox/grants"
	"wb/workbook"
)

// trustCmd grants a document, or what somebody signs, what it asks for, for good.
type trustCmd struct {
	What   string   `arg:"" complete:"files" optional:"" help:"A document; or whoever signs: a did:key, a did:web, a key log or did.json."`
	Grant  []string `help:"Grant this, of what is asked for; may be repeated. A document is granted everything it asks for without one." placeholder:"CAP"`
	Online bool     `help:"Ask other machines for the document of a did:web."`
	List   bool     `help:"List the documents and signers that are trusted."`
	Forget bool     `help:"End the trust instead."`
}

func (c *trustCmd) Help() string {
	return `Examples:
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
log that came along, or that wb verify has seen, is not trusted.`
}

func (c *trustCmd) Run(a *terminal) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	switch {
	case c.List && (c.What != "" || c.Forget || len(c.Grant) > 0):
		return diag.Usagef("", "--list goes alone")
	case c.List:
		return c.list(a, host.Grants)
	case c.What == "":
		return diag.Usagef("wb trust --list shows who is trusted", "name a document or a key")
	case c.Forget:
		return c.forget(a, host.Grants)
	}
	for _, g := range c.Grant {
		if name := workbook.Capability(g); !slices.Contains(workbook.Capabilities(), name) {
			return diag.Usagef("capabilities are "+strings.Join(workbook.Capabilities(), ", "), "there is no capability %s", name)
		}
	}
	who, isSigner, err := c.signer(a)
	if err != nil {
		return err
	}
	if isSigner {
		return c.trustSigner(a, host.Grants, who)
	}
	return c.trustDocument(a, host.Grants)
}

// signer is who a did or a file with keys names; ok is false for a document.
func (c *trustCmd) signer(a *terminal) (who []grants.Signer, ok bool, err error) {
	switch {
	case strings.HasPrefix(c.What, "did:web:"):
		dids, err := fetch.Keys(a.ctx, c.What, c.Online)
		for _, did := range dids {
			who = append(who, grants.Signer{DID: did, Name: c.What})
		}
		return who, true, err
	case strings.HasPrefix(c.What, "did:"):
		_, err := keys.Public(c.What)
		return []grants.Signer{{DID: c.What}}, true, err
	case filepath.Ext(c.What) == ".org" || isPublished(c.What):
		return nil, false, nil
	}
	text, err := readFile(c.What)
	if err != nil {
		return nil, false, err
	}
	named, err := keys.Named(text)
	if err != nil {
		return nil, false, diag.Usagef("a key log is .well-known/wb-keys.jsonl of a site; wb trust did:key:… names a key itself", "%s is neither a document nor a file of keys", c.What)
	}
	file, err := filepath.Abs(c.What)
	for _, n := range named {
		who = append(who, grants.Signer{DID: n.DID, Name: file, Keys: n.Log})
	}
	return who, true, err
}

func (c *trustCmd) trustSigner(a *terminal, store *grants.Store, who []grants.Signer) error {
	if len(c.Grant) == 0 {
		return diag.Usagef("wb trust "+c.What+" --grant kv --grant 'net:*'", "say what everything that they sign is granted")
	}
	for i := range who {
		who[i].Grants = c.Grant
		var err error
		if who[i], err = store.TrustSigner(who[i]); err != nil {
			return err
		}
	}
	return a.answer("trust", who, func(w io.Writer) error {
		for _, s := range who {
			fmt.Fprintf(w, "what %s signs is granted %s, of what it asks for\n", s.DID, strings.Join(s.Grants, " "))
		}
		return nil
	})
}

func (c *trustCmd) trustDocument(a *terminal, store *grants.Store) error {
	if isPublished(c.What) {
		return diag.Usagef("wb verify "+c.What+" says who that is", "%s is signed; trust its signer instead", c.What)
	}
	src, err := readFile(c.What)
	if err != nil {
		return err
	}
	plan := workbook.NewPlan(c.What, src)
	granted := workbook.Asks(plan)
	if len(c.Grant) > 0 {
		granted = c.Grant
	}
	for _, g := range granted {
		if name := workbook.Capability(g); !slices.Contains(workbook.Capabilities(), name) {
			return diag.Usagef("capabilities are "+strings.Join(workbook.Capabilities(), ", "), "there is no capability %s", name)
		}
	}
	if len(granted) == 0 {
		return diag.NotFoundf("a block asks with :uses", "%s", c.What+" asks for nothing")
	}
	file, err := filepath.Abs(c.What)
	if err != nil {
		return err
	}
	trust, err := store.Trust(workbook.ProgramDigest(plan), file, granted)
	if err != nil {
		return err
	}
	return a.answer("trust", trust, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s is granted %s until its code changes\n", c.What, strings.Join(trust.Grants, " "))
		return err
	})
}

func (c *trustCmd) list(a *terminal, store *grants.Store) error {
	documents, _, err := store.List()
	if err != nil {
		return err
	}
	signers, err := store.Signers()
	if err != nil {
		return err
	}
	return a.answer("trust", map[string]any{"documents": documents, "signers": signers}, func(w io.Writer) error {
		showTrust(w, documents, signers)
		return nil
	})
}

// showTrust writes a line for each document and signer that is trusted.
func showTrust(w io.Writer, documents []grants.Trust, signers []grants.Signer) {
	for _, t := range documents {
		fmt.Fprintf(w, "granted  %s  %s  %s\n", t.At.Local().Format("2006-01-02 15:04"), t.File, strings.Join(t.Grants, " "))
	}
	for _, s := range signers {
		who := s.DID
		if s.Name != "" {
			who += " (" + s.Name + ")"
		}
		fmt.Fprintf(w, "signer   %s  %s  %s\n", s.At.Local().Format("2006-01-02 15:04"), who, strings.Join(s.Grants, " "))
	}
}

func (c *trustCmd) forget(a *terminal, store *grants.Store) error {
	what := principal(c.What)
	documents, signers, err := store.Forget(what)
	if err != nil {
		return err
	}
	if len(documents)+len(signers) == 0 {
		return diag.NotFoundf("wb trust --list shows what is", "%s", c.What+" is not trusted")
	}
	return a.answer("trust", map[string]any{"documents": documents, "signers": signers}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s is trusted no more\n", c.What)
		return err
	})
}

// principal is the name that grants are kept under: a file's whole path, or what
// is no file as it is.
func principal(name string) string {
	if _, err := os.Stat(name); err != nil && !strings.HasSuffix(name, ".org") {
		return name
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}
