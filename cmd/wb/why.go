package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"wb/compile"
	"wb/workbook"
)

// whyCmd says why a component would run again, by the digests that changed.
type whyCmd struct {
	File  string            `arg:"" help:"Workbook, or - for standard input."`
	ID    string            `arg:"" optional:"" help:"Component: its id, #+NAME or heading."`
	Line  int               `help:"In place of an id: a line of the component." placeholder:"N"`
	Set   map[string]string `help:"Inputs, as for wb run." placeholder:"NAME=VALUE" mapsep:"none"`
	Grant []string          `help:"Capabilities, as for wb run." placeholder:"CAP"`

	stdinFlag
}

func (c *whyCmd) Help() string {
	return "Example:\n  wb why analysis.org totals"
}

func (c *whyCmd) Run(a *app) error {
	file, src, err := c.read(a, c.File)
	if err != nil {
		return err
	}
	id, err := c.component(file, src)
	if err != nil {
		return err
	}
	opts, err := (&runCmd{Set: c.Set, Grant: c.Grant, Profile: "compute"}).options()
	if err != nil {
		return err
	}
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		opts.File, opts.Source, opts.Lanes, opts.Cache = file, src, lanes, workbook.CacheBeside(file)
		x, err := workbook.Explain(a.ctx, opts, id)
		if err != nil {
			return err
		}
		return a.answer("why", x, func(w io.Writer) error { return writeExplanation(w, x) })
	})
}

// component is the id of the component that is asked about.
func (c *whyCmd) component(file string, src []byte) (string, error) {
	switch {
	case (c.ID == "") == (c.Line == 0):
		return "", &usageError{err: errors.New("name a component, or give --line"), hint: "wb help why"}
	case c.ID != "":
		return c.ID, nil
	}
	ids, err := componentsIn(file, src, strconv.Itoa(c.Line))
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// writeExplanation says the reason, then what the outcome depends on, then and
// now.
func writeExplanation(w io.Writer, x *workbook.Explanation) error {
	verdict := "would not run"
	if x.WouldRun {
		verdict = "would run"
	}
	fmt.Fprintf(w, "%s %s: %s\n", x.ID, verdict, x.Reason)
	if len(x.Needs) > 0 {
		fmt.Fprintf(w, "first: %s\n", strings.Join(x.Needs, ", "))
	}
	if x.Now == nil {
		return nil
	}
	before := x.Before
	if before == nil {
		before = &workbook.Digests{}
	}
	var table strings.Builder
	tab := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(what, then, now string) {
		mark := ""
		if then != now && x.Before != nil {
			mark = "changed"
		}
		fmt.Fprintf(tab, "  %s\t%s\t%s\n", what, shortDigest(now), mark)
	}
	row("source", before.Source, x.Now.Source)
	for _, name := range slices.Sorted(maps.Keys(x.Now.Inputs)) {
		row("input "+name, before.Inputs[name], x.Now.Inputs[name])
	}
	row("toolchain", toolchainName(before.Toolchain), toolchainName(x.Now.Toolchain))
	row("profile", before.Profile, x.Now.Profile)
	if len(x.Now.Caps)+len(before.Caps) > 0 {
		row("granted", strings.Join(before.Caps, " "), strings.Join(x.Now.Caps, " "))
	}
	for _, read := range x.Reads {
		fmt.Fprintf(tab, "  file\t%s\t\n", read)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// shortDigest is text with the first 12 digits of each digest in it; other words
// stay whole.
func shortDigest(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if len(word) == 64 && !strings.Contains(word, "/") {
			words[i] = word[:12]
		}
	}
	return strings.Join(words, " ")
}

// mostToolchain is the longest fingerprint that is shown as it is.
const mostToolchain = 80

// toolchainName is a lane's fingerprint for people: as it is when it is short, else
// its beginning, which names the lane and its version, and a digest of all.
func toolchainName(fingerprint string) string {
	if len(fingerprint) <= mostToolchain && !strings.Contains(fingerprint, "\n") {
		return fingerprint
	}
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && !strings.ContainsRune("#\"'(){}", r) }
	name := fingerprint
	if end := strings.IndexFunc(name, func(r rune) bool { return !plain(r) }); end >= 0 {
		name = name[:end]
	}
	sum := sha256.Sum256([]byte(fingerprint))
	return strings.TrimSpace(strings.TrimRight(name[:min(len(name), mostToolchain/2)], "/") + " " + hex.EncodeToString(sum[:6]))
}
