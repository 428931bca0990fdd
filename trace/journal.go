package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// EntryKind says what a journal entry is about.
type EntryKind string

// The kinds of journal entry.
const (
	EntryIntent   EntryKind = "intent"   // an effect is about to happen; the blob describes it
	EntryEffect   EntryKind = "effect"   // it happened; the blob is its result
	EntryModel    EntryKind = "model"    // a model answered; the blob is the answer
	EntryApproval EntryKind = "approval" // a person decided; the blob is the decision
)

// Entry is one line of a journal.
type Entry struct {
	Seq  int       `json:"seq"` // from 0, without gaps
	Run  string    `json:"run"`
	Kind EntryKind `json:"kind"`
	Key  string    `json:"key"`  // idempotency key: an effect is done once per key
	Blob string    `json:"blob"` // digest of the body
}

// Journal is the durable record that a run is resumed from. [Journal.Append]
// returns when the entry is on disk; only then may the effect it announces
// happen. A journal belongs to one process at a time and is safe for
// concurrent use within it.
//
// An effect with an intent but no effect entry may or may not have happened:
// the run died in between. [Journal.Find] tells a resumed run which of its
// effects are done.
type Journal struct {
	run   string
	blobs *BlobStore

	mu      sync.Mutex
	file    *os.File
	entries []Entry
	failed  error
}

// JournalError is a journal that cannot be read; Line counts from 1.
type JournalError struct {
	Path   string
	Line   int
	Reason string
}

func (e *JournalError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason) }

// ErrJournalBusy is a journal that another process has open: the run is going.
var ErrJournalBusy = errors.New("journal is in use by another process")

// OpenJournal opens the journal of a run, or starts it. A last line that a
// crash cut short is dropped: its effect was not allowed to begin.
func (s *State) OpenJournal(run string) (*Journal, error) {
	if run == "" || run != filepath.Base(run) {
		return nil, fmt.Errorf("journal: %q is no run id", run)
	}
	dir := s.RunDir(run)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	path := filepath.Join(dir, "journal.jsonl")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{run: run, blobs: s.Blobs(), file: file}
	if err := j.load(path); err != nil {
		file.Close()
		return nil, err
	}
	if err := errors.Join(syncDir(dir), syncDir(filepath.Dir(dir))); err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// load takes the lock, reads the entries and cuts off a torn last line.
func (j *Journal) load(path string) error {
	if ok, err := tryLock(j.file); err != nil {
		return fmt.Errorf("journal: %w", err)
	} else if !ok {
		return fmt.Errorf("journal of run %s: %w", j.run, ErrJournalBusy)
	}
	text, err := io.ReadAll(j.file)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	number := 0
	for line := range bytes.Lines(text[:whole]) {
		number++
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return &JournalError{path, number, err.Error()}
		}
		if e.Seq != len(j.entries) || e.Run != j.run || !isDigest(e.Blob) {
			return &JournalError{path, number, fmt.Sprintf("expected entry %d of run %s", len(j.entries), j.run)}
		}
		j.entries = append(j.entries, e)
	}
	if whole < len(text) {
		if err := j.file.Truncate(int64(whole)); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if _, err := j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Append records an entry and returns when body and entry are on disk. After
// a failure the journal takes no more entries: the effect must not happen.
func (j *Journal) Append(kind EntryKind, key string, body []byte) (Entry, error) {
	blob, err := j.blobs.PutSynced(body)
	if err != nil {
		return Entry{}, fmt.Errorf("journal of run %s: %w", j.run, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		return Entry{}, j.failed
	}
	e := Entry{Seq: len(j.entries), Run: j.run, Kind: kind, Key: key, Blob: blob}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil { // what the file holds now is known only after reading it again
		j.failed = fmt.Errorf("journal of run %s: %w", j.run, err)
		return Entry{}, j.failed
	}
	j.entries = append(j.entries, e)
	return e, nil
}

// Entries are the entries so far, in order. The slice must not be modified.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries[:len(j.entries):len(j.entries)]
}

// Find returns the last entry of a kind with a key.
func (j *Journal) Find(kind EntryKind, key string) (Entry, bool) {
	entries := j.Entries()
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Kind == kind && entries[i].Key == key {
			return entries[i], true
		}
	}
	return Entry{}, false
}

// Body is the blob of an entry.
func (j *Journal) Body(e Entry) ([]byte, error) { return j.blobs.Get(e.Blob) }

// CopyTo appends the first n entries to another run's empty journal: a fork of
// the run at that point.
func (j *Journal) CopyTo(fork *Journal, n int) error {
	if len(fork.Entries()) > 0 {
		return fmt.Errorf("journal of run %s is not empty", fork.run)
	}
	entries := j.Entries()
	for _, e := range entries[:min(n, len(entries))] {
		body, err := j.Body(e)
		if err != nil {
			return err
		}
		if _, err := fork.Append(e.Kind, e.Key, body); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the journal and lets another process open it.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = fmt.Errorf("journal of run %s is closed", j.run)
	}
	return j.file.Close()
}
