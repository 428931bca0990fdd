package js

import (
	"context"
	"errors"
	"fmt"

	"wb/sandbox/dock"
)

// hostDock(operation, …) asks the host for what the block was granted. It
// answers with [status, bytes], as guest/dock.js of package dock reads it.
func (m *machine) hostDock(ctx context.Context, args []handle) (handle, error) {
	name, err := m.text(ctx, args[0])
	if err != nil {
		return 0, err
	}
	op, ok := dock.Find(name)
	if !ok || len(op.Params) > len(args)-1 {
		return 0, &guestError{Message: fmt.Sprintf("the dock has no operation %q", name)}
	}
	data := make([][]byte, len(op.Params))
	moved := 0
	for i := range data {
		if data[i], err = m.data(ctx, args[i+1]); err != nil {
			return 0, err
		}
		moved += len(data[i])
	}
	if m.world.dock == nil {
		return 0, &guestError{Code: "ERR_DOCK", Message: "this block was granted no capabilities of the host; it asks with :uses, and the person who runs it grants them with --grant"}
	}
	reply := m.world.dock.Serve(ctx, dock.AppendFrame(nil, name, data...))
	if len(reply) == 0 {
		return 0, errors.New("the dock gave no reply")
	}
	m.charge(ctx, moved+len(reply))
	status, err := m.newString(ctx, string('0'+rune(reply[0])))
	if err != nil {
		return 0, err
	}
	body, err := m.newBytes(ctx, reply[1:])
	if err != nil {
		return 0, err
	}
	return m.list(ctx, status, body)
}
