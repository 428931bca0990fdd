package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/lazyregexp"
	"wb/internal/trace"
	"wb/internal/whole"
)

// statusRunning is a run that has not ended, even if no process works on it just
// now.
const statusRunning = "running"

// record is the server's record of a run: the request before it begins,
// what came of it after it ended.
type record struct {
	ID       string        `json:"id"`
	Runs     []string      `json:"runs"` // of the journal, resumed from each other
	Task     host.Task     `json:"task"`
	Book     *book         `json:"workbook,omitempty"` // in place of an agent
	From     *origin       `json:"from,omitempty"`     // the run that it came from
	Schedule string        `json:"schedule,omitempty"` // what fired it
	Created  time.Time     `json:"created"`
	Ended    time.Time     `json:"ended,omitzero"`
	Status   string        `json:"status"`
	Error    string        `json:"error,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Result   *agent.Result `json:"result,omitempty"`
	// Spent is the usage of the run and of the agents it asked.
	Spent trace.Usage `json:"spent,omitzero"`
}

// store keeps the records and logs of a tenant's runs, two files each:
// ID.json and ID.frames.jsonl.
type store struct{ dir string }

var runID = lazyregexp.New(`^[0-9A-HJKMNP-TV-Z]{26}$`) // a ULID

func (s store) record(id string) string { return filepath.Join(s.dir, id+".json") }
func (s store) frames(id string) string { return filepath.Join(s.dir, id+".frames.jsonl") }

// put writes a record, whole or not at all, and returns when it is on disk.
func (s store) put(r *record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return whole.File{Dirs: 0o700, Sync: true}.Write(s.record(r.ID), append(text, '\n'))
}

// get reads a record; the error of one that does not exist is os.ErrNotExist.
func (s store) get(id string) (*record, error) {
	if !runID.MatchString(id) {
		return nil, os.ErrNotExist
	}
	text, err := os.ReadFile(s.record(id))
	if err != nil {
		return nil, err
	}
	r := new(record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", s.record(id), err)
	}
	return r, nil
}

// ids are the runs there are records of, latest first.
func (s store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && runID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

// log opens the log of a run for appending and reads what is in it. A last line
// that a crash cut short is dropped.
func (s store) log(id string) (*os.File, []Frame, error) {
	file, err := os.OpenFile(s.frames(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	frames, whole := parseFrames(text)
	if err = file.Truncate(int64(whole)); err == nil {
		_, err = file.Seek(int64(whole), io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, frames, nil
}

// readLog reads the log of a run that has ended.
func (s store) readLog(id string) ([]Frame, error) {
	text, err := os.ReadFile(s.frames(id))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	frames, _ := parseFrames(text)
	return frames, nil
}

// parseFrames reads whole frames in their order and says how many bytes they
// take.
func parseFrames(text []byte) (frames []Frame, whole int) {
	for line := range bytes.Lines(text) {
		var f Frame
		if line[len(line)-1] != '\n' || json.Unmarshal(line, &f) != nil || f.N != len(frames)+1 {
			break
		}
		frames = append(frames, f)
		whole += len(line)
	}
	return frames, whole
}
