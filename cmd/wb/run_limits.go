package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"wb/app"
	"wb/workbook"
)

// explainLimits shows what each component may use, and which flag gives it more.
func (c *runCmd) explainLimits(a *terminal, home *app.Home) error {
	opts, err := c.Options(home)
	if err != nil {
		return err
	}
	if opts.Lanes, err = a.languages(a.ctx); err != nil {
		return err
	}
	var all []workbook.ComponentLimits
	for _, file := range c.Files {
		name, _, src, err := home.Read(file)
		if err != nil {
			return err
		}
		opts.File, opts.Source = name, src
		list, err := workbook.ExplainLimits(a.ctx, opts)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	return a.answer("run", all, func(w io.Writer) error {
		names := workbook.LimitNames()
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "component\tlanguage\tprofile\t%s\tasks for\n", strings.Join(names, "\t"))
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s", one.ID, one.Lang, one.Profile)
			for _, name := range names {
				fmt.Fprintf(table, "\t%s", one.Limits[name])
			}
			fmt.Fprintf(table, "\t%s\n", askedWords(one.Asked))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprint(w, "\nA block asks for more with :timeout, :memory, :fuel and :output; the run allows that with\n"+
			"--limits timeout=60s,memory=512MiB,fuel=1e11,output=64MiB. --profile sets the limits without that:\n"+
			"compute 5s, 64 MiB; network 30s, 128 MiB; posix 1m, 256 MiB. Lower limits are always granted.\n")
		return err
	})
}

// askedWords says what a block asks for and what becomes of it.
func askedWords(asked []workbook.AskedLimit) string {
	var words []string
	for _, ask := range asked {
		word := ":" + ask.Name + " " + ask.Text
		if ask.Refused {
			word += fmt.Sprintf(" (refused: --limits %s=%s allows it)", ask.Name, ask.Text)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
