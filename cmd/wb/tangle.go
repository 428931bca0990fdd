package main

import (
	"errors"
	"time"

	"wb/app"
	"wb/tangle"
)

// tangleCmd writes the source files that documents describe, and here keeps both
// together until interrupted.
type tangleCmd struct {
	app.TangleIn
	Watch bool `help:"Keep files and documents together, both ways, until interrupted." xor:"mode"`
}

func (c *tangleCmd) Run(a *terminal) error {
	if !c.Watch {
		row, _ := app.Find("tangle")
		return a.do(row, &c.TangleIn)
	}
	project := app.NewProject(c.AllowOutside)
	return app.WithBlocks(a.ctx, a.home(), project, func() error { return c.watch(a, project) })
}

// watch syncs each document now and whenever it or one of its files changes.
func (c *tangleCmd) watch(a *terminal, project *tangle.Project) error {
	seen := map[string][32]byte{}
	for {
		for _, file := range c.Files {
			names, err := project.Watched(a.ctx, file)
			if errors.Is(err, tangle.ErrRun) && project.Options.Run == nil {
				return err
			}
			if !anyChanged(names, seen) {
				continue
			}
			if err := c.sync(a, project, file); err != nil && a.ctx.Err() == nil {
				a.fail("tangle", err)
			}
			for _, name := range names {
				seen[name], _ = contentSum(name)
			}
		}
		select {
		case <-a.ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

func anyChanged(names []string, seen map[string][32]byte) bool {
	for _, name := range names {
		sum, ok := contentSum(name)
		if last, known := seen[name]; ok && (!known || sum != last) {
			return true
		}
	}
	return false
}

func (c *tangleCmd) sync(a *terminal, project *tangle.Project, file string) error {
	synced, err := project.Sync(a.ctx, file)
	if err != nil {
		return err
	}
	if synced.Recovery != nil {
		a.page().Recovered(synced.Recovery)
	}
	app.TangleNotes(a.home(), file, synced.Report)
	return c.Print(a.page(), synced.Report)
}
