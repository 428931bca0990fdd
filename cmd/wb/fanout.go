package main

import (
	"fmt"
	"io"
	"os"

	"wb/app"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook"
)

// mappedJSON is the result of one input of a fan-out: a value or an error.
type mappedJSON struct {
	Value  *value.Value `json:"value,omitempty"`
	Error  string       `json:"error,omitempty"`
	Cached bool         `json:"cached"`
}

// fanOut runs one component over every input of a JSON list; results come in
// the order of the inputs, one line each, and one input's failure is its own.
func (c *runCmd) fanOut(a *terminal, home *app.Home) error {
	if len(c.Files) != 2 {
		return diag.Usagef("wb run --map inputs.json FILE ID", "--map takes a workbook and a component")
	}
	inputs, err := readInputs(c.Map)
	if err != nil {
		return err
	}
	opts, err := c.Options(home)
	if err != nil {
		return err
	}
	opts.File, opts.Cache = c.Files[0], workbook.CacheBeside(c.Files[0])
	if opts.Lanes, err = a.languages(a.ctx); err != nil {
		return err
	}
	c.place(&opts)
	finish, err := a.grant(a.ctx, &opts)
	if err != nil {
		return err
	}
	defer func() { _ = finish(a.ctx) }() // warns by itself
	mapped, err := workbook.Map(a.ctx, opts, c.Files[1], inputs)
	if err != nil {
		return err
	}
	list, failed := make([]mappedJSON, len(mapped)), 0
	for i := range mapped {
		list[i].Cached = mapped[i].Cached
		if mapped[i].Err != nil {
			list[i].Error = mapped[i].Err.Error()
			failed++
			continue
		}
		list[i].Value = &mapped[i].Value
	}
	err = a.answer("run", list, func(w io.Writer) error {
		for _, m := range list {
			if err := diag.WriteJSON(w, m); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && failed > 0 {
		a.note("%d of %d inputs failed", failed, len(list))
		return diag.Told(diag.ExitFailed)
	}
	return err
}

func readInputs(file string) ([]value.Value, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v, err := value.ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if v.Kind() != value.List {
		return nil, diag.Usagef("", "%s", file+": expected a JSON list of inputs")
	}
	return v.Items(), nil
}
