package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wb/sandbox/dock"
)

// Arg is an argument: a text, Times times when that is not zero.
type Arg struct {
	Text  string
	Times int
}

func (a Arg) bytes() []byte {
	if a.Times == 0 {
		return []byte(a.Text)
	}
	return bytes.Repeat([]byte(a.Text), a.Times)
}

// Step is a call of an operation, or a frame as it is.
type Step struct {
	Operation string
	Args      []Arg
	Frame     []byte // in the place of Operation and Args
	Times     int    // how often; 0 is once
}

// frame is the step as a guest writes it.
func (s Step) frame() []byte {
	if s.Frame != nil {
		return s.Frame
	}
	args := make([][]byte, len(s.Args))
	for i, a := range s.Args {
		args[i] = a.bytes()
	}
	return dock.AppendFrame(nil, s.Operation, args...)
}

// Outcomes besides the codes of errors.
const (
	None     = "none" // there is nothing of that name
	Harmless = "ok"   // it was done, and did no harm
)

// Case is one attempt.
type Case struct {
	Name string
	// Before are calls that lead up to it; their outcome does not matter.
	Before []Step
	Step
	// Granted is what the guest holds; nil is everything.
	Granted []string
	// Revoked takes everything back between Before and the attempt.
	Revoked bool
	// Want is the outcome: a code of package dock, None or Harmless. Several are
	// separated by |.
	Want string
	// Reply is what a harmless reply must be, "" for anything.
	Reply string
}

// Guest performs a call that a guest has written as a frame and gives the reply
// as it reads it: dock.Dock.Serve, by whatever way.
type Guest func(ctx context.Context, frame []byte) []byte

// Run runs the corpus. Open makes a guest that reaches a dock.
// Those that are refused before they change anything share one world.
func Run(t *testing.T, open func(t testing.TB, d *dock.Dock) Guest) {
	shared := newWorld(t)
	all := shared.grant(t, nil)
	guest := open(t, all)
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			switch {
			case !c.changesNothing():
				w := newWorld(t)
				c.try(t, w, open(t, w.grant(t, c.Granted)))
			case c.Granted != nil:
				c.try(t, shared, open(t, shared.grant(t, c.Granted)))
			default:
				c.try(t, shared, guest)
			}
		})
	}
}

// changesNothing reports whether a case leaves the world as it was.
func (c Case) changesNothing() bool {
	return !strings.Contains(c.Want, Harmless) && !slices.ContainsFunc(c.Before, func(s Step) bool { return s.Operation != "session.info" })
}

// try makes the attempt and judges it.
func (c Case) try(t *testing.T, w *world, guest Guest) {
	w.revoked.Store(false)
	w.denials.Store(0)
	for _, s := range c.Before {
		for range max(1, s.Times) {
			w.inspect(t, guest(t.Context(), s.frame()))
		}
	}
	w.revoked.Store(c.Revoked)
	var reply []byte
	for range max(1, c.Times) {
		reply = guest(t.Context(), c.frame())
		w.inspect(t, reply)
	}
	got, body := outcome(reply)
	if !strings.Contains("|"+c.Want+"|", "|"+got+"|") {
		t.Errorf("%s: got %s %.300q, want %s", c.Operation, got, body, c.Want)
	}
	if c.Reply != "" && string(body) != c.Reply {
		t.Errorf("%s: replied %.300q, want %.300q", c.Operation, body, c.Reply)
	}
	if denied := w.denials.Load(); got == dock.CodeDenied && denied == 0 {
		t.Errorf("%s: denied, but nobody recorded it", c.Operation)
	}
}

// outcome is what a reply says.
func outcome(reply []byte) (string, []byte) {
	if len(reply) == 0 {
		return "no reply", nil
	}
	body := reply[1:]
	switch dock.Status(reply[0]) {
	case dock.StatusNone:
		return None, body
	case dock.StatusOK:
		return Harmless, body
	}
	var e struct{ Error, Code string }
	if err := json.Unmarshal(body, &e); err != nil || e.Error == "" {
		return fmt.Sprintf("malformed error: %v", err), body
	}
	return e.Code, body
}
