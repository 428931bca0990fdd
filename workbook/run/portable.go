package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/value"
	"wb/sandbox"
	"wb/workbook/plan"
)

// Offprint is a component laid out so that others can run it: what the program
// is and sees, what may be given to it instead, and what it gave here.
type Offprint struct {
	Component *plan.Component
	// Why says that the component cannot be run elsewhere, "" when it can; then
	// the rest is filled in.
	Why string
	// Recipe is the run as its language lays it out.
	Recipe *compile.Shipment
	// Files are the files the program read, by slash path from the root of its tree;
	// a nil content is a directory.
	Files map[string][]byte
	// Feed is how inputs reach the program.
	Feed Feed
	// Inputs are the inputs a reader may change, with the values of this run.
	Inputs []OffprintInput
	// Kept is the outcome the cache holds: what an equal run must give again.
	Kept KeptOutcome
	// Shape and Words are those of the block; Outs its outputs. They say how
	// the outcome is shown.
	Shape compile.Shape
	Words []string
	Outs  []string
}

// OffprintInput is a value that a reader may change.
type OffprintInput struct {
	Name  string
	Type  *value.Type // of the signature, nil when any value will do
	Value value.Value
}

// Feed is how changed inputs reach a program.
type Feed string

// The ways of feeding.
const (
	FeedNone   Feed = ""       // they cannot: inputs are part of the program's text
	FeedCall   Feed = "call"   // as arguments of the function
	FeedStream Feed = "stream" // the only one on standard input, text raw and all else as JSON
	FeedObject Feed = "object" // on standard input, as members of a JSON object
	FeedText   Feed = "text"   // standard input as it is, named stdin
)

// maxOffprintFiles is how many bytes of files may go with an offprint.
const maxOffprintFiles = 1 << 20

// Offprints lays out every component that is run, in document order. Nothing is
// executed, but blocks whose program is not kept are compiled.
func Offprints(ctx context.Context, book Book) ([]Offprint, error) {
	r, err := newRunner(Options{Book: book, Write: WriteNothing}, look{dry: true, lenient: true})
	if err != nil {
		return nil, err
	}
	defer r.close()
	r.runAll(ctx)
	var list []Offprint
	for _, c := range r.plan.Components {
		t := r.tasks[c.Index()]
		if t == nil || c.Kind == plan.KindData || !c.MayRun() {
			continue
		}
		o := Offprint{Component: c}
		if err := executing(r).offprint(ctx, t, &o); err != nil {
			o.Why = why(err)
		}
		list = append(list, o)
	}
	return list, ctx.Err()
}

// why is the reason in an error, for readers: without places in the file.
func why(err error) string {
	var not *compile.NotPortable
	if errors.As(err, &not) {
		return not.Reason
	}
	return "it cannot be laid out: " + firstLine(err.Error())
}

func notPortable(format string, args ...any) error {
	return &compile.NotPortable{Reason: fmt.Sprintf(format, args...)}
}

// offprint fills in what is known of a component whose dry turn is over.
func (r executor) offprint(ctx context.Context, t *task, o *Offprint) error {
	p := t.program
	if p == nil {
		return notPortable("it has no result of this source")
	}
	kept := r.opts.Cache.get(p.digests.Key())
	switch {
	case len(p.caps) > 0 || len(p.code.Uses) > 0:
		return notPortable("it uses %s, which a page cannot provide", plan.JoinNames(p.code.Uses))
	case p.volatile != "":
		return notPortable("%s", p.volatile)
	case len(p.src.Session) > 0 || p.src.InSession():
		return notPortable("it belongs to a session")
	case kept == nil:
		return notPortable("it has no result of this source")
	case len(kept.Files) > 0:
		return notPortable("it makes files")
	}
	var err error
	if o.Files, err = r.filesRead(kept.Reads); err != nil {
		return err
	}
	art, err := p.lane.Build(ctx, p.src)
	if err != nil {
		return err
	}
	job := *p.job
	job.Source = p.src
	if o.Recipe, err = compile.ShipmentOf(ctx, p.lane, art, &job); err != nil {
		return err
	}
	o.Shape, o.Words, o.Outs = p.src.Shape, p.words, p.src.Outs
	o.Kept = KeptOutcome{Value: kept.Value, Stdout: kept.Stdout, Stderr: kept.Stderr, Exit: kept.Exit, Fuel: kept.Usage.Fuel, Memory: kept.Usage.Memory}
	return r.feed(p, o)
}

// feed lists what may be changed and how it reaches the program.
func (r executor) feed(p *program, o *Offprint) error {
	if len(o.Recipe.Inputs) > 0 {
		o.Feed = FeedCall
		for i, in := range o.Recipe.Inputs {
			input := OffprintInput{Name: in.Name, Value: in.Value}
			if sig := o.Recipe.Sig; sig != nil && !o.Recipe.JSON {
				at := slices.IndexFunc(sig.Params, func(q value.Param) bool { return q.Name == in.Name })
				if at < 0 && i < len(sig.Params) {
					at = i
				}
				if at >= 0 {
					input.Type = &sig.Params[at].Type
				}
			}
			o.Inputs = append(o.Inputs, input)
		}
		return nil
	}
	if p.src.Shape == compile.ShapeCommand || p.src.Shape == compile.ShapeKernel {
		inputs, err := binding(r.runner).inputs(p.code)
		if err != nil {
			return err
		}
		for _, in := range inputs {
			o.Inputs = append(o.Inputs, OffprintInput{Name: in.Name, Value: in.Value})
		}
		switch {
		case len(inputs) == 1:
			o.Feed = FeedStream
		case len(inputs) > 1:
			o.Feed = FeedObject
		}
	}
	if o.Feed == FeedNone && len(p.job.Stdin) > 0 && p.src.Shape != compile.ShapeComponent {
		o.Feed, o.Inputs = FeedText, []OffprintInput{{Name: "stdin", Type: &value.Type{Kind: value.TypeString}, Value: value.OfString(string(p.job.Stdin))}}
	}
	return nil
}

// filesRead are the files a program has read, as they are now.
func (r executor) filesRead(reads []read) (map[string][]byte, error) {
	files, size := map[string][]byte{}, 0
	for _, read := range reads {
		switch {
		case read.How == sawEntries:
			return nil, notPortable("it lists a directory")
		case read.State == "absent":
		case read.State == "dir":
			files[read.Name] = nil
		case read.Name == r.files.file:
			return nil, notPortable("it reads the workbook itself")
		default:
			data, err := sandbox.ReadFile(lowerTree{t: view{tree: r.files}}, read.Name)
			if err != nil {
				return nil, notPortable("it reads %s, which does not exist", read.Name)
			}
			if size += len(data); size > maxOffprintFiles {
				return nil, notPortable("it reads more than %d MiB of files", maxOffprintFiles>>20)
			}
			if data == nil {
				data = []byte{}
			}
			files[strings.TrimPrefix(read.Name, "/")] = data
		}
	}
	return files, nil
}
