package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"wb/internal/diag"
)

// Doors are the ways to reach a verb.
type Doors uint8

// The doors. Every verb is at the terminal.
const (
	Tools   Doors = 1 << iota // programs that speak the Model Context Protocol, or HTTP
	Agents                    // the tool wb of agents
	Editors                   // the commands of the language server
)

// Verb is one thing that wb does.
type Verb[In, Out any] struct {
	// Name is the word or words after wb, such as lint or "trace diff".
	Name string
	// Help is one sentence; About is the page of wb help, with an example.
	Help, About string
	// Model is the sentence for programs and agents, where Help does not do.
	Model string
	Doors Doors
	// Changes says that the verb changes files or starts programs.
	Changes bool
	// Runs says that it starts programs.
	Runs bool
	// Usual is the verb of a group that needs no name: wb toolchain lists.
	Usual bool
	// List names the answer where it is a list and a protocol takes objects alone.
	List string
	// Do does it.
	Do func(ctx context.Context, h *Home, in *In) (Out, error)
	// Text writes the answer for who reads it; nil writes JSON.
	Text func(p *Page, out Out) error
}

// Exiter is an answer that also is a verdict, such as findings or differences.
type Exiter interface{ Exit() int }

// Row is a verb of whatever types.
type Row struct {
	Name, Help, About, Model, List string
	// Page is the page of the documentation that says more, such as sites.org or
	// sandbox.org::*Tiers.
	Page string

	Doors                Doors
	Changes, Usual, Runs bool
	// New makes an empty input, a pointer to a struct.
	New func() any
	// do answers; in is the value New has made.
	do func(ctx context.Context, h *Home, in any) (*Answer, error)
}

// row forgets the types of a verb.
func row[In, Out any](v Verb[In, Out]) Row {
	model := v.Model
	if model == "" {
		model = v.Help
	}
	return Row{Name: v.Name, Help: v.Help, About: v.About, Model: model, List: v.List, Doors: v.Doors, Changes: v.Changes, Usual: v.Usual, Runs: v.Runs,
		New: func() any { return new(In) },
		do: func(ctx context.Context, h *Home, in any) (*Answer, error) {
			out, err := v.Do(ctx, h, in.(*In))
			if err != nil {
				return &Answer{Data: out}, err
			}
			a := &Answer{Data: out, text: func(p *Page) error { return p.JSON(out) }}
			if v.Text != nil {
				a.text = func(p *Page) error { return v.Text(p, out) }
			}
			if e, ok := any(out).(Exiter); ok {
				a.Exit = e.Exit()
			}
			if v, ok := any(out).(interface{ OK() bool }); ok {
				a.Invalid = !v.OK()
			}
			if e, ok := any(out).(interface{ Err() error }); ok {
				a.Err = e.Err()
			}
			if d, ok := any(out).(interface{ Data() any }); ok {
				a.Data = d.Data()
			}
			if a.Data == nil {
				a.text = func(*Page) error { return nil }
			}
			return a, nil
		}}
}

// Do does what a row says with an input that its New has made. With an error, the
// answer holds no more than data about what was done until then.
func (r Row) Do(ctx context.Context, h *Home, in any) (*Answer, error) { return r.do(ctx, h, in) }

// Answer is a verb's answer: data for programs and text for readers.
type Answer struct {
	Data any
	// Exit is the exit code of a verb that is a verdict, such as lint.
	Exit int
	// Invalid is an answer that says no: what was to be verified is not valid.
	Invalid bool
	// Err is an error to report after the rest of the answer.
	Err  error
	text func(p *Page) error
}

// Write writes the answer as text.
func (a *Answer) Write(p *Page) error { return errors.Join(a.text(p), p.err) }

// Reply is an answer for programs that hear nothing but the answer: notes stand
// above its text.
type Reply struct {
	*Answer
	Text string
	JSON json.RawMessage // the data, with names as [Home.Inside] has them
}

// Reply does what a row says, and is an error for what the answer could not hold,
// too. What is known of a failure comes with it. The home is that of this call
// alone: its notes are heard here.
func (r Row) Reply(ctx context.Context, h *Home, in any) (*Reply, error) {
	var notes []string
	h.Note = func(text string) { notes = append(notes, text) }
	var after []func() // such as to let go of an index that rows still point into
	h.Later = func(do func()) { after = append(after, do) }
	defer func() {
		for _, do := range after {
			do()
		}
	}()
	answer, err := r.Do(ctx, h, in)
	if err == nil {
		err = answer.Err
	}
	if err != nil {
		return &Reply{Answer: answer}, err
	}
	text, err := answer.Text()
	if err != nil {
		return &Reply{Answer: answer}, err
	}
	data, err := h.InsideJSON(answer.Data)
	return &Reply{answer, h.Inside(strings.Join(append(notes, text), "\n")), data}, err
}

// Text is the answer as text for a model.
func (a *Answer) Text() (string, error) {
	var b bytes.Buffer
	err := a.Write(&Page{Writer: &b, Reader: Model})
	return b.String(), err
}

// Reader says for whom text is written.
type Reader int

// The readers: a person at a terminal, a program behind a pipe, a model.
const (
	Program Reader = iota
	Person
	Model
)

// Page is where an answer is written.
type Page struct {
	io.Writer
	Reader  Reader
	Colour  bool
	Verbose bool
	err     error // the first of Printf
}

// Printf writes to the page. What goes wrong the whole answer reports.
func (p *Page) Printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p, format, args...); p.err == nil {
		p.err = err
	}
}

// Table writes what write writes in columns, which tabs part.
func (p *Page) Table(write func(p *Page)) error {
	tab := tabwriter.NewWriter(p, 0, 0, 2, ' ', 0)
	inner := &Page{Writer: tab}
	write(inner)
	return errors.Join(inner.err, tab.Flush())
}

// listed writes a line for each thing of a list.
func listed[T any](line func(T) string) func(*Page, []T) error {
	return func(p *Page, list []T) error {
		for _, one := range list {
			p.Printf("%s\n", line(one))
		}
		return nil
	}
}

// Done is the answer of a verb that has no more to say.
type Done struct{}

// Data is nothing.
func (Done) Data() any { return nil }

// text writes text as it is.
func text(p *Page, out string) error { _, err := io.WriteString(p, out); return err }

// JSON writes data as one line of JSON.
func (p *Page) JSON(data any) error { return diag.WriteJSON(p, data) }

// Paint colours text where colours are shown.
func (p *Page) Paint(code, text string) string {
	if !p.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
