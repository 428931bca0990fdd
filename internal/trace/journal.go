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
	"unicode/utf8"
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
	// Body is the body itself where it is short, nil where it is a blob.
	Body *string `json:"body,omitempty"`
}

// maxInline is how many bytes of body an entry holds itself. A blob of its own
// costs two more syncs, one of the file and one of its directory.
const maxInline = 64 << 10

// Journal is the durable record that a run is resumed from. [Journal.Add]
// writes an entry, which a killed process leaves behind; [Journal.Sync] returns
// when all entries so far are on disk, which a machine that loses power leaves
// behind; [Journal.Append] does both. An effect may happen only after the entry
// that announces it was synced. Syncs are what a journal costs, so entries are
// added one by one and synced together. A journal belongs to one process at a
// time and is safe for concurrent use within it.
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
	last    map[place]int // number of the last entry of a kind with a key
	synced  int           // how many entries are on disk
	failed  error

	syncing sync.Mutex // held by the one that syncs; taken before mu
}

// place is where [Journal.Find] finds an entry.
type place struct {
	kind EntryKind
	key  string
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

// OpenJournal opens the journal of a run, or starts it. What a crash left of
// lines that were not synced is dropped: their effects were not allowed to
// begin.
func (s *State) OpenJournal(run string) (*Journal, error) {
	if run == "" || run != filepath.Base(run) {
		return nil, fmt.Errorf("journal: %q is not a run id", run)
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
	j := &Journal{run: run, blobs: s.Blobs(), file: file, last: map[place]int{}}
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

// ReadJournal reads the journal of a run as far as it goes, also while the run is
// going. It takes no entries, and need not be closed.
func (s *State) ReadJournal(run string) (*Journal, error) {
	if run == "" || run != filepath.Base(run) {
		return nil, fmt.Errorf("journal: %q is not a run id", run)
	}
	path := filepath.Join(s.RunDir(run), "journal.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{run: run, blobs: s.Blobs(), last: map[place]int{}, failed: fmt.Errorf("journal of run %s is only read", run)}
	_, err = j.read(path, text)
	return j, err
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
	whole, err := j.read(path, text)
	if err != nil {
		return err
	}
	if whole < len(text) {
		if err := j.file.Truncate(int64(whole)); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if _, err := j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil // what a killed process left unsynced goes to disk with the first sync
}

// read takes over the entries of a journal's text and says how many bytes they take: a
// last line that is not whole is none.
func (j *Journal) read(path string, text []byte) (whole int, err error) {
	whole = bytes.LastIndexByte(text, '\n') + 1
	if lost := bytes.IndexByte(text[:whole], 0); lost >= 0 { // blocks that power failed before
		whole = bytes.LastIndexByte(text[:lost], '\n') + 1
	}
	number := 0
	for line := range bytes.Lines(text[:whole]) {
		number++
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, &JournalError{path, number, err.Error()}
		}
		if e.Seq != len(j.entries) || e.Run != j.run || !isDigest(e.Blob) {
			return 0, &JournalError{path, number, fmt.Sprintf("expected entry %d of run %s", len(j.entries), j.run)}
		}
		j.keep(e)
	}
	return whole, nil
}

// keep takes an entry over that the file has.
func (j *Journal) keep(e Entry) {
	j.last[place{e.Kind, e.Key}] = len(j.entries)
	j.entries = append(j.entries, e)
}

// Append records an entry and returns when it is on disk, and all before it.
func (j *Journal) Append(kind EntryKind, key string, body []byte) (Entry, error) {
	e, err := j.Add(kind, key, body)
	if err == nil {
		err = j.Sync()
	}
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

// Add records an entry and does not wait for the disk. After a failure the
// journal takes no more entries: no effect may happen.
func (j *Journal) Add(kind EntryKind, key string, body []byte) (Entry, error) {
	e := Entry{Run: j.run, Kind: kind, Key: key}
	if len(body) <= maxInline && utf8.Valid(body) {
		text := string(body)
		e.Blob, e.Body = Digest(body), &text
	} else {
		var err error
		if e.Blob, err = j.blobs.PutSynced(body); err != nil {
			return Entry{}, fmt.Errorf("journal of run %s: %w", j.run, err)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		return Entry{}, j.failed
	}
	e.Seq = len(j.entries)
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	if err == nil {
		_, err = j.file.Write(line.Bytes())
	}
	if err != nil { // what the file holds now is known only after reading it again
		j.failed = fmt.Errorf("journal of run %s: %w", j.run, err)
		return Entry{}, j.failed
	}
	j.keep(e)
	return e, nil
}

// Sync returns when every entry added so far is on disk. Callers at the same
// time share what the disk does.
func (j *Journal) Sync() error {
	if done, err := j.onDisk(j.Len()); done || err != nil {
		return err
	}
	want := j.Len()
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if done, err := j.onDisk(want); done || err != nil { // somebody else's sync covered it
		return err
	}
	covered := j.Len()
	err := j.file.Sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil { // the kernel may have dropped what it could not write
		if j.failed == nil {
			j.failed = fmt.Errorf("journal of run %s: %w", j.run, err)
		}
		return j.failed
	}
	j.synced = covered
	return nil
}

// Len is how many entries there are.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries)
}

// onDisk reports whether the first n entries are on disk, or why the journal
// takes no more.
func (j *Journal) onDisk(n int) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.synced >= n, j.failed
}

// Entries are the entries so far, in order. The slice must not be modified.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries[:len(j.entries):len(j.entries)]
}

// Find returns the last entry of a kind with a key.
func (j *Journal) Find(kind EntryKind, key string) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.last[place{kind, key}]
	if !ok {
		return Entry{}, false
	}
	return j.entries[i], true
}

// Body is the body of an entry, which is checked against its digest.
func (j *Journal) Body(e Entry) ([]byte, error) {
	if e.Body == nil {
		return j.blobs.Get(e.Blob)
	}
	if body := []byte(*e.Body); Digest(body) == e.Blob {
		return body, nil
	}
	return nil, fmt.Errorf("journal of run %s: entry %d was changed", j.run, e.Seq)
}

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
		if _, err := fork.Add(e.Kind, e.Key, body); err != nil {
			return err
		}
	}
	return fork.Sync()
}

// Close syncs the journal, closes it and lets another process open it.
func (j *Journal) Close() error {
	j.mu.Lock()
	failed := j.failed
	j.mu.Unlock()
	var err error
	if failed == nil { // a journal that has failed has said so already
		err = j.Sync()
	}
	j.syncing.Lock() // a sync may be under way still
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = fmt.Errorf("journal of run %s is closed", j.run)
	}
	return errors.Join(err, j.file.Close())
}
