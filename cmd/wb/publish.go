package main

import (
	"fmt"
	"io"
	"os"

	"wb/app"
	"wb/publish/site/worker"
)

// publishServeCmd previews a site until interrupted.
type publishServeCmd struct {
	Dir string `arg:"" optional:"" default:"." help:"The directory of the site."`
	app.EarlyFlags
	Port int `help:"The port on this machine; 0 picks a free one." default:"4380"`
}

func (c *publishServeCmd) Help() string {
	return `Examples:
  wb publish serve docs
  wb publish serve --port 0

The preview answers on this machine only. Open pages reload when they
change, and show mistakes. The preview is not signed, and nothing of it is
written.`
}

func (c *publishServeCmd) Run(a *terminal) error {
	if _, err := os.Stat(c.Dir); err != nil {
		return app.Plainly(err)
	}
	_, err := a.home().Work(a.ctx, worker.Request{Do: worker.Serve, Dir: c.Dir, Port: c.Port, Ask: c.Ask()}, worker.Listener{URL: func(url string) error {
		return a.answer("publish", map[string]string{"url": url}, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, url)
			return err
		})
	}})
	return err
}
