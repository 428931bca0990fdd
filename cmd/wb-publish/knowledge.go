package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"wb/compile"
	"wb/compile/lanes"
	"wb/org"
	"wb/publish/live"
	"wb/publish/page"
	"wb/publish/site"
	"wb/publish/site/highlight"
	"wb/publish/site/worker"
	"wb/workbook"
)

// knowledge holds the known facts about how results came to be: facts from the
// cache beside each document. Nothing runs. Lanes are there once a page needs them.
type knowledge struct {
	talk *worker.Talk
	live *live.Shared

	mu    sync.Mutex
	env   *compile.Env
	lanes *compile.Registry
}

func newKnowledge(t *worker.Talk) *knowledge {
	return &knowledge{talk: t, live: live.NewShared()}
}

func (k *knowledge) close() {
	if k.env != nil {
		k.env.Close(context.Background())
	}
}

// open gives the lanes.
func (k *knowledge) open(ctx context.Context) (*compile.Registry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lanes != nil {
		return k.lanes, nil
	}
	env, err := compile.NewEnv(context.WithoutCancel(ctx), compile.EnvConfig{})
	if err != nil {
		return nil, err
	}
	registry, err := lanes.New(env)
	if err != nil {
		env.Close(ctx)
		return nil, err
	}
	k.env, k.lanes = env, registry
	return registry, nil
}

func (k *knowledge) options() site.Options {
	return site.Options{Highlight: highlight.New(), Lanes: k.open, Know: k.about, State: state, Made: k.talk.Made}
}

// state names what the caches and the events beside documents hold, by their names,
// sizes and times.
func state(dir string) string {
	sum := sha256.New()
	note := func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			fmt.Fprintf(sum, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(dir, ".wb", "outcomes"), note) // note has no errors
	if info, err := os.Stat(filepath.Join(dir, "events.org")); err == nil {
		_ = note("events.org", fs.FileInfoToDirEntry(info), nil)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// about asks the cache about a document's components. A document that cannot
// be planned is published without facts, and the user hears why.
func (k *knowledge) about(ctx context.Context, d *site.Document, c site.Config) (site.Known, error) {
	lanes, err := k.open(ctx)
	if err != nil {
		return site.Known{}, err
	}
	book := workbook.BookAt(d.File, d.Source, lanes)
	facts, err := page.Facts(ctx, book)
	if err != nil {
		if ctx.Err() != nil {
			return site.Known{}, ctx.Err()
		}
		return site.Known{}, k.talk.Note("%s: nothing is known about how its results were made: %v", d.File, err)
	}
	known := site.Known{Facts: facts, Said: page.Statements(workbook.NewPlan(d.File, d.Source), d.Path, facts)}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(d.File), "events.org")); err == nil {
		known.Events = page.RunEvents(text, d.File)
		page.AddEvents(facts, known.Events)
	}
	err = k.addLive(ctx, &known, d, c, book)
	return known, err
}

// addLive adds what lets readers run components in their browsers.
func (k *knowledge) addLive(ctx context.Context, known *site.Known, d *site.Document, c site.Config, book workbook.Book) error {
	config := live.Config{Shared: k.live}
	if _, own := org.Parse(d.Source).Setting("PUBLISH_LIVE"); !own {
		config.Mode = live.Mode(c.Live)
	}
	at := func(digest string) string { return "assets/live/" + digest + ".gz" }
	beside := c.Runtime != site.RuntimePage
	if beside {
		config.Href = func(digest string) string { return d.To(at(digest)) }
	}
	l, err := live.New(ctx, book, config)
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
