package lua

import (
	"context"

	"wb/compile"
	"wb/value"
)

// Recipe implements [compile.Portable]: the program is the request that Run
// would make of boot.lua, and what it takes to read the answer.
func (l *lane) Recipe(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Recipe, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	request := u.request(art.Shape, job)
	head, err := request.head()
	if err != nil {
		return nil, err
	}
	p := portable{Shape: art.Shape, Request: string(head), Code: u.Code, Skip: u.Skip, Places: job.Source.Places(u.Lines),
		Output: !u.wantsValue(), Text: u.Results.AsText() || u.Results.Has("pp"), Discard: u.Results.Has("discard")}
	if art.Shape != compile.ShapeComponent {
		p.Request = string(append(value.OfList(request.Args...).AppendJSON(head), '}'))
	}
	r, err := l.Interpreter.Recipe(ctx, job, p)
	if err == nil && art.Shape == compile.ShapeComponent {
		r.Inputs = job.Inputs
	}
	return r, err
}

// portable is a unit as the runtime in a browser reads it.
type portable struct {
	Shape   compile.Shape `json:"shape"`
	Request string        `json:"request"`          // of a component: up to its arguments
	Output  bool          `json:"output,omitempty"` // the result is what is printed
	Text    bool          `json:"text,omitempty"`   // … as it is
	Discard bool          `json:"discard,omitempty"`
	Code    string        `json:"code"`
	Skip    int           `json:"skip,omitempty"`
	compile.Places
}
