package main

import (
	"crypto/sha256"
	"os"
	"time"

	"wb/app"
)

// watchInterval is how often files are looked at: editors save by renaming, so
// content is compared, not events.
const watchInterval = 300 * time.Millisecond

// watch runs the files now and whenever the content of one changes. What the
// run itself writes counts as seen. It ends with Ctrl-C.
func (c *runCmd) watch(a *terminal, home *app.Home) error {
	seen := map[string][32]byte{}
	for {
		for _, file := range c.Files {
			sum, ok := contentSum(file)
			if !ok || sum == seen[file] {
				continue
			}
			if err := c.runFile(a, home, file); err != nil && a.ctx.Err() == nil {
				a.fail("run", err)
			}
			seen[file], _ = contentSum(file)
		}
		select {
		case <-a.ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

func contentSum(file string) ([32]byte, bool) {
	data, err := os.ReadFile(file)
	return sha256.Sum256(data), err == nil
}
