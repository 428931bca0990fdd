package ruby

import (
	"context"

	"wb/compile"
)

// Recipe implements [compile.Portable]: the program is the request that Run
// would make of boot.rb, and what it takes to read the answer.
func (l *lane) Recipe(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Recipe, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	head, err := u.request(art.Shape, job).head()
	if err != nil {
		return nil, err
	}
	p := portable{Shape: art.Shape, Request: string(head), Code: u.Code, Skip: u.Skip, Places: job.Source.Places(u.Lines),
		Output: !u.wantsValue(), Text: u.Results.AsText(), Discard: u.Results.Has("discard")}
	r, err := l.Interpreter.Recipe(ctx, job, p)
	if err == nil && art.Shape == compile.ShapeComponent {
		r.Inputs = job.Inputs
	}
	return r, err
}

// portable is a unit as the runtime in a browser reads it.
type portable struct {
	Shape   compile.Shape `json:"shape"`
	Request string        `json:"request"`          // up to its standard input
	Output  bool          `json:"output,omitempty"` // the result is what is printed
	Text    bool          `json:"text,omitempty"`   // … as it is
	Discard bool          `json:"discard,omitempty"`
	Code    string        `json:"code"`
	Skip    int           `json:"skip,omitempty"`
	compile.Places
}
