package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"wb/compile"
	"wb/sandbox"
	"wb/workbook/frozen"
)

// sessionsElsewhere reports whether sessions live in other processes than this.
// Those of a run with workers stay here.
func (r executor) sessionsElsewhere() bool { return r.tier != tierInstance && r.tier != tierNode }

// thaw starts the sessions of a frozen document, before anything runs, so that
// one which does not fit is refused.
func (r executor) thaw(ctx context.Context) error {
	f := r.opts.Resume
	if f == nil {
		return nil
	}
	if r.sessionsElsewhere() && len(f.Sessions) > 0 {
		return &frozen.Error{Code: frozen.CodeTier, Message: "sessions can be resumed only in the tier instance", Help: "--tier instance"}
	}
	for i := range f.Sessions {
		if err := r.sessions.thaw(ctx, r.opts.Lanes, &f.Sessions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sessions) thaw(ctx context.Context, lanes *compile.Registry, f *frozen.Session) error {
	lane, ok := lanes.Lookup(f.Lang)
	if !ok {
		return frozen.Errorf(frozen.CodeToolchain, "session %s: no lane runs %s here", f.Name, f.Lang)
	}
	freezer, ok := compile.Unwrapped[compile.SessionFreezer](lane)
	if !ok {
		return frozen.Errorf(frozen.CodeSession, "session %s: sessions of %s cannot be resumed", f.Name, f.Lang)
	}
	s.mu.Lock()
	one := s.get(f.Name, lane)
	s.mu.Unlock()
	err := freezer.ThawSession(ctx, one.name, &compile.FrozenSession{Lang: f.Lang, Fingerprint: f.Fingerprint, Meta: f.Meta, State: f.State.Bytes})
	switch {
	case errors.Is(err, sandbox.ErrOtherModule) || lane.Fingerprint() != f.Fingerprint:
		return &frozen.Error{Code: frozen.CodeToolchain, Message: fmt.Sprintf("session %s was frozen with another version of %s, or of its toolchain", f.Name, f.Lang),
			Help: "resume it with the wb that froze it, or run the document again"}
	case err != nil:
		return frozen.Errorf(frozen.CodeSession, "session %s: %v", f.Name, err)
	}
	if f.Files != nil {
		if err := json.Unmarshal(f.Files.Bytes, &one.files); err != nil {
			return frozen.Errorf(frozen.CodeDigest, "the files of session %s are damaged: %v", f.Name, err)
		}
	}
	one.frozen = f
	return nil
}

// resumed is the outcome of a block that had run when its session was frozen,
// nil when it had not. Blocks of a session come in their order; the first that
// is another than then means that the document has changed.
func (s *session) resumed(key string) (*kept, error) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen == nil || len(s.ran) >= len(s.frozen.Ran) {
		return nil, nil
	}
	was := s.frozen.Ran[len(s.ran)]
	if was.Key != key {
		return nil, nil
	}
	k := &kept{}
	if err := json.Unmarshal(was.Outcome, k); err != nil {
		return nil, frozen.Errorf(frozen.CodeDigest, "the saved result of %s is damaged: %v", was.Component, err)
	}
	k.blobs = map[string][]byte{}
	for _, made := range was.Made {
		k.blobs[made.Name] = made.Data.Bytes
	}
	return k, nil
}

// untouched reports whether nothing has happened in a session since it was
// thawed. The caller holds the lock.
func (s *session) untouched() bool {
	if s.frozen == nil || len(s.ran) > len(s.frozen.Ran) {
		return false
	}
	for i, one := range s.ran {
		if one.key != s.frozen.Ran[i].Key {
			return false
		}
	}
	return true
}

// handFrozen gives the sessions to who wants them.
func (r executor) handFrozen(ctx context.Context) error {
	if r.opts.Freeze == nil || ctx.Err() != nil {
		return nil
	}
	f, err := r.freeze(ctx)
	if err != nil {
		return err
	}
	return r.opts.Freeze(f)
}

// freeze is the run's sessions as data, taken when all has run. Sessions that
// were answered from what is kept are brought to life first.
func (r executor) freeze(ctx context.Context) (*frozen.File, error) {
	if r.sessionsElsewhere() {
		return nil, &frozen.Error{Code: frozen.CodeTier, Message: "sessions in the tier " + r.tier + " cannot be frozen", Help: "--tier instance"}
	}
	f := &frozen.File{Document: filepath.Base(r.plan.File), Sessions: []frozen.Session{}}
	r.sessions.mu.Lock()
	defer r.sessions.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.sessions.open)) {
		one, err := r.sessions.open[name].freeze(ctx)
		if err != nil {
			return nil, err
		}
		if one != nil {
			one.Name = name
			f.Sessions = append(f.Sessions, *one)
		}
	}
	return f, nil
}

func (s *session) freeze(ctx context.Context) (*frozen.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lang := s.lane.Info().Name
	freezer, ok := compile.Unwrapped[compile.SessionFreezer](s.lane)
	if !ok {
		return nil, frozen.Errorf(frozen.CodeSession, "sessions of %s cannot be frozen", lang)
	}
	if s.untouched() {
		return s.frozen, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	state, err := freezer.FreezeSession(ctx, s.name)
	if err != nil {
		return nil, frozen.Errorf(frozen.CodeSession, "a session of %s: %v", lang, err)
	}
	if state == nil { // its program was stopped, and the session with it
		return nil, nil
	}
	f := &frozen.Session{Lang: lang, Fingerprint: s.lane.Fingerprint(), Meta: state.Meta, State: frozen.Blob{Bytes: state.State}, Ran: []frozen.Ran{}}
	if len(s.files.Entries)+len(s.files.Removed) > 0 {
		files, err := json.Marshal(s.files)
		if err != nil {
			return nil, err
		}
		f.Files = &frozen.Blob{Bytes: files}
	}
	for _, one := range s.ran {
		outcome, err := json.Marshal(one.kept)
		if err != nil {
			return nil, err
		}
		was := frozen.Ran{Component: one.component, Key: one.key, Outcome: outcome}
		for _, name := range slices.Sorted(maps.Keys(one.kept.blobs)) {
			was.Made = append(was.Made, frozen.Item{Name: name, Data: frozen.Blob{Bytes: one.kept.blobs[name]}})
		}
		f.Ran = append(f.Ran, was)
	}
	return f, nil
}
