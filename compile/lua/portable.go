package lua

import (
	"context"

	"wb/compile"
)

// Ship implements [compile.Portable]: the program is the request that Run
// would make of boot.lua, and what it takes to read the answer.
func (l *lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	request := u.request(art.Shape, job)
	head, err := request.head()
	if err != nil {
		return nil, err
	}
	if art.Shape != compile.ShapeComponent {
		if head, err = request.arguments(head); err != nil {
			return nil, err
		}
	}
	return l.Interpreter.Ship(ctx, art.Shape, job, u.Portable(art.Shape, job, head))
}
