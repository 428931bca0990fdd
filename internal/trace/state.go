package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"wb/internal/diag"
)

// State is a user's state directory: what must outlive a run and does not
// belong beside the workbook.
//
//	runs.jsonl               the registry: every run that was started
//	runs/RUN/journal.jsonl   what RUN needs to be resumed, see [Journal]
//	runs/RUN.lock            held while RUN is going
//	blobs/                   whole bodies, see [BlobStore]
type State struct{ dir string }

// NewState is the state in a directory, which is made when needed.
func NewState(dir string) *State { return &State{dir: dir} }

// StateDir is where state lies unless the user says otherwise: WB_STATE_DIR,
// else wb in XDG_STATE_HOME, else ~/.local/state/wb (on Windows wb\state in
// the local application data).
func StateDir(getenv func(string) string) (string, error) {
	if dir := getenv("WB_STATE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wb"), nil
	}
	if dir := getenv("LOCALAPPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "wb", "state"), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", fmt.Errorf("no state directory: %w; hint: set WB_STATE_DIR", err)
		}
	}
	return filepath.Join(home, ".local", "state", "wb"), nil
}

// Dir is the state directory.
func (s *State) Dir() string { return s.dir }

// StateError is a state directory that nothing can be kept in.
type StateError struct {
	Dir string
	Err error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("the state directory %s cannot be written: %v", e.Dir, e.Err)
}

// Unwrap is why.
func (e *StateError) Unwrap() error { return e.Err }

// Hint says how to choose another.
func (e *StateError) Hint() string {
	return fmt.Sprintf("state is kept in %s; set XDG_STATE_HOME (or WB_STATE_DIR, which goes before) to a directory that you may write", e.Dir)
}

// ExitCode is that of things not permitted.
func (e *StateError) ExitCode() int { return diag.ExitForbidden }

// Ready makes the directory and reports whether runs can be kept in it; the error
// is a [*StateError].
func (s *State) Ready() error {
	err := os.MkdirAll(filepath.Join(s.dir, "runs"), 0o700)
	if err == nil {
		var registry *os.File
		if registry, err = os.OpenFile(s.registry(), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err == nil {
			err = registry.Close()
		}
	}
	if err != nil {
		return &StateError{s.dir, err}
	}
	return nil
}

// Blobs is the blob store.
func (s *State) Blobs() *BlobStore { return NewBlobStore(filepath.Join(s.dir, "blobs")) }

// RunDir is the directory of a run's own state.
func (s *State) RunDir(run string) string { return filepath.Join(s.dir, "runs", run) }

func (s *State) lockPath(run string) string { return s.RunDir(run) + ".lock" }

func (s *State) registry() string { return filepath.Join(s.dir, "runs.jsonl") }

// Lock takes a lock of the state directory by name, for as long as this process
// lives or until release; ok is false when another process has it.
func (s *State) Lock(name string) (release func(), ok bool, err error) {
	if name == "" || name != filepath.Base(name) {
		return nil, false, fmt.Errorf("lock: %q is not a name", name)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(s.dir, name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	if ok, err = tryLock(file); err != nil || !ok {
		file.Close()
		return nil, false, err
	}
	return func() { file.Close() }, true, nil
}

// RunRecord is the registry's record of a run. Paths are absolute.
type RunRecord struct {
	Run      string    `json:"run"`
	Parent   string    `json:"parent,omitempty"`
	Workbook string    `json:"workbook,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Events   string    `json:"events,omitempty"` // its events.org
	Steps    string    `json:"steps,omitempty"`  // its _steps.jsonl
	PID      int       `json:"pid,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	// Status is how it ended; [StatusRunning] or [StatusCrashed] when it did not.
	Status string `json:"status,omitempty"`
}

// What [State.Runs] says of a run that has not ended.
const (
	StatusRunning = "running"
	StatusCrashed = "crashed"
)

// Lease is a run's entry in the registry while the run is going.
type Lease struct {
	state  *State
	record RunRecord
	lock   *os.File
}

// Register enters a run and holds its lock until [Lease.End].
func (s *State) Register(record RunRecord) (*Lease, error) {
	if record.Run == "" || record.Run != filepath.Base(record.Run) {
		return nil, fmt.Errorf("register run: %q is not a run id", record.Run)
	}
	path := s.lockPath(record.Run)
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			lock, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("register run: %w", err)
	}
	ok, err := tryLock(lock)
	if err == nil && !ok {
		err = errors.New("another process has it")
	}
	if err == nil {
		record.PID, record.Status = os.Getpid(), ""
		err = s.enter(record)
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("register run %s: %w", record.Run, err)
	}
	return &Lease{state: s, record: record, lock: lock}, nil
}

// End records how the run ended and gives its lock back.
func (l *Lease) End(status string, at time.Time) error {
	l.record.Status, l.record.Ended = status, at
	err := l.state.enter(l.record)
	os.Remove(l.lock.Name())
	l.lock.Close()
	if err != nil {
		return fmt.Errorf("end run %s: %w", l.record.Run, err)
	}
	return nil
}

func (s *State) enter(record RunRecord) error {
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	file := newAppendFile(s.registry(), 0o600)
	defer file.Close()
	_, err = file.append(append(line, '\n'))
	return err
}

// Changed tells two states of the registry apart; it is nil while there is none.
func (s *State) Changed() (os.FileInfo, error) {
	info, err := os.Stat(s.registry())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// Runs lists every registered run, oldest first. Entries that cannot be read
// are left out.
func (s *State) Runs() ([]RunRecord, error) {
	text, err := os.ReadFile(s.registry())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	var runs []RunRecord
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		var record RunRecord
		if json.Unmarshal(line, &record) != nil || record.Run == "" {
			continue
		}
		if i, known := at[record.Run]; known {
			runs[i] = record
			continue
		}
		at[record.Run] = len(runs)
		runs = append(runs, record)
	}
	for i := range runs {
		if runs[i].Status == "" {
			runs[i].Status = s.unended(runs[i].Run)
		}
	}
	return runs, nil
}

// unended tells a run that is going from one whose process died: the system
// releases the lock of a dead process.
func (s *State) unended(run string) string {
	lock, err := os.OpenFile(s.lockPath(filepath.Base(run)), os.O_RDWR, 0)
	if err != nil {
		return StatusCrashed
	}
	defer lock.Close()
	if free, err := tryLock(lock); err != nil || free {
		return StatusCrashed
	}
	return StatusRunning
}
