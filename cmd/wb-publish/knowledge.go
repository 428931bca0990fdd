package main

import (
	"context"
	"sync"

	"wb/compile"
	"wb/compile/lanes"
	"wb/publish/manifest"
	"wb/publish/page"
	"wb/publish/site"
	"wb/publish/site/highlight"
	"wb/publish/site/worker"
	"wb/workbook"
)

// knowledge is what is known about how results came to be: facts from the
// cache beside each document. Nothing runs.
type knowledge struct {
	env   *compile.Env
	lanes *compile.Registry
	talk  *worker.Talk

	mu   sync.Mutex
	said map[string][]manifest.Assertion // by page
}

func newKnowledge(ctx context.Context, r worker.Request, t *worker.Talk) (*knowledge, error) {
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		return nil, err
	}
	registry, err := lanes.New(env)
	if err != nil {
		env.Close(ctx)
		return nil, err
	}
	return &knowledge{env: env, lanes: registry, talk: t, said: map[string][]manifest.Assertion{}}, nil
}

func (k *knowledge) close() { k.env.Close(context.Background()) }

func (k *knowledge) options() site.Options {
	return site.Options{Highlight: highlight.New(), Know: k.about}
}

// about asks the cache about a document's components. A document that cannot
// be planned is published without facts, and the user hears why.
func (k *knowledge) about(ctx context.Context, d *site.Document) (site.Known, error) {
	opts := workbook.Options{File: d.File, Source: d.Source, Lanes: k.lanes, Cache: workbook.CacheBeside(d.File)}
	facts, err := page.Facts(ctx, opts)
	if err != nil {
		if ctx.Err() != nil {
			return site.Known{}, ctx.Err()
		}
		return site.Known{}, k.talk.Note("%s: nothing is known about how its results were made: %v", d.File, err)
	}
	if said := page.Statements(workbook.NewPlan(d.File, d.Source), d.Path, facts); len(said) > 0 {
		k.mu.Lock()
		k.said[d.Page] = said
		k.mu.Unlock()
	}
	return site.Known{Facts: facts}, nil
}

func (k *knowledge) assertions() map[string][]manifest.Assertion {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said
}
