package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wb/internal/trace"
)

// Score is how the cases of a document went at one time.
type Score struct {
	File    string    `json:"file"` // absolute
	At      time.Time `json:"at"`
	Results []Result  `json:"results"`
}

// Passed counts the cases that went well.
func (s Score) Passed() (n int) {
	for _, r := range s.Results {
		if r.OK {
			n++
		}
	}
	return n
}

// maxScoreLine bounds a line of the file, in bytes: answers are shortened to fit.
const (
	maxScoreLine = 4 << 20
	maxAnswer    = 2000
)

// Keep adds a score to those of a state directory, for [Scores].
func (s Score) Keep(state *trace.State) error {
	results := append([]Result{}, s.Results...)
	for i, r := range results {
		if runes := []rune(r.Answer); len(runes) > maxAnswer {
			results[i].Answer = string(runes[:maxAnswer]) + "…"
		}
	}
	s.Results = results
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state.Dir(), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(scoresFile(state), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("scores: %w", err)
	}
	_, err = file.Write(append(line, '\n')) // one write, so that those of others stay whole
	return errors.Join(err, file.Close())
}

// Scores are those of a document that were kept, the latest first; "" is all documents.
func Scores(state *trace.State, file string) ([]Score, error) {
	text, err := os.ReadFile(scoresFile(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	var all []Score
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxScoreLine)
	for lines.Scan() {
		var s Score
		if json.Unmarshal(lines.Bytes(), &s) == nil && (file == "" || s.File == file) { // a torn line is none
			all = append([]Score{s}, all...)
		}
	}
	return all, lines.Err()
}

func scoresFile(state *trace.State) string { return filepath.Join(state.Dir(), "evals.jsonl") }
