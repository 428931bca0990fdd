// Command wb-publish lays out sites for wb publish, which starts it; people
// have no reason to. It is a program of its own because hugo and chroma take
// longer to initialise than most verbs of wb take altogether.
//
// It reads workbooks, caches and the toolchains' descriptions, and writes the
// files of a site into the directory it is given. It signs nothing, deploys
// nothing, and has neither keys nor tokens.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/publish/site"
	"wb/publish/site/hugo"
	"wb/publish/site/worker"
)

// A site of any size needs baseMemory, in bytes, and each of its pages pageMemory:
// a thousand pages have 150 MiB that are no garbage.
const (
	baseMemory = 112 << 20
	pageMemory = 56 << 10
)

// collectAbove makes garbage be collected as soon as there is some once the pages of a
// site must have filled their share of memory. With less than they need, half of the
// processors' time would go into looking for garbage that is not there.
func collectAbove(pages int) { debug.SetMemoryLimit(int64(baseMemory + pages*pageMemory)) }

func main() {
	if len(os.Args) != 2 || os.Args[1] != "work" {
		fmt.Fprintln(os.Stderr, "wb-publish is started by wb publish; for the verbs and their help: wb help publish")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	collectAbove(1)
	if err := worker.Answer(ctx, os.Stdin, os.Stdout, do); err != nil {
		fmt.Fprintf(os.Stderr, "wb-publish: %v\n", err)
		os.Exit(1)
	}
}

func do(ctx context.Context, r worker.Request, t *worker.Talk) (*worker.Reply, error) {
	switch r.Do {
	case worker.Site:
		return buildSite(ctx, r, t)
	case worker.Page:
		return buildPage(ctx, r, t)
	case worker.Serve:
		return &worker.Reply{}, serve(ctx, r, t)
	}
	return nil, fmt.Errorf("unknown task %q", r.Do)
}

// buildSite writes the site of a directory into another.
func buildSite(ctx context.Context, r worker.Request, t *worker.Talk) (*worker.Reply, error) {
	p, err := site.Open(r.Dir, r.Ask)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	collectAbove(len(p.Documents))
	k := newKnowledge(t)
	defer k.close()
	b := site.NewBuilder(p, hugo.Layout{}, k.options())
	var kept *site.Kept
	if r.Kept != "" {
		if kept, err = site.OpenKept(r.Kept, p, r.Machine); err != nil {
			return nil, err
		}
		b.Resume(kept)
	}
	built, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	if r.Strict {
		built.Found = site.Strict(built.Found)
	}
	reply := &worker.Reply{Found: built.Found, Left: p.Left, Until: p.Until, Pages: built.Pages, Made: len(built.Rebuilt), Assertions: built.Said}
	if diag.HasErrors(built.Found) {
		return reply, nil
	}
	if kept == nil {
		return reply, sign.WriteNew(r.Out, built.Files, true)
	}
	reply.Out, reply.Digests, err = kept.Keep(b, built)
	return reply, err
}

// buildPage writes the site of one document into a directory.
func buildPage(ctx context.Context, r worker.Request, t *worker.Talk) (*worker.Reply, error) {
	k := newKnowledge(t)
	defer k.close()
	src, err := os.ReadFile(r.File)
	if err != nil {
		return nil, err
	}
	d := &site.Document{Path: filepath.Base(r.File), Page: site.HomePage, File: r.File, Source: src}
	files, said, found, err := site.Single(ctx, d, k.options())
	if err != nil {
		return nil, err
	}
	if r.Strict {
		found = site.Strict(found)
	}
	reply := &worker.Reply{Found: found, Pages: 1, Assertions: map[string][]manifest.Assertion{d.Page: said}}
	if diag.HasErrors(found) {
		return reply, nil
	}
	return reply, sign.WriteNew(r.Out, files, true)
}

// serve previews a site until its caller has gone.
func serve(ctx context.Context, r worker.Request, t *worker.Talk) error {
	p, err := site.Open(r.Dir, r.Ask)
	if err != nil {
		return err
	}
	defer p.Close()
	collectAbove(len(p.Documents))
	k := newKnowledge(t)
	defer k.close()
	preview := &site.Preview{
		Builder: site.NewBuilder(p, hugo.Layout{}, k.options()),
		Port:    r.Port,
		Ready:   t.URL,
		Note:    func(text string) { _ = t.Note("%s", text) },
	}
	if err := preview.Serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
