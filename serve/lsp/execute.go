package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wb/app"
	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// commands are how workspace/executeCommand does the verbs that the table shows to
// editors: wb.VERB for a document, and longer names for a part of one. Each takes a
// URI and, where it is about a place, a line counted from 0.
var commands = map[string]func(*Server, context.Context, commandCall) (any, error){
	"wb.run":        (*Server).runAll,
	"wb.runBlock":   (*Server).runBlock,
	"wb.runSubtree": (*Server).runSubtree,
	"wb.runTo":      (*Server).runTo,
	"wb.why":        (*Server).why,
	"wb.plan":       (*Server).planPicture,
}

// commandNames are the commands of the verbs that editors have.
func commandNames() []string {
	var names []string
	for _, row := range app.At(app.Editors) {
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			if strings.HasPrefix(name, "wb."+row.Name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// commandCall is one execution of a command.
type commandCall struct {
	*analysis
	document *document
	snap     *snapshot
	line     int // from 0
	force    bool
	token    json.RawMessage // for progress, nil for none
}

// execute runs a command.
func (s *Server) execute(ctx context.Context, p struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
	Token     json.RawMessage   `json:"workDoneToken"`
}) (any, error) {
	do := commands[p.Command]
	if do == nil {
		return nil, failf(codeInvalidParams, "no command %s", p.Command)
	}
	call := commandCall{token: p.Token}
	var uri string
	if len(p.Arguments) == 0 || json.Unmarshal(p.Arguments[0], &uri) != nil {
		return nil, failf(codeInvalidParams, "%s takes the URI of a document", p.Command)
	}
	if len(p.Arguments) > 1 && json.Unmarshal(p.Arguments[1], &call.line) != nil {
		return nil, failf(codeInvalidParams, "%s takes a line number after the URI", p.Command)
	}
	if len(p.Arguments) > 2 && json.Unmarshal(p.Arguments[2], &call.force) != nil {
		return nil, failf(codeInvalidParams, "the third argument of %s says whether to run what did not change", p.Command)
	}
	a, err := look(ctx, uri)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	call.analysis, call.snap, call.document = a, viewed(ctx)[uri], s.documents[uri]
	s.mu.Unlock()
	if call.document == nil {
		return nil, failf(codeInvalidParams, "%s is not open", uri)
	}
	return do(s, ctx, call)
}

func (s *Server) runAll(ctx context.Context, c commandCall) (any, error) { return s.run(ctx, c, nil) }

// runBlock runs the component at a line.
func (s *Server) runBlock(ctx context.Context, c commandCall) (any, error) {
	comp := c.componentAt(c.text.offset(position{Line: c.line}))
	if comp == nil {
		return nil, failf(codeFailed, "there is nothing to run on line %d", c.line+1)
	}
	return s.run(ctx, c, []string{comp.ID})
}

// runSubtree runs what stands below the headline above a line.
func (s *Server) runSubtree(ctx context.Context, c commandCall) (any, error) {
	h, ok := c.doc.Headline(c.doc.At(c.text.offset(position{Line: c.line})))
	if !ok {
		return s.run(ctx, c, nil)
	}
	first, _ := c.doc.Position(h.Start())
	last, _ := c.doc.Position(max(h.Start(), h.End()-1))
	return s.runLines(ctx, c, first, last)
}

// runTo runs what stands above a line, and on it.
func (s *Server) runTo(ctx context.Context, c commandCall) (any, error) {
	return s.runLines(ctx, c, 1, c.line+1)
}

func (s *Server) runLines(ctx context.Context, c commandCall, first, last int) (any, error) {
	var ids []string
	for _, comp := range c.plan().Within(first, last) {
		ids = append(ids, comp.ID)
	}
	if len(ids) == 0 {
		return nil, failf(codeFailed, "there is nothing to run on lines %d to %d", first, last)
	}
	return s.run(ctx, c, ids)
}

// runResult is the answer of a run command.
type runResult struct {
	Ran     int  `json:"ran"`
	Cached  int  `json:"cached"`
	Failed  int  `json:"failed"`
	Applied bool `json:"applied"` // the results are in the text
	// Lost counts results whose place was edited during the run. Nothing of
	// them is written; they are kept, so that running again costs nothing.
	Lost    int    `json:"lost,omitempty"`
	Message string `json:"message"`
}

// run runs components of a document, all when none is named, and sends their
// results to the client as an edit.
func (s *Server) run(ctx context.Context, c commandCall, only []string) (any, error) {
	if s.config.Run == nil {
		return nil, failf(codeFailed, "this server does not run workbooks")
	}
	progress := s.startProgress(ctx, c.token, "Running "+c.plan().Title)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.watchCancel(progress.token, cancel)()
	c, only, leave, err := s.takeTurn(ctx, c, only)
	if err != nil {
		progress.end("did not start")
		return nil, err
	}
	defer leave()
	set := s.settings()
	report, err := s.config.Run(ctx, RunRequest{File: c.file, Source: []byte(c.text.source), Only: only, Force: c.force,
		Grants: set.Grants, Profile: set.Profile, Progress: progress.component, Output: progress.printed})
	if report == nil {
		report = &workbook.Report{}
	}
	result := runResult{Ran: report.Count(workbook.StatusOK), Cached: report.Count(workbook.StatusCached), Failed: report.Count(workbook.StatusFailed)}
	if err != nil {
		progress.end("did not finish")
		return nil, s.runFailure(err)
	}
	result.Applied, result.Lost, err = s.sendResults(ctx, c, report.Edits)
	result.Message = summary(result)
	progress.end(result.Message)
	s.showFailures(c, report)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// takeTurn waits until no other run of the document is under way. That one may
// have changed the text, so the call is then for the text as it is, and the
// components named are found again by their places.
func (s *Server) takeTurn(ctx context.Context, c commandCall, only []string) (commandCall, []string, func(), error) {
	select {
	case c.document.turn <- struct{}{}:
	case <-ctx.Done():
		return c, nil, nil, ctx.Err()
	}
	leave := func() { <-c.document.turn }
	now := c.document.snapshot()
	if now.version == c.version {
		return c, only, leave, nil
	}
	before := c.analysis
	c.snap, c.analysis = now, now.analysis()
	var ids []string
	for _, id := range only {
		comp := before.plan().Component(id)
		at := before.offset(comp.Pos.Line, comp.Pos.Col)
		moved, _, _ := c.document.rebase([]org.Edit{{Start: at, End: at + 1}}, before.version)
		if len(moved) == 0 {
			continue
		}
		if comp := c.componentAt(moved[0].Start); comp != nil {
			ids = append(ids, comp.ID)
		}
	}
	if len(only) > 0 && len(ids) == 0 {
		leave()
		return c, nil, nil, failf(codeFailed, "the block was edited meanwhile")
	}
	return c, ids, leave, nil
}

// sendResults moves the results to the text as it is now and asks the client
// to put them in. The author may type while that travels; the client then
// refuses, and it is tried again.
func (s *Server) sendResults(ctx context.Context, c commandCall, edits []org.Edit) (applied bool, lost int, err error) {
	const attempts = 5
	for range attempts {
		moved, now, gone := c.document.rebase(edits, c.version)
		if len(moved) == 0 {
			return gone == 0, gone, nil
		}
		var answer applyEditResult
		edit := s.workspaceEdit(c.uri, &now.version, now.text.edits(moved))
		if err := s.conn.call(ctx, "workspace/applyEdit", applyEditParams{Label: "wb results", Edit: *edit}, &answer); err != nil {
			return false, 0, failf(codeFailed, "the editor did not take the results: %v", err)
		}
		if answer.Applied {
			return true, gone, nil
		}
		if c.document.snapshot().version == now.version {
			return false, 0, failf(codeFailed, "the editor did not take the results: %s", answer.FailureReason)
		}
	}
	return false, len(edits), nil
}

// runFailure is the error of a run that could not be done; what lint found is
// shown where it is.
func (s *Server) runFailure(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	text := err.Error()
	if hint := diag.HintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	s.conn.notify("window/showMessage", showMessage{messageError, text})
	return failf(codeFailed, "%s", text)
}

// showFailures puts the errors and warnings of a run beside what lint found,
// until the text changes.
func (s *Server) showFailures(c commandCall, r *workbook.Report) {
	var list []diagnostic
	for _, done := range r.Components {
		for _, w := range done.Warnings {
			list = append(list, c.diagnostic(w, "wb run"))
		}
		var build *diag.FindingsError
		switch {
		case done.Status != workbook.StatusFailed:
		case errors.As(done.Err, &build):
			for _, d := range build.Findings {
				list = append(list, c.diagnostic(d, "wb run"))
			}
		default:
			d := diag.Finding{Pos: done.Pos, Severity: diag.Error, Message: done.Err.Error()}
			if exit, ok := errors.AsType[*workbook.ExitError](done.Err); ok && exit.Pos.Line > 0 {
				d.Pos = exit.Pos
			}
			list = append(list, c.diagnostic(d, "wb run"))
		}
	}
	c.document.setRan(c.snap, list)
	s.lintSoon(c.uri, 0)
}

func summary(r runResult) string {
	text := fmt.Sprintf("%d ran, %d cached", r.Ran, r.Cached)
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Lost > 0 {
		text += fmt.Sprintf("; %d results were not written because their place was edited: run again", r.Lost)
	}
	return text
}

// why explains the component at a line.
func (s *Server) why(ctx context.Context, c commandCall) (any, error) {
	comp := c.componentAt(c.text.offset(position{Line: c.line}))
	if comp == nil {
		return nil, failf(codeFailed, "there is no component on line %d", c.line+1)
	}
	return s.explain(ctx, c.analysis, comp.ID)
}

// planPicture is the plan as SVG.
func (s *Server) planPicture(ctx context.Context, c commandCall) (any, error) {
	out, err := app.PlanOf(ctx, s.home(c.analysis), &app.PlanIn{SVG: true}, c.plan(), []byte(c.text.source))
	if err != nil {
		return nil, err
	}
	return map[string]string{"svg": out.Plan.SVG()}, nil
}
