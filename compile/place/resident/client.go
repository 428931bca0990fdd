package resident

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"wb/compile"
	"wb/compile/place/frame"
	"wb/compile/place/remote"
)

// Client asks the resident. It is a [compile.Builder] and safe for concurrent use.
type Client struct{ config Config }

// NewClient asks the resident that config means, and starts it when it is needed
// and not there.
func NewClient(config Config) *Client { return &Client{config.WithDefaults()} }

// patience is how long a resident may take to greet: it has only just been started,
// perhaps on a machine that is busy. The work itself takes as long as it takes.
const patience = 10 * time.Second

// Build has a source built by the resident. What the compiler says about the source
// is an answer; whatever else goes wrong leaves the work to the caller.
func (c *Client) Build(ctx context.Context, lane compile.Lane, src *compile.Source) (*compile.Artifact, bool, error) {
	request := &remote.Request{Lang: lane.Info().Name, Fingerprint: lane.Fingerprint(), Source: src, Build: true}
	data, err := request.Encode()
	if err != nil {
		return nil, false, nil
	}
	message, err := c.ask(ctx, true, frame.Frame{Kind: frameBuild, Payload: data})
	if err != nil {
		return nil, false, nil
	}
	reply, err := remote.DecodeReply(message)
	switch {
	case err != nil:
		return nil, false, nil
	case reply.Artifact != nil:
		return reply.Artifact, true, nil
	case reply.Failure != nil && reply.Failure.OfProgram():
		return nil, true, reply.Failure.Err()
	}
	return nil, false, nil
}

// Status asks how the resident is; [ErrNone] says that there is none.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	message, err := c.ask(ctx, false, frame.Frame{Kind: frameStatus})
	if err != nil {
		return nil, err
	}
	s := &Status{}
	return s, json.Unmarshal(message, s)
}

// End tells the resident to end, and waits a moment until it has. Work that it does
// is left to who wants it.
func (c *Client) End(ctx context.Context) error {
	_, err := c.ask(ctx, false, frame.Frame{Kind: frameEnd})
	for range 100 {
		if _, still := c.Status(ctx); err != nil || errors.Is(still, ErrNone) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// ask puts one question to the resident, which is started if that is wanted.
func (c *Client) ask(ctx context.Context, start bool, question frame.Frame) ([]byte, error) {
	conn, err := c.dial(start)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	in := frame.NewReader(conn, callerTakes)
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	hello, err := in.Read()
	if err != nil {
		return nil, err
	}
	var g greeting
	if hello.Kind != frameReady || json.Unmarshal(hello.Payload, &g) != nil || g.Protocol != protocol {
		return nil, errors.New("what answers is no resident of this version")
	}
	if own, err := ownBuild(); err != nil || g.Build != own {
		return nil, errors.New("the resident is of another build of wb")
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	if err := frame.NewWriter(conn).Write(question); err != nil {
		return nil, err
	}
	answer, err := in.Read()
	if err == nil && answer.Kind != frameReply {
		err = fmt.Errorf("the resident answers with a frame of kind %q", answer.Kind)
	}
	return answer.Payload, err
}

// dial connects to the resident.
func (c *Client) dial(start bool) (*net.UnixConn, error) {
	path, err := socketPath(c.config.Cache)
	if err != nil {
		return nil, err
	}
	conn, err := connect(path)
	if !start || !errors.Is(err, ErrNone) {
		return conn, err
	}
	if err := launch(path, c.config); err != nil {
		return nil, err
	}
	return reach(path)
}
