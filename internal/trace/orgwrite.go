package trace

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tagColumn is where the tags of a headline start, counting characters from 0.
const tagColumn = 61

// EventsFile appends events to an events.org file, each with one write. It is
// safe for concurrent use, also by several processes.
type EventsFile struct{ file *appendFile }

// NewEventsFile makes a writer for the events.org file at path, which is
// created with the first event.
func NewEventsFile(path string) *EventsFile { return &EventsFile{newAppendFile(path, 0o644)} }

// Emit appends one event.
func (w *EventsFile) Emit(e Event) error {
	_, err := w.file.append(AppendOrg(nil, &e))
	return err
}

// Close closes the file.
func (w *EventsFile) Close() error { return w.file.Close() }

// AppendOrg appends the event as events.org shows it: a headline, a property
// drawer with one key per line and one line of excerpt. Nothing in the event
// can make another headline, another property or anything that org acts on.
func AppendOrg(dst []byte, e *Event) []byte {
	w := orgWriter{buf: dst}
	if e.Kind == KindRun {
		w.header(e)
	} else {
		w.event(e)
	}
	return w.buf
}

type orgWriter struct{ buf []byte }

// header writes the headline of a run, "Run ID NAME" or "Agent run ID", and
// what is known of the run when it starts.
func (w *orgWriter) header(e *Event) {
	if e.Agent != "" && e.Workbook == "" {
		w.headline("* Agent run "+oneLine(e.Run, 64), ":session:")
	} else {
		w.headline("* Run "+oneLine(e.Run, 64)+" "+oneLine(baseName(e.Workbook), 120), ":run:session:")
	}
	w.line("  :PROPERTIES:")
	w.aligned("ID", e.Run)
	w.aligned("WORKBOOK", e.Workbook)
	w.aligned("AGENT", e.Agent)
	w.aligned("SOURCE_SHA256", e.SourceSHA256)
	if !e.Time.IsZero() {
		w.aligned("STARTED", e.Time.Local().Format(orgTime))
	}
	w.aligned("PARENT_RUN", e.ParentRun)
	w.aligned("ROOT_RUN", e.RootRun)
	w.aligned("SESSION", e.Session)
	for _, p := range e.Props {
		w.aligned(propName(p.Name), p.Value)
	}
	w.line("  :END:")
}

// event writes everything else.
func (w *orgWriter) event(e *Event) {
	w.headline("** "+oneLine(title(e), 200), ":"+string(e.Kind)+":")
	w.line("   :PROPERTIES:")
	w.text("RUN", e.Run)
	w.text("ROOT_RUN", e.RootRun)
	w.text("INNER_RUN", e.InnerRun)
	w.text("SESSION", e.Session)
	if e.Step > 0 {
		w.number("STEP", int64(e.Step))
	}
	w.number("CALL", int64(e.Call))
	w.text("AGENT", e.Agent)
	w.text("COMPONENT", e.Component)
	w.text("LANG", e.Lang)
	w.text("PROFILE", e.Profile)
	w.text("TOOL", e.Tool)
	w.text("MODEL", e.Model)
	w.text("PATH", e.Path)
	if len(e.Args) > 0 {
		w.key("ARGS")
		w.buf = append(append(w.buf, e.argsLine()...), '\n')
	}
	w.text("ARGS_SHA256", e.ArgsSHA256)
	w.text("CACHE", e.Cache)
	if e.Exit != nil {
		w.number("EXIT", int64(*e.Exit))
	}
	w.text("ERROR", e.Error)
	w.text("STATUS", e.Status)
	if e.Duration > 0 || e.Kind.timed() {
		w.number("DUR_MS", e.Duration.Milliseconds())
	}
	if e.Fuel > 0 {
		w.number("FUEL", e.Fuel)
	}
	w.usage(e)
	if !e.Time.IsZero() {
		w.key("TS")
		w.buf = append(e.Time.Local().AppendFormat(w.buf, orgTime), '\n')
	}
	w.text("OUTPUT_SHA256", e.OutputSHA256)
	if e.Incomplete {
		w.text("TRACE", "incomplete")
	}
	for _, p := range e.Props {
		w.text(propName(p.Name), p.Value)
	}
	w.line("   :END:")
	w.excerpt(e.Output)
}

// usage writes what the model charged: one key per line on a model turn, one
// JSON object on the result, so that sums over a file count each token once.
func (w *orgWriter) usage(e *Event) {
	u := e.Usage
	if u == (Usage{}) {
		return
	}
	if e.Kind == KindResult {
		text, err := json.Marshal(u)
		if err == nil { // a cost that is not a number is not worth an event
			w.text("USAGE", string(text))
		}
		return
	}
	w.number("TOKENS_IN", u.TokensIn)
	w.number("TOKENS_OUT", u.TokensOut)
	if u.TokensCached > 0 {
		w.number("TOKENS_CACHED", u.TokensCached)
	}
	if u.CostUSD > 0 {
		w.text("COST_USD", strconv.FormatFloat(u.CostUSD, 'f', -1, 64))
	}
}

// title is the headline of an event, without stars and tags. The word it
// starts with is ours, so that no name from a document is taken for a TODO
// keyword, a priority or COMMENT.
func title(e *Event) string {
	switch e.Kind {
	case KindToolCall:
		return "step " + strconv.Itoa(e.Step) + ": " + e.Tool
	case KindModelTurn:
		return "step " + strconv.Itoa(e.Step) + ": model " + e.Model
	case KindComponentStart:
		return "start " + e.Component
	case KindComponentEnd:
		return "component " + e.Component
	case KindCacheHit:
		return "cached " + e.Component
	case KindCompile:
		return "compile " + e.Component
	case KindArtifact:
		return "artifact " + e.Path
	case KindResult:
		return "Result"
	}
	subject := e.Tool
	if subject == "" {
		subject = e.Component
	}
	if subject == "" && e.Kind != KindLog {
		subject = e.Error
	}
	return string(e.Kind) + " " + subject
}

func (w *orgWriter) line(text string) { w.buf = append(append(w.buf, text...), '\n') }

func (w *orgWriter) headline(text, tags string) {
	text = disarmed(unhooked(strings.TrimRight(text, " ")))
	w.buf = append(w.buf, text...)
	w.spaces(max(1, tagColumn-utf8.RuneCountInString(text)))
	w.line(tags)
}

func (w *orgWriter) spaces(n int) {
	for range n {
		w.buf = append(w.buf, ' ')
	}
}

func (w *orgWriter) key(name string) {
	w.buf = append(w.buf, "   :"...)
	w.buf = append(append(w.buf, name...), ": "...)
}

func (w *orgWriter) number(name string, n int64) {
	w.key(name)
	w.buf = append(strconv.AppendInt(w.buf, n, 10), '\n')
}

// maxValue bounds a property's value, in characters. Longer texts belong in
// the body, which has a blob.
const maxValue = 4000

// text writes a property unless it is empty.
func (w *orgWriter) text(name, text string) {
	if text = unhooked(oneLine(text, maxValue)); text != "" {
		w.key(name)
		w.line(text)
	}
}

// aligned writes a property of a run's header; values start in column 14.
func (w *orgWriter) aligned(name, text string) {
	if text = unhooked(oneLine(text, maxValue)); text == "" {
		return
	}
	w.buf = append(w.buf, "  :"...)
	w.buf = append(append(w.buf, name...), ':')
	w.spaces(max(1, 10-len(name)))
	w.line(text)
}

// excerpt writes the beginning of a body on one line, as fixed-width text when
// org could take it for syntax.
func (w *orgWriter) excerpt(body string) {
	text := unhooked(oneLine(body, excerptLen))
	if text == "" {
		return
	}
	w.buf = append(w.buf, "   "...)
	if guarded(text) {
		w.buf = append(w.buf, ": "...)
	}
	w.line(text)
}

// propName makes a property's name of any text.
func propName(name string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return '_'
	}, name)
	if mapped == "" || mapped == "END" || mapped == "PROPERTIES" {
		return "_" + mapped
	}
	return mapped
}

// baseName is the last element of a path in either spelling.
func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
