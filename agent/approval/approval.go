// Package approval asks people before an agent does what cannot be undone.
//
// Every question is one request in a [Inbox], which is the user's state
// directory. It has several faces that mean the same: a headline TODO APPROVE …
// in approvals.org beside what the agent works on, which a person turns into
// DONE or DENIED in any editor; `wb agent approve`; and whatever a server shows.
// [Inbox.Wait] returns as soon as one of them answers.
//
// A request's id is made from the run and the call, so that a resumed run finds
// its old question, answered or not, instead of asking again.
package approval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/whole"
)

// Decision is how a request stands.
type Decision string

// The decisions.
const (
	Pending Decision = ""
	Allowed Decision = "allowed"
	Denied  Decision = "denied"
)

// Request is one question.
type Request struct {
	ID    string          `json:"id"`
	Run   string          `json:"run"`  // the run that asked last
	Root  string          `json:"root"` // the first of those resumed from each other
	Agent string          `json:"agent"`
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	// Why a person is asked: "the policy asks for it", or what was read.
	Why   string    `json:"why"`
	Dir   string    `json:"dir"` // where approvals.org is
	Asked time.Time `json:"asked"`

	Decision Decision  `json:"decision,omitempty"`
	By       string    `json:"by,omitempty"` // the face that answered
	Decided  time.Time `json:"decided,omitzero"`
}

// ID names the question of a call, by the call's idempotency key.
func ID(key string) string {
	sum := sha256.Sum256([]byte("approval\x00" + key))
	return "approval-" + hex.EncodeToString(sum[:6])
}

// Inbox keeps requests in a directory, one file each. It is safe for use by
// several processes.
type Inbox struct {
	dir string
	// Poll is how often Wait looks for an answer.
	Poll time.Duration
}

// NewInbox opens an inbox below a state directory.
func NewInbox(state string) *Inbox {
	return &Inbox{dir: filepath.Join(state, "approvals"), Poll: 200 * time.Millisecond}
}

// NotFound is the error about a request that does not exist.
func NotFound(what string) error {
	return diag.NotFoundf("wb agent approve lists what waits", "no request for approval %s", what)
}

func (s *Inbox) path(id string) (string, error) {
	if id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return "", NotFound(fmt.Sprintf("%q", id))
	}
	return filepath.Join(s.dir, id+".json"), nil
}

// Get reads a request.
func (s *Inbox) Get(id string) (Request, error) {
	path, err := s.path(id)
	if err != nil {
		return Request{}, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Request{}, NotFound(id)
	}
	if err != nil {
		return Request{}, err
	}
	var r Request
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// List are all requests, oldest first.
func (s *Inbox) List() ([]Request, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Request
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		r, err := s.Get(id)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Request) int {
		return max(-1, min(1, a.Asked.Compare(b.Asked)*2+strings.Compare(a.ID, b.ID)))
	})
	return all, nil
}

// put writes a request, whole or not at all.
func (s *Inbox) put(r Request) error {
	path, err := s.path(r.ID)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // arguments are compared with what a resumed run asks
	if err := encoder.Encode(r); err != nil {
		return err
	}
	return whole.File{Sync: true}.Write(path, text.Bytes())
}

// Ask files a request, or finds the one that an earlier process filed, and shows
// it in approvals.org.
func (s *Inbox) Ask(r Request) (Request, error) {
	old, err := s.Get(r.ID)
	var missing *diag.NotFoundError
	switch {
	case err == nil && old.Tool == r.Tool && compact(old.Args) == compact(r.Args):
		old.Run = r.Run
		return old, s.put(old)
	case err != nil && !errors.As(err, &missing):
		return r, err
	}
	if err := s.put(r); err != nil {
		return r, err
	}
	return r, show(r)
}

// Decide answers a request. An answer is final.
func (s *Inbox) Decide(id string, d Decision, by string, at time.Time) (Request, error) {
	r, err := s.Get(id)
	if err != nil {
		return r, err
	}
	if r.Decision != Pending {
		return r, fmt.Errorf("%s was %s already", id, r.Decision)
	}
	r.Decision, r.By, r.Decided = d, by, at
	if err := s.put(r); err != nil {
		return r, err
	}
	return r, mark(r)
}

// Look reads a request, and takes over what a person wrote in approvals.org.
func (s *Inbox) Look(id string) (Request, error) {
	r, err := s.Get(id)
	if err != nil || r.Decision != Pending {
		return r, err
	}
	if d := written(r); d != Pending {
		return s.Decide(id, d, "approvals.org", time.Now())
	}
	return r, nil
}

// Wait returns when a request is answered, or ctx ends.
func (s *Inbox) Wait(ctx context.Context, id string) (Request, error) {
	for {
		r, err := s.Look(id)
		if err != nil || r.Decision != Pending {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(s.Poll):
		}
	}
}

// Of are the requests of a run that wait, by its id or that of a run it was
// resumed from, or the one request with this id.
func (s *Inbox) Of(ref string) ([]Request, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	var found []Request
	for _, r := range all {
		if r.ID == ref || (r.Run == ref || r.Root == ref) && r.Decision == Pending {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil, NotFound("of " + ref)
	}
	return found, nil
}

// compact is JSON without blanks, as it is kept.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
