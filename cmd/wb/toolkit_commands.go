package main

import (
	"fmt"
	"io"
	"strings"

	"wb/compile/shell"
	"wb/internal/diag"
	"wb/workbook/capability"
)

// toolkitCommandsCmd lists the commands that can be called by name.
type toolkitCommandsCmd struct{}

func (c *toolkitCommandsCmd) Help() string {
	return "Examples:\n  wb toolkit commands\n  wb toolkit commands | grep net\n\nLists the commands of toolkits, those of the shell that the host performs, and the\nsandbox's own tools, which blocks start with commands, exec and process. Beside each\nstand the capabilities it asks for, - for none."
}

// listedCommand is a command as the list shows it.
type listedCommand struct {
	Name  string   `json:"name"`
	From  string   `json:"from"` // a toolkit, the shell or the sandbox
	Caps  []string `json:"caps"`
	About string   `json:"about,omitempty"`
}

func (c *toolkitCommandsCmd) Run(a *terminal) error {
	kits, errs := toolkits().List()
	for _, err := range errs {
		a.note("wb: %v", err)
	}
	list := []listedCommand{}
	for _, t := range kits {
		for _, command := range t.Commands {
			list = append(list, listedCommand{t.ID + "/" + command.Name, "toolkit", nonNil(command.Caps), command.Tagline})
		}
	}
	for _, b := range shell.Brokered() {
		list = append(list, listedCommand{b.Name, "shell", nonNil(b.Caps), b.About})
	}
	for _, name := range capability.Registered() {
		list = append(list, listedCommand{name, "sandbox", []string{}, ""})
	}
	err := a.answer("toolkit", list, func(w io.Writer) error {
		for _, command := range list {
			caps := strings.Join(command.Caps, " ")
			if caps == "" {
				caps = "-"
			}
			line := fmt.Sprintf("%-24s %-8s %-20s %s", command.Name, command.From, caps, command.About)
			if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(errs) > 0 {
		return diag.Told(diag.ExitFailed)
	}
	return err
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
