package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"wb/compile"
	"wb/compile/lanes"
	"wb/org"
	"wb/proof/manifest"
	"wb/publish/live"
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
	live  *live.Store

	mu   sync.Mutex
	said map[string][]manifest.Assertion // by page
}

func newKnowledge(ctx context.Context, t *worker.Talk) (*knowledge, error) {
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		return nil, err
	}
	registry, err := lanes.New(env)
	if err != nil {
		env.Close(ctx)
		return nil, err
	}
	return &knowledge{env: env, lanes: registry, talk: t, live: live.NewStore(), said: map[string][]manifest.Assertion{}}, nil
}

func (k *knowledge) close() { k.env.Close(context.Background()) }

func (k *knowledge) options() site.Options {
	return site.Options{Highlight: highlight.New(), Lanes: k.lanes, Know: k.about}
}

// about asks the cache about a document's components. A document that cannot
// be planned is published without facts, and the user hears why.
func (k *knowledge) about(ctx context.Context, d *site.Document, c site.Config) (site.Known, error) {
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
	known := site.Known{Facts: facts}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(d.File), "events.org")); err == nil {
		known.Events = page.RunEvents(text, d.File)
		page.AddEvents(facts, known.Events)
	}
	err = k.addLive(ctx, &known, d, c, opts)
	return known, err
}

// addLive adds what lets readers run components in their browsers.
func (k *knowledge) addLive(ctx context.Context, known *site.Known, d *site.Document, c site.Config, opts workbook.Options) error {
	config := live.Config{Store: k.live}
	if _, own := org.Parse(d.Source).Setting("PUBLISH_LIVE"); !own {
		config.Mode = live.Mode(c.Live)
	}
	at := func(digest string) string { return "assets/live/" + digest + ".gz" }
	beside := c.Runtime != site.RuntimePage
	if beside {
		config.Href = func(digest string) string { return d.To(at(digest)) }
	}
	l, err := live.New(ctx, opts, config)
	if err != nil {
		return k.talk.Note("%s: nothing of it runs in a browser: %v", d.File, err)
	}
	if len(l.Runs()) == 0 {
		return nil
	}
	known.Live = l.Component
	if known.Foot, err = l.Foot(); err != nil {
		return err
	}
	if beside {
		known.Files = map[string][]byte{}
		for digest, data := range l.Assets() {
			known.Files[at(digest)] = data
		}
	}
	return nil
}

func (k *knowledge) assertions() map[string][]manifest.Assertion {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said
}
