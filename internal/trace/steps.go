package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"

	"wb/internal/value"
)

// stepOutputLen is how many characters of a body _steps.jsonl shows.
const stepOutputLen = 200

// StepsFile appends events to a _steps.jsonl file, one JSON object per line.
// It is safe for concurrent use, also by several processes.
type StepsFile struct{ file *appendFile }

// NewStepsFile makes a writer for the _steps.jsonl file at path, which is
// created with the first event.
func NewStepsFile(path string) *StepsFile { return &StepsFile{newAppendFile(path, 0o644)} }

// Emit appends one event.
func (w *StepsFile) Emit(e Event) error {
	_, err := w.file.append(AppendStep(nil, &e))
	return err
}

// Close closes the file.
func (w *StepsFile) Close() error { return w.file.Close() }

// AppendStep appends the event as a line of _steps.jsonl. Its keys are, in
// this order:
//
//	step       the model turn, 0 outside agents
//	agent      id or null
//	tool       name or null
//	args       the call's arguments; for other events what else is known of them, or null
//	output     the first 200 characters of the body
//	exit_code  number or null
//	error      text or null
//	dur_ms     milliseconds, by the monotonic clock
//	ts         when it ended, in seconds since 1970
//	run        id of the run
//	call       position in the run, from 0; null for its header
//	kind       see [Kind]
//	component  id or null
func AppendStep(dst []byte, e *Event) []byte {
	dst = strconv.AppendInt(append(dst, `{"step":`...), int64(e.Step), 10)
	dst = appendText(append(dst, `,"agent":`...), e.Agent)
	dst = appendText(append(dst, `,"tool":`...), e.Tool)
	dst = appendArgs(append(dst, `,"args":`...), e)
	dst = append(append(dst, `,"output":`...), quoted(clip(e.Output, stepOutputLen))...)
	dst = append(dst, `,"exit_code":`...)
	if e.Exit != nil {
		dst = strconv.AppendInt(dst, int64(*e.Exit), 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendText(append(dst, `,"error":`...), e.Error)
	dst = strconv.AppendInt(append(dst, `,"dur_ms":`...), e.Duration.Milliseconds(), 10)
	ts := int64(0)
	if !e.Time.IsZero() {
		ts = e.Time.Unix()
	}
	dst = strconv.AppendInt(append(dst, `,"ts":`...), ts, 10)
	dst = append(append(dst, `,"run":`...), quoted(e.Run)...)
	dst = append(dst, `,"call":`...)
	if e.Kind == KindRun {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, int64(e.Call), 10)
	}
	dst = append(append(dst, `,"kind":`...), quoted(string(e.Kind))...)
	dst = appendText(append(dst, `,"component":`...), e.Component)
	return append(dst, '}', '\n')
}

func quoted(text string) []byte {
	return escapeHidden(value.AppendQuoted(make([]byte, 0, len(text)+2), text))
}

// appendText appends a string, or null for "".
func appendText(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return append(dst, quoted(text)...)
}

// appendArgs appends the arguments of a call. Events that are not calls show
// what has no key of its own there, so that the ledger covers it.
func appendArgs(dst []byte, e *Event) []byte {
	if len(e.Args) > 0 {
		return append(dst, e.argsLine()...)
	}
	details := stepDetails(e)
	if len(details) == 0 || e.Kind == KindToolCall {
		return append(dst, "null"...)
	}
	return append(dst, escapeHidden(value.OfObject(details...).AppendJSON(nil))...)
}

func stepDetails(e *Event) []value.Field {
	var fields []value.Field
	text := func(name, text string) {
		if text != "" {
			fields = append(fields, value.Field{Name: name, Value: value.OfString(text)})
		}
	}
	number := func(name string, n int64) {
		if n != 0 {
			fields = append(fields, value.Field{Name: name, Value: value.OfInt(n)})
		}
	}
	text("workbook", e.Workbook)
	text("source_sha256", e.SourceSHA256)
	text("parent_run", e.ParentRun)
	text("root_run", e.RootRun)
	text("inner_run", e.InnerRun)
	text("session", e.Session)
	text("lang", e.Lang)
	text("profile", e.Profile)
	text("model", e.Model)
	text("path", e.Path)
	text("cache", e.Cache)
	text("status", e.Status)
	number("fuel", e.Fuel)
	number("tokens_in", e.Usage.TokensIn)
	number("tokens_out", e.Usage.TokensOut)
	number("tokens_cached", e.Usage.TokensCached)
	if e.Usage.CostUSD > 0 {
		fields = append(fields, value.Field{Name: "cost_usd", Value: value.OfFloat(e.Usage.CostUSD)})
	}
	text("output_sha256", e.OutputSHA256)
	for _, p := range e.Props {
		text(p.Name, p.Value)
	}
	if e.Incomplete {
		text("trace", "incomplete")
	}
	return fields
}

// clip is the first n characters of text.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Step is a line of _steps.jsonl, in the current form or in the older one
// with result and ms for output and dur_ms.
type Step struct {
	Step      int             `json:"step"`
	Agent     string          `json:"agent"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Output    string          `json:"output"`
	ExitCode  *int            `json:"exit_code"`
	Error     string          `json:"error"`
	DurMS     float64         `json:"dur_ms"`
	TS        float64         `json:"ts"`
	Run       string          `json:"run"`
	Call      int             `json:"call"`
	Kind      Kind            `json:"kind"`
	Component string          `json:"component"`
}

// Event is the line as an event. What has no key of its own stays in Args.
func (s *Step) Event() Event {
	e := Event{Run: s.Run, Call: s.Call, Kind: s.Kind, Step: s.Step, Agent: s.Agent, Component: s.Component, Tool: s.Tool,
		Exit: s.ExitCode, Error: s.Error, Duration: time.Duration(s.DurMS * float64(time.Millisecond)), Output: s.Output}
	if s.TS != 0 {
		e.Time = time.UnixMilli(int64(s.TS * 1000))
	}
	if e.Kind == "" {
		e.Kind = KindToolCall
	}
	if string(s.Args) != "null" {
		e.Args = s.Args
	}
	return e
}

// LineError is a line that is not a step; Line counts from 1.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is the reason.
func (e *LineError) Unwrap() error { return e.Err }

// ScanSteps yields the lines of a _steps.jsonl text in order, and a
// *[LineError] for each line that is not a step; blank lines are skipped.
func ScanSteps(text []byte) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		number := 0
		for line := range bytes.Lines(text) {
			number++
			line = bytes.TrimSpace(line)
			if len(line) == 0 {
				continue
			}
			step, err := parseStep(line)
			if err != nil {
				err = &LineError{number, err}
			}
			if !yield(step, err) {
				return
			}
		}
	}
}

func parseStep(line []byte) (Step, error) {
	var raw struct {
		Step
		Result json.RawMessage `json:"result"`
		MS     *float64        `json:"ms"`
	}
	if !utf8.Valid(line) {
		return Step{}, fmt.Errorf("invalid UTF-8")
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return Step{}, err
	}
	s := raw.Step
	if s.Output == "" && len(raw.Result) > 0 && json.Unmarshal(raw.Result, &s.Output) != nil {
		s.Output = string(raw.Result)
	}
	if raw.MS != nil && s.DurMS == 0 {
		s.DurMS = *raw.MS
	}
	return s, nil
}
