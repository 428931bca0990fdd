package run

import (
	"os"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/sandbox"
	"wb/workbook/frozen"
	"wb/workbook/plan"
)

// Options say what to run and what it may do. Each group stands for itself: any
// value of one goes with any value of the others. A Book is needed; all other
// groups may be left out.
type Options struct {
	Book
	Inputs
	Selection
	Authority
	Venue
	Checks
	Continuation
	Listeners
	// Write says what a run may change on disk.
	Write Writing
}

// Book is a workbook and what runs it. It is all that looking at kept results needs.
type Book struct {
	// File is the workbook's path; results are written there, and components see
	// its directory as their files.
	File string
	// Source is the workbook's text; nil reads File.
	Source []byte
	// Lanes are the languages that blocks may be written in.
	Lanes *compile.Registry
	// Cache keeps outcomes between runs; nil runs everything.
	Cache *Cache
}

// BookAt is a workbook whose outcomes are kept beside it. A nil source reads the file.
func BookAt(file string, source []byte, lanes *compile.Registry) Book {
	return Book{File: file, Source: source, Lanes: lanes, Cache: CacheBeside(file)}
}

// read fills in the source.
func (b *Book) read() error {
	if b.Source != nil {
		return nil
	}
	src, err := os.ReadFile(b.File)
	b.Source = src
	return err
}

// Inputs are values from outside the workbook.
type Inputs struct {
	// Set gives values to imports, and to nothing else.
	Set map[string]value.Value
	// Input is the input of a workflow's first components; nil when nothing was given.
	Input *value.Value
}

// Selection says which components run.
type Selection struct {
	// Only runs these components and what they need, and writes results for them
	// alone; empty runs all.
	Only []string
	// Force runs components although nothing changed.
	Force bool
}

// Writing says what a run may change on disk, besides its cache.
type Writing int

// What a run may change.
const (
	// WriteAll writes results into the workbook, and the files that components make.
	WriteAll Writing = iota
	// WriteFiles leaves the workbook as it is, for an editor that has its text open:
	// the report's Edits put the results into it.
	WriteFiles
	// WriteNothing leaves all files as they are.
	WriteNothing
)

// WriteIf is WriteAll or WriteNothing.
func WriteIf(allowed bool) Writing {
	if allowed {
		return WriteAll
	}
	return WriteNothing
}

// book reports whether results go into the workbook's file.
func (w Writing) book() bool { return w == WriteAll }

// files reports whether files of components are written.
func (w Writing) files() bool { return w != WriteNothing }

// Authority holds the rights of components, and their principal.
type Authority struct {
	// Profile is the user's choice of profile for components; "" is compute.
	Profile string
	// Grants are the capabilities the user grants, such as clock or
	// net:api.example.com.
	Grants []string
	// Limits is the most a component may ask for with :timeout, :memory, :fuel
	// and :output; zero fields are the profile's own.
	Limits sandbox.Limits
	// Docks makes what components ask the host through; nil serves nothing but
	// the clock, random numbers and files.
	Docks Docks
	// Agents does the components that are agents; nil refuses them.
	Agents Agents
	// ThirdParty says that the document is a third party's, whatever it says
	// itself.
	ThirdParty bool
	// Principal is who the programs run for, where that is not the file: the page a
	// workbook was taken from.
	Principal string
}

// Venue says where programs run: how far from this process, and how many at once.
type Venue struct {
	// Jobs bounds how many components run at once; 0 is one per processor.
	Jobs int
	// Tier is how far from this process programs run: instance, process,
	// container or node; "" is instance, or node when there is a Runner.
	Tier string
	// TrustTier is the tier of a third-party document; "" is one above Tier. With
	// instance the user accepts that it runs without a wall around it; it then has
	// profile compute and no grants.
	TrustTier string
	// Tiers opens process and container; nil has neither.
	Tiers Tiers
	// Runner builds and runs programs in the tier node; nil has no such tier.
	Runner compile.Runner
}

// Checks say which mistakes of a document stop what.
type Checks struct {
	// Lint is asked before anything runs; nil checks the plan alone. An error
	// among its findings stops the component it names, and those that need it.
	Lint func(*plan.Plan) []diag.Finding
	// Strict refuses a document with any error, as checks in CI want it.
	Strict bool
}

// Continuation carries sessions from one run to another.
type Continuation struct {
	// Resume is a frozen document whose sessions this run goes on with: blocks
	// that had run in them do not run again, while they are the same. Only the tier
	// instance resumes.
	Resume *frozen.File
	// Freeze is given the sessions when all has run; nil wants none.
	Freeze func(*frozen.File) error
}

// Listeners hear about a run while it is under way.
type Listeners struct {
	// Trace takes events as they happen; nil drops them.
	Trace trace.Sink
	// Begun hears about each component that begins to run, Progress about each that
	// ends, and Output what programs print while they run. One call is made at a time.
	Begun    func(Begun)
	Progress func(Done)
	Output   func(Printed)
}

// quietly are the options of a look at one component, or at all: nothing is written,
// and only Trace hears about it.
func (o Options) quietly(only ...string) Options {
	o.Only, o.Write, o.Listeners = only, WriteNothing, Listeners{Trace: o.Trace}
	return o
}
