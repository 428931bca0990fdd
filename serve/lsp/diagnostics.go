package lsp

import (
	"strings"
	"time"

	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/org"
)

// usualLintDelay is how long the author must pause before diagnostics are made.
const usualLintDelay = 200 * time.Millisecond

func (s *Server) lintDelay() time.Duration {
	if set := s.settings().LintDelay; set != nil && *set >= 0 {
		return time.Duration(*set) * time.Millisecond
	}
	return usualLintDelay
}

// lintSoon makes diagnostics for a document after a pause; asking again before
// then starts the pause anew.
func (s *Server) lintSoon(uri string, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[uri]
	if d == nil {
		return
	}
	if t := s.timers[uri]; t != nil {
		t.Stop()
	}
	s.timers[uri] = time.AfterFunc(pause, func() { s.publish(d) })
}

// publish sends a document's diagnostics, unless it has changed or was closed
// while they were made.
func (s *Server) publish(d *document) {
	snap := d.snapshot()
	list := snap.analysis().diagnostics(s.config.Languages)
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	current := s.documents[d.uri] == d && s.phase == ready
	s.mu.Unlock()
	d.mu.Lock()
	current = current && d.now == snap
	list = append(list[:len(list):len(list)], d.ranDiagnostics()...)
	d.mu.Unlock()
	if !current {
		return
	}
	s.conn.notify("textDocument/publishDiagnostics", publishParams{URI: d.uri, Version: &snap.version, Diagnostics: list})
}

// findings are lint's findings, computed once per version.
func (a *analysis) findings(languages *compile.Registry) []diag.Finding {
	a.linting.Do(func() {
		a.linted = app.LintPlan(a.plan(), []byte(a.text.source), languages)
	})
	return a.linted
}

func (a *analysis) diagnostics(languages *compile.Registry) []diagnostic {
	found := a.findings(languages)
	list := make([]diagnostic, len(found))
	for i, f := range found {
		list[i] = a.diagnostic(f, "wb")
	}
	return list
}

// diagnostic is a finding as the protocol has it, its hint on a line of its
// own.
func (a *analysis) diagnostic(f diag.Finding, source string) diagnostic {
	severity := severityInfo
	switch f.Severity {
	case diag.Error:
		severity = severityError
	case diag.Warning:
		severity = severityWarning
	}
	text := f.Message
	if f.Hint != "" {
		text += "\n" + f.Hint
	}
	return diagnostic{Range: a.text.rangeOf(a.extent(f)), Severity: severity, Code: f.Code, Source: source, Message: text}
}

// extent is the text a finding is about: the word it names where that stands on the
// line, the line where the finding is about all of it, else the word at its
// place.
func (a *analysis) extent(f diag.Finding) org.Span {
	at := a.offset(f.Pos.Line, f.Pos.Col)
	if span, ok := a.culprit(f); ok {
		return span
	}
	source := a.text.source
	line, _ := a.doc.Line(f.Pos.Line)
	if at >= line.End {
		return org.Span{Start: line.End, End: line.End}
	}
	if rest := source[at:line.End]; source[at] == '#' || source[at] == '*' || source[at] == ':' || strings.HasPrefix(rest, "<") {
		return org.Span{Start: at, End: at + len(strings.TrimRight(rest, " \t\r\n"))}
	}
	end := at
	for end < line.End && strings.IndexByte(" \t\r\n", source[end]) < 0 {
		end++
	}
	return org.Span{Start: at, End: max(end, min(at+1, line.End))}
}
