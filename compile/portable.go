package compile

import (
	"context"
	"fmt"
	"maps"

	"wb/internal/value"
	"wb/sandbox"
)

// Portable is a lane whose programs also run outside this process, in an
// engine that gives them what package sandbox gives them here: the browser of
// whoever reads a published workbook.
type Portable interface {
	// Recipe lays out the run of an artifact that this lane built, as Run would
	// do it. The error is a *NotPortable when only Run can.
	Ship(ctx context.Context, art *Artifact, job *Job) (*Shipment, error)
}

// NotPortable says why a program runs nowhere else.
type NotPortable struct{ Reason string }

func (e *NotPortable) Error() string { return e.Reason }

// Entry is how a program is entered, and with that how its result is read.
type Entry string

// The entries there are.
const (
	// EntryStart runs _start; the result is what it prints (see Recipe.Read).
	EntryStart Entry = "start"
	// EntryABI calls wb_call as package abi lays out Recipe.Sig.
	EntryABI Entry = "abi"
	// EntryFunc calls Recipe.Func, whose parameters and results are numbers.
	EntryFunc Entry = "func"
	// EntryKernel calls process(in_len) with standard input in memory.
	EntryKernel Entry = "kernel"
	// EntryMachine gives Recipe.Program to the language's own part of the engine,
	// which goes by Recipe.Machine.
	EntryMachine Entry = "machine"
)

// Reading is how the result of a program that prints it is read.
type Reading string

// The readings there are.
const (
	ReadText    Reading = "text"    // as it was printed
	ReadDiscard Reading = "discard" // not at all
	ReadTable   Reading = "table"   // [ImportTable]
	ReadTrimmed Reading = "trimmed" // [ReadCell], without the blanks around it
)

// Shipment is a run laid out for another engine: the module, everything the guest
// sees, and how its result is read. The files of the job are not in it, nor is
// the module metered: that is for whoever ships it.
type Shipment struct {
	Name   string // of the module in messages
	Wasm   []byte // as built
	Args   []string
	Env    []string
	Stdin  []byte
	Dir    string
	Limits sandbox.Limits

	Entry  Entry
	Sig    *value.Sig    // of EntryABI and EntryFunc
	Func   string        // of EntryFunc
	Listed bool          // of EntryFunc: several results are a list, not an object
	Layout KernelLayout  // of EntryKernel
	Placed bool          // of EntryKernel: the program itself says the layout, see [StartPlacedKernel]
	Inputs []value.Field // what is passed to the function, by name

	// Fails is set for a function whose result is {"ok": …} or {"err": …} and
	// stands for failing: its name, for the message.
	Fails string
	// JSON says that arguments and results of the function are JSON texts.
	JSON bool

	Read   Reading // of EntryStart
	Dedent bool    // shared indentation is taken off before reading

	// Machine is the language whose part of the engine runs Program, in a form
	// the two agree on that encodes as JSON. Image is what it starts from, nil
	// for a program that starts anew. All of EntryMachine.
	Machine string
	Image   *Image
	Program any
	// Beside are the modules, as built, that Machine runs beside this one, by
	// their names in messages.
	Beside map[string][]byte

	// Crash says how a trap is put into words, nil when as it is.
	Crash *CrashGuide
}

// Programs are all modules of a recipe by name.
func (r *Shipment) Programs() map[string][]byte {
	all := map[string][]byte{r.Name: r.Wasm}
	maps.Copy(all, r.Beside)
	return all
}

// Image is a language's machine as programs find it: Shipment.Wasm restored from a
// snapshot, so that starting it costs no fuel anywhere.
type Image struct {
	Snapshot *sandbox.Snapshot
	// Library has the files that come with the machine, nil when there are none.
	Library *Library
	// Landmarks are where things lie in it, in a form that encodes as JSON; nil
	// when programs find their way by themselves.
	Landmarks any
}

// Library is a directory of files that all programs of a machine can read and
// none can change. No listing of the directories above shows it.
type Library struct {
	Dir   string            // "/usr/lib/…"
	Files map[string][]byte // by name in it, not to be modified
}

// Places are where a block stands: its file, and the line and column of each of
// its lines, as [Source.At] gives them. With them a machine elsewhere places
// messages as the lane does.
type Places struct {
	File  string   `json:"file"`
	Lines [][2]int `json:"lines"`
}

// Places lays out where the first n lines of the body stand.
func (s *Source) Places(n int) Places {
	p := Places{File: s.At(1, 1).File}
	for line := range n {
		pos := s.At(line+1, 1)
		p.Lines = append(p.Lines, [2]int{pos.Line, pos.Col})
	}
	return p
}

// CrashGuide has what it takes to explain a trap as the lane does: in whose
// way, and where the functions of the block are, in its file.
type CrashGuide struct {
	Style     string            `json:"style"` // the name of the lane: "c", "wat", "go", "rust", "zig"
	At        string            `json:"at"`    // the block's first line
	Functions map[string]string `json:"functions,omitempty"`
	Lines     []string          `json:"lines,omitempty"` // where each line of the block stands
}

// ShipmentOf asks the lane that built an artifact to lay out a run.
func ShipmentOf(ctx context.Context, lane Lane, art *Artifact, job *Job) (*Shipment, error) {
	p, ok := Unwrapped[Portable](lane)
	if !ok {
		return nil, &NotPortable{fmt.Sprintf("%s cannot run from its program alone", lane.Info().Name)}
	}
	return p.Ship(ctx, art, job)
}
