package dock

import (
	"encoding/binary"
	"encoding/json"
	"errors"
)

// Status is the first byte of a reply.
type Status byte

// What a reply can be.
const (
	StatusNone  Status = 0 // there is nothing of that name
	StatusOK    Status = 1
	StatusError Status = 2
)

// Reply is the answer of an operation.
type Reply struct {
	Found bool // false when there is nothing of that name
	Body  []byte
}

// Found is a reply with bytes.
func Found(body []byte) Reply { return Reply{Found: true, Body: body} }

// AppendFrame writes a call as guests do.
func AppendFrame(to []byte, operation string, args ...[]byte) []byte {
	u32 := binary.LittleEndian.AppendUint32
	to = append(u32(to, uint32(len(operation))), operation...)
	to = u32(to, uint32(len(args)))
	for _, a := range args {
		to = append(u32(to, uint32(len(a))), a...)
	}
	return to
}

// maxArgs bounds the count in a frame.
const maxArgs = 16

// parseFrame reads a call. The arguments share memory with the frame.
func parseFrame(frame []byte) (operation string, args [][]byte, err error) {
	bad := errors.New("malformed request to the dock")
	take := func() ([]byte, bool) {
		if len(frame) < 4 {
			return nil, false
		}
		n := binary.LittleEndian.Uint32(frame)
		if uint64(n) > uint64(len(frame)-4) {
			return nil, false
		}
		part := frame[4 : 4+n]
		frame = frame[4+n:]
		return part, true
	}
	name, ok := take()
	if !ok || len(frame) < 4 {
		return "", nil, bad
	}
	count := binary.LittleEndian.Uint32(frame)
	frame = frame[4:]
	if count > maxArgs {
		return "", nil, bad
	}
	for range count {
		arg, ok := take()
		if !ok {
			return "", nil, bad
		}
		args = append(args, arg)
	}
	if len(frame) != 0 {
		return "", nil, bad
	}
	return string(name), args, nil
}

// wire is a reply as guests read it.
func wire(reply Reply, err error) []byte {
	switch {
	case err != nil:
		e := asError(err)
		text, _ := json.Marshal(struct { // of strings
			Error string `json:"error"`
			Code  string `json:"code"`
			Hint  string `json:"hint,omitempty"`
		}{e.Message, e.Code, e.Help})
		return append([]byte{byte(StatusError)}, text...)
	case !reply.Found:
		return []byte{byte(StatusNone)}
	}
	return append([]byte{byte(StatusOK)}, reply.Body...)
}
