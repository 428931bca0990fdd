package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"wb/internal/diag"
	"wb/workbook"
)

// WhyIn holds the arguments of wb why.
type WhyIn struct {
	File  string           `arg:"" help:"Workbook, or - for standard input."`
	ID    string           `arg:"" optional:"" json:"id" complete:"names" help:"Component: its id, #+NAME or heading."`
	Line  int              `help:"Instead of an id: a line of the component." placeholder:"N"`
	Set   map[string]Given `help:"Inputs, as for wb run." placeholder:"NAME=VALUE" mapsep:"none"`
	Grant []string         `on:"terminal" help:"Capabilities, as for wb run." placeholder:"CAP"`

	Profile string `on:"terminal" enum:"compute,minimal,network,posix" default:"compute" help:"Profile, as for wb run (${enum})."`

	Stdin
}

var why = Verb[WhyIn, *workbook.Explanation]{
	Name: "why", Help: "Explain why a component would, or would not, run again.",
	About: "Example:\n  wb why analysis.org totals",
	Doors: Tools | Agents | Editors,
	Do: func(ctx context.Context, h *Home, in *WhyIn) (*workbook.Explanation, error) {
		return in.Explain(ctx, h)
	},
	Text: func(p *Page, x *workbook.Explanation) error { return writeExplanation(p, x) },
}

// Explain answers for a component.
func (in *WhyIn) Explain(ctx context.Context, h *Home) (*workbook.Explanation, error) {
	name, path, src, err := in.at(h).Read(in.File)
	if err != nil {
		return nil, err
	}
	id, err := in.component(name, src)
	if err != nil {
		return nil, err
	}
	opts, err := RunFlags{Set: in.Set, Grant: in.Grant, Profile: in.Profile}.Options(h)
	if err != nil {
		return nil, err
	}
	if opts.Book, err = h.book(ctx, path, src); err != nil {
		return nil, err
	}
	return workbook.Explain(ctx, opts, id)
}

// component is the id of the component that is asked about.
func (in *WhyIn) component(file string, src []byte) (string, error) {
	switch {
	case (in.ID == "") == (in.Line == 0):
		return "", diag.Usagef("wb help why", "name a component, or give --line")
	case in.ID != "":
		return in.ID, nil
	}
	ids, err := ComponentsIn(file, src, strconv.Itoa(in.Line))
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
