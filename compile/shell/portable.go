package shell

import (
	"context"
	"io"
	"maps"
	"slices"

	"wb/compile"
)

// Recipe implements [compile.Portable]: the machine is the frozen guest with the
// tools beside it, the program the command line of its first process.
func (l *Lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	script, err := scriptOf(art, job)
	if err != nil {
		return nil, err
	}
	stdin, err := io.ReadAll(script.Stdin)
	if err != nil {
		return nil, err
	}
	set, err := l.loader.load(ctx)
	if err != nil {
		return nil, err
	}
	parts := wanted(script.argv())
	parts[original{toolboxName, toolboxFile}], parts[original{guestName, guestFile}] = "", ""
	programs := map[string][]byte{}
	for o := range parts {
		t, err := l.env.Tools.Ensure(ctx, o.toolchain, l.env.Progress)
		if err != nil {
			return nil, err
		}
		if programs[o.name()], err = read(t, o.file); err != nil {
			return nil, err
		}
	}
	from := map[string]string{}
	for command, o := range originals() {
		if programs[o.name()] != nil {
			from[command] = o.name()
		}
	}
	results := art.Results()
	p := portable{Shape: art.Shape, Tools: set.names(), From: from, Hosted: slices.Sorted(maps.Keys(brokered)), Status: results.Has("value"), Read: results.Reading()}
	p.Hosted = slices.DeleteFunc(p.Hosted, func(name string) bool { return name == dockCommand })
	for _, word := range script.argv() {
		p.Argv = append(p.Argv, []byte(word))
	}
	guest := programs[guestName]
	delete(programs, guestName)
	return &compile.Shipment{Name: guestName, Wasm: guest, Beside: programs,
		Stdin: stdin, Dir: job.Dir, Limits: withDefaults(job.Limits), Entry: compile.EntryMachine, Machine: "shell",
		Image: &compile.Image{Snapshot: set.frozen}, Program: p}, nil
}

// portable is a script as the runtime in a browser reads it.
type portable struct {
	Shape  compile.Shape     `json:"shape"`
	Argv   [][]byte          `json:"argv"`
	Tools  []string          `json:"tools"`            // commands there are
	From   map[string]string `json:"from,omitempty"`   // the program beside that has a command, unless it is the toolbox
	Hosted []string          `json:"hosted"`           // those of them that only the host performs
	Status bool              `json:"status,omitempty"` // the result is the exit status, printed last
	Read   compile.Reading   `json:"read"`
}
