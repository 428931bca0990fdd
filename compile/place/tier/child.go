package tier

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"wb/compile"
	"wb/compile/place/frame"
	"wb/compile/place/remote"
	"wb/compile/place/walls"
)

// ChildVerb is the first argument of a child. It is not a verb for people: it
// stands in no help, and the process it makes speaks frames.
const ChildVerb = "tier-child"

// The arguments after ChildVerb: the directory the child may write, the caches
// it may read, and, once it has confined itself, confined and its greeting.
const (
	argPrivate = iota
	argShared
	argConfined
	argGreeting
)

const confined = "confined"

// greeting is the payload of frameReady.
type greeting struct {
	Protocol int      `json:"protocol"`
	Notes    []string `json:"notes,omitempty"` // walls that this system does not have
}

// protocol changes when frames do.
const protocol = 1

// The kinds of frame between a caller and a child. The caller sends the first two,
// the child the others.
const (
	frameRequest  = 'q' // a remote.Request
	frameAnswer   = 'a'
	frameReady    = 'R' // a greeting, once
	frameQuestion = '?'
	frameBuilt    = 'b' // the program is built and starts; the run's deadline begins
	frameReply    = 'r' // a remote.Reply
)

// IsChild reports whether the arguments of a program make it a child.
func IsChild(args []string) bool { return len(args) > 2 && args[0] == ChildVerb }

// Child is the main function of a child: it serves requests from in until in
// ends, and returns the exit code. lanes makes the languages of an environment.
// The first call confines the process and starts it anew, since some walls hold
// only what is started behind them.
func Child(args []string, in io.Reader, out, errs io.Writer, lanes func(*compile.Env) (*compile.Registry, error)) int {
	args = args[1:]
	if len(args) <= argConfined {
		private, shared := args[argPrivate], args[argShared]
		notes, err := walls.Restart(walls.Fence{Dir: private, Read: []string{shared}, Write: []string{private}, Args: func(notes []string) []string {
			hello, _ := json.Marshal(greeting{Protocol: protocol, Notes: notes}) // of text and a number
			return []string{ChildVerb, private, shared, confined, string(hello)}
		}})
		// It only returns where there is nothing to start anew for.
		if err != nil {
			fmt.Fprintln(errs, err)
			return 1
		}
		return serve(args[argPrivate], args[argShared], notes, in, out, errs, lanes)
	}
	var g greeting
	if len(args) != argGreeting+1 || args[argConfined] != confined || json.Unmarshal([]byte(args[argGreeting]), &g) != nil {
		fmt.Fprintln(errs, "wb starts this verb itself; it is not for people")
		return 2
	}
	return serve(args[argPrivate], args[argShared], g.Notes, in, out, errs, lanes)
}

func serve(private, shared string, notes []string, in io.Reader, out, errs io.Writer, lanes func(*compile.Env) (*compile.Registry, error)) int {
	notes = append(notes, walls.Seal()...)
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{Dir: private, Shared: shared})
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	registry, err := lanes(env)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	c := &child{lanes: registry, out: frame.NewWriter(out), waiting: map[uint32]chan []byte{}, requests: make(chan []byte)}
	hello, err := json.Marshal(greeting{Protocol: protocol, Notes: notes})
	if err == nil {
		err = c.out.Write(frame.Frame{Kind: frameReady, Payload: hello})
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	go c.listen(frame.NewReader(in, childTakes))
	for request := range c.requests {
		if err := c.serve(ctx, request); err != nil {
			fmt.Fprintln(errs, err)
			return 1
		}
	}
	return 0
}

// childTakes are the frames a child takes, and how long they may be.
func childTakes(kind byte) int64 {
	switch kind {
	case frameRequest, frameAnswer:
		return remote.MaxMessage
	}
	return -1
}

// child is the inner end of the pipe.
type child struct {
	lanes    *compile.Registry
	out      *frame.Writer
	requests chan []byte
	ids      atomic.Uint32

	mu      sync.Mutex
	waiting map[uint32]chan []byte
}

// listen takes frames until the caller is gone: then so is the process, whatever
// it is doing.
func (c *child) listen(in *frame.Reader) {
	for {
		f, err := in.Read()
		switch {
		case err == io.EOF:
			os.Exit(0)
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		case f.Kind == frameRequest:
			c.requests <- f.Payload
		default:
			c.mu.Lock()
			answer := c.waiting[f.ID]
			delete(c.waiting, f.ID)
			c.mu.Unlock()
			if answer != nil {
				answer <- f.Payload
			}
		}
	}
}

// ask puts a question to the caller.
func (c *child) ask(ctx context.Context, question []byte) ([]byte, error) {
	id, answer := c.ids.Add(1), make(chan []byte, 1)
	c.mu.Lock()
	c.waiting[id] = answer
	c.mu.Unlock()
	if err := c.out.Write(frame.Frame{Kind: frameQuestion, ID: id, Payload: question}); err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		return nil, ctx.Err()
	}
}

// serve does one request. An error is the end of the child.
func (c *child) serve(ctx context.Context, message []byte) error {
	request, err := remote.DecodeRequest(message)
	if err != nil {
		return err
	}
	peer := remote.Peer{Lanes: c.lanes, Built: func() { _ = c.out.Write(frame.Frame{Kind: frameBuilt}) }} // the reply fails too, if that does
	reply := peer.Execute(ctx, request, c.ask)
	data, err := reply.Encode()
	if err != nil {
		data, err = (&remote.Reply{Failure: remote.NewFailure(err)}).Encode()
	}
	if err != nil {
		return err
	}
	return c.out.Write(frame.Frame{Kind: frameReply, Payload: data})
}

// patience is how long a child may take to greet.
const patience = time.Minute
