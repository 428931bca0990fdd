package dock

import (
	"context"
	"encoding/json"
	"errors"
)

// Forward is a dock whose calls are answered elsewhere: by the dock of another
// process, which holds the principal, the limits and the records. It offers
// what granted lists; ask takes a frame as guests write it and gives the reply
// as guests read it, as [Dock.Serve] does on the other side.
func Forward(granted []string, ask func(ctx context.Context, frame []byte) ([]byte, error)) *Dock {
	d := New(Config{Granted: granted})
	d.ask = ask
	return d
}

// forward performs a call elsewhere.
func (d *Dock) forward(ctx context.Context, operation string, args [][]byte) (Reply, error) {
	answer, err := d.ask(ctx, AppendFrame(nil, operation, args...))
	if err != nil {
		return Reply{}, err
	}
	return parseReply(answer)
}

// parseReply reads what wire wrote.
func parseReply(answer []byte) (Reply, error) {
	if len(answer) == 0 {
		return Reply{}, errors.New("the dock gave no reply")
	}
	switch Status(answer[0]) {
	case StatusNone:
		return Reply{}, nil
	case StatusOK:
		return Found(answer[1:]), nil
	}
	var e struct{ Error, Code, Hint string }
	if err := json.Unmarshal(answer[1:], &e); err != nil {
		return Reply{}, errors.New("the dock's reply is malformed")
	}
	return Reply{}, &Error{Code: e.Code, Message: e.Error, Help: e.Hint}
}
