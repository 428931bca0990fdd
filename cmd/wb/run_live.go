package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"wb/sandbox"
	"wb/workbook"
)

// liveAfter is how long a component prints before a person sees it do so. What ends
// sooner is in the document anyway.
const liveAfter = time.Second

// liveOutput shows on standard error what components print while they run, a line after
// "ID |", and how they end.
type liveOutput struct {
	*terminal
	after time.Duration
	state runState

	mu       sync.Mutex
	speakers map[string]*speaker // components that have printed and not ended
}

// speaker is a component that prints.
type speaker struct {
	held  []string // lines not shown yet
	heard bool     // it has printed for so long that its lines are shown
}

func (a *terminal) liveOutput() *liveOutput {
	return &liveOutput{terminal: a, after: liveAfter, speakers: map[string]*speaker{}, state: runState{began: time.Now()}}
}

// follow shows the state of the run on a terminal until it is called off.
func (l *liveOutput) follow() (off func()) {
	s := l.screen()
	if s == nil || l.json || l.quiet {
		return func() {}
	}
	return s.late(l.state.text)
}

// began hears that a component begins to run.
func (l *liveOutput) began(b workbook.Begun) { l.state.start(b) }

// printed hears what a component prints.
func (l *liveOutput) printed(p workbook.Printed) {
	if l.json || l.quiet {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.speakers[p.ID]
	if s == nil {
		s = &speaker{}
		l.speakers[p.ID] = s
		time.AfterFunc(l.after, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.speakers[p.ID] == s {
				s.heard = true
				l.show(p.ID, s)
			}
		})
	}
	s.held = append(s.held, shownLines(p.Text)...)
	if s.heard {
		l.show(p.ID, s)
	}
}

// show writes the lines that are held; mu is held.
func (l *liveOutput) show(id string, s *speaker) {
	prefix := id + " |"
	if colour(l.std.Err) {
		prefix = "\x1b[2m" + prefix + "\x1b[0m"
	}
	for _, line := range s.held {
		fmt.Fprintf(l.std.Err, "%s %s\n", prefix, line)
	}
	s.held = nil
}

// ended tells how a component ended. What it printed is not shown twice.
func (l *liveOutput) ended(d workbook.Done) {
	l.state.end(d)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.speakers[d.ID]; s != nil && s.heard {
		l.show(d.ID, s)
		d.Stdout, d.Stderr = "", ""
	}
	delete(l.speakers, d.ID)
	l.componentLine(d)
}

// shownLines are lines as a terminal would show them: without what would steer it,
// and what a program has overwritten.
func shownLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = string(sandbox.Neutralize([]byte(line[strings.LastIndexByte(line, '\r')+1:])))
	}
	return lines
}

// printedLine reports a component's output as a line of JSON, beside [progressLine].
type printedLine struct {
	Printed printedOut `json:"printed"`
}

type printedOut struct {
	ID     string `json:"id"`
	Stderr bool   `json:"stderr,omitempty"`
	Text   string `json:"text"`
}

func (a *terminal) printedJSON(p workbook.Printed) {
	line, err := json.Marshal(printedLine{printedOut{p.ID, p.Stderr, p.Text}})
	if err == nil {
		fmt.Fprintf(a.std.Err, "%s\n", line)
	}
}
