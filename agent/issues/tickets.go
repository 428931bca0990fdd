// Package issues reads and works the tickets that agents file in issues.org: one
// headline each, tagged :issue:, with an :ID: made of its title, so that what is
// filed twice is there once.
//
// Who works a ticket holds its lock, which ends with the process, and has entered its
// run in the headline: two workers never work the same ticket, and what a worker that
// died has begun, the next goes on with. What came of it is a note below the ticket
// and its state.
package issues

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/org/orgfile"
)

// Ticket is one headline.
type Ticket struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	State    string   `json:"state"`
	Done     bool     `json:"done"`
	Created  string   `json:"created,omitempty"`
	Worker   string   `json:"worker,omitempty"` // who has begun to work on it
	Runs     []string `json:"runs,omitempty"`   // of the worker, resumed from each other
	Attempts int      `json:"attempts,omitempty"`
	Text     string   `json:"text"` // below the headline, notes included
	Line     int      `json:"line"`
}

// The properties that workers write.
const (
	workerKey   = "WORKER"
	runsKey     = "RUNS"
	attemptsKey = "ATTEMPTS"
)

// File is the issues.org of a directory.
func File(dir string) string { return filepath.Join(dir, "issues.org") }

// Read reads the tickets of a file; one that is not there has none.
func Read(path string) ([]Ticket, error) {
	file, err := orgfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return in(file.Doc), nil
}

// in are the tickets of a document.
func in(doc *org.Document) []Ticket {
	var all []Ticket
	for h := range doc.Headlines() {
		id, ok := h.Property("ID")
		if !ok || id == "" || !h.HasTag("issue") {
			continue
		}
		t := Ticket{ID: id, Title: strings.TrimSpace(h.Title.Text), State: h.Keyword.Text, Done: h.Done, Text: strings.TrimSpace(doc.Text(h.Body()))}
		t.Created, _ = h.Property("CREATED")
		t.Worker, _ = h.Property(workerKey)
		runs, _ := h.Property(runsKey)
		t.Runs = strings.Fields(runs)
		attempts, _ := h.Property(attemptsKey)
		t.Attempts, _ = strconv.Atoi(attempts)
		t.Line, _ = doc.Position(h.Node.Start())
		all = append(all, t)
	}
	return all
}

// Find is a ticket by its id or the beginning of it.
func Find(all []Ticket, id string) (*Ticket, error) {
	var found []*Ticket
	for i := range all {
		switch {
		case all[i].ID == id:
			return &all[i], nil
		case strings.HasPrefix(all[i].ID, id) || strings.HasPrefix(all[i].ID, "issue-"+id):
			found = append(found, &all[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, &diag.NotFoundError{What: "there is no ticket " + id, Help: "wb issues list --all"}
	case 1:
		return found[0], nil
	}
	return nil, &diag.NotFoundError{What: fmt.Sprintf("%d tickets begin with %s", len(found), id), Help: "wb issues list --all"}
}

// change rewrites the headline of a ticket, again when somebody else has changed the
// file meanwhile.
func change(path, id string, edit func(h org.Headline) ([]org.Edit, error), more ...func(h org.Headline) ([]org.Edit, error)) error {
	for {
		file, err := orgfile.Read(path)
		if err != nil {
			return err
		}
		src := []byte(file.Doc.Source())
		for _, step := range append([]func(org.Headline) ([]org.Edit, error){edit}, more...) {
			h, ok := headline(org.Parse(src), id)
			if !ok {
				return &diag.NotFoundError{What: fmt.Sprintf("the ticket %s is no longer in %s", id, path), Help: ""}
			}
			edits, err := step(h)
			if err != nil {
				return err
			}
			if src, err = org.Apply(src, edits); err != nil {
				return err
			}
		}
		_, err = file.Write(src)
		var conflict *orgfile.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
	}
}

func headline(doc *org.Document, id string) (org.Headline, bool) {
	for h := range doc.Headlines() {
		if known, _ := h.Property("ID"); known == id && h.HasTag("issue") {
			return h, true
		}
	}
	return org.Headline{}, false
}

// setting gives the headline a property.
func setting(key, value string) func(org.Headline) ([]org.Edit, error) {
	return func(h org.Headline) ([]org.Edit, error) { return org.SetProperty(h, key, value) }
}

// dropping takes a property of the headline away, with its line.
func dropping(key string) func(org.Headline) ([]org.Edit, error) {
	return func(h org.Headline) ([]org.Edit, error) {
		for p := range h.Properties() {
			if !p.Is(key) {
				continue
			}
			text := h.Node.Document().Source()
			start := strings.LastIndexByte(text[:p.Key.Start], '\n') + 1
			end := len(text)
			if n := strings.IndexByte(text[p.Key.Start:], '\n'); n >= 0 {
				end = p.Key.Start + n + 1
			}
			return []org.Edit{{Start: start, End: end}}, nil
		}
		return nil, nil
	}
}
