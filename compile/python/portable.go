package python

import (
	"bytes"
	"context"

	"wb/compile"
)

// Recipe implements [compile.Portable]: the program is the request that Run
// would make of guest/bridge.py, and what it takes to read the answer. The
// standard library goes along whole, since what is imported may depend on inputs.
func (l *lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	p, err := unpack(art)
	if err != nil {
		return nil, err
	}
	if len(p.Sources) > 0 || len(p.Packs) > 0 {
		return nil, &compile.NotPortable{Reason: "it imports other files, or packages"}
	}
	component := art.Shape == compile.ShapeComponent
	asked := p.request(job)
	if component {
		asked.Inputs = asked.Inputs[:0]
	}
	request, err := asked.text()
	if err != nil {
		return nil, err
	}
	if component {
		request = bytes.TrimSuffix(request, []byte("[]}"))
	}
	r, err := l.Interpreter.Ship(ctx, art.Shape, job, portable{Shape: art.Shape, Request: string(request), Skip: p.Skip, Places: job.Source.Places(p.Lines),
		Printed: p.Kind == kindScript, Text: p.Results.AsText(), Discard: p.Results.Has("discard")})
	if err != nil {
		return nil, err
	}
	r.Image.Library, err = l.portableLibrary(ctx)
	return r, err
}

// portableLibrary is the standard library as recipes have it.
func (l *lane) portableLibrary(ctx context.Context) (*compile.Library, error) {
	lib, err := l.library(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shelf == nil {
		files, err := lib.All()
		if err != nil {
			return nil, err
		}
		l.shelf = &compile.Library{Dir: stdlibDir, Files: files}
	}
	return l.shelf, nil
}

// portable is a program as the runtime in a browser reads it.
type portable struct {
	Shape   compile.Shape `json:"shape"`
	Request string        `json:"request"`           // of a component: up to its inputs
	Printed bool          `json:"printed,omitempty"` // the result is what is printed
	Text    bool          `json:"text,omitempty"`    // … as it is
	Discard bool          `json:"discard,omitempty"`
	Skip    int           `json:"skip,omitempty"`
	compile.Places
}
