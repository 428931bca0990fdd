package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"wb/workbook/frozen"
	"wb/workbook/instance"
)

// sessionCmd looks at frozen sessions.
type sessionCmd struct {
	Info sessionInfoCmd `cmd:"" help:"Check a frozen file and say what is in it."`
}

type sessionInfoCmd struct {
	File string `arg:"" help:"What wb run --freeze has written." type:"existingfile"`
}

func (c *sessionInfoCmd) Help() string { return "Example:\n  wb session info notebook.wbfreeze" }

// frozenJSON is a frozen document as --json answers it.
type frozenJSON struct {
	instance.Info
	Standing standing `json:"standing"`

	Keys  []string `json:"keys"`
	Files []string `json:"files"`
}

func (c *sessionInfoCmd) Run(a *terminal) error {
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	f, err := frozen.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	who, err := standingOf(f.Signer)
	if err != nil {
		return err
	}
	data := frozenJSON{instance.Describe(f), who, itemNames(f.KV), itemNames(f.Files)}
	return a.answer("session", data, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %d sessions, %d keys, %d files\n", data.Document, len(data.Sessions), len(data.Keys), len(data.Files))
		fmt.Fprintln(w, signedBy(data.Signer, who))
		for _, s := range data.Sessions {
			fmt.Fprintf(w, "%-20s %8d bytes  after %s\n", s.Name, s.Size, strings.Join(s.Ran, ", "))
		}
		return nil
	})
}

// signedBy says who signed a frozen file, and what they are to the user.
func signedBy(signer string, who standing) string {
	switch who {
	case standingOwn:
		return "signed by " + signer + ", a key of yours"
	case standingTrusted:
		return "signed by " + signer + ", whom you trust"
	case standingRevoked:
		return "signed by " + signer + ", a key of yours that was revoked"
	case standingForeign:
		return "signed by " + signer + ", whom you do not trust"
	}
	return "not signed"
}

func itemNames(items []frozen.Item) []string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.Name
	}
	return names
}
