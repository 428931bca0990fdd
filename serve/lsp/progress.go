package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wb/workbook"
)

// progress tells the client how a run goes, when it wants to know.
type progress struct {
	server *Server
	token  json.RawMessage // nil without a listener
}

// startProgress begins a progress under the client's token, else under one of
// our own when the client shows those.
func (s *Server) startProgress(ctx context.Context, token json.RawMessage, title string) *progress {
	p := &progress{server: s, token: token}
	if len(token) == 0 || string(token) == "null" {
		p.token = nil
		if !s.client.Capabilities.Window.WorkDoneProgress {
			return p
		}
		s.mu.Lock()
		s.lastToken++
		own := fmt.Sprintf(`"wb-run-%d"`, s.lastToken)
		s.mu.Unlock()
		if err := s.conn.call(ctx, "window/workDoneProgress/create", map[string]any{"token": json.RawMessage(own)}, nil); err != nil {
			return p
		}
		p.token = json.RawMessage(own)
	}
	p.send(map[string]any{"kind": "begin", "title": title, "cancellable": true})
	return p
}

func (p *progress) send(value map[string]any) {
	if p.token != nil {
		p.server.conn.notify("$/progress", map[string]any{"token": p.token, "value": value})
	}
}

// component reports a component that ended.
func (p *progress) component(d workbook.Done) {
	if d.Status != workbook.StatusData {
		p.send(map[string]any{"kind": "report", "message": d.ID + " " + string(d.Status)})
	}
}

// printed reports the last line that a component has printed.
func (p *progress) printed(said workbook.Printed) {
	lines := strings.Split(strings.TrimRight(said.Text, "\r\n"), "\n")
	p.send(map[string]any{"kind": "report", "message": said.ID + " | " + lines[len(lines)-1]})
}

func (p *progress) end(text string) { p.send(map[string]any{"kind": "end", "message": text}) }

// watchCancel lets window/workDoneProgress/cancel end a run; the function it
// returns forgets about it.
func (s *Server) watchCancel(token json.RawMessage, cancel context.CancelFunc) (forget func()) {
	if token == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[string(token)] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.runs, string(token))
	}
}

// cancelRun handles window/workDoneProgress/cancel.
func (s *Server) cancelRun(_ context.Context, p struct {
	Token json.RawMessage `json:"token"`
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.runs[string(p.Token)]; cancel != nil {
		cancel()
	}
	return nil, nil
}
