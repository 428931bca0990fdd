package trace

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Record is one event as it stands in an events.org file. Its slices share
// the text that was scanned; properties are looked up when asked for, so that
// a query over many records reads only what it compares.
type Record struct {
	// Kind is the event's kind, from the headline's tags.
	Kind Kind
	// Line is the headline's line, from 1.
	Line int
	// Title is the headline without stars and tags.
	Title []byte
	// Text is the whole record, from its first star to the next headline.
	Text []byte
	// Torn says that the record has no end: its writer died, or the disk was
	// full. What is there may be cut short.
	Torn bool

	drawer []byte // the lines between :PROPERTIES: and :END:
	body   []byte
	run    string // of the header above, for records that do not name theirs
}

// ScanEvents yields the records of an events.org text in order. It reads the
// form that wb writes and the older one ("* Agent run", "** step N: TOOL",
// "* Result", with nothing but ARGS in the drawer). Headlines that are no
// events end the record before them and are skipped.
func ScanEvents(text []byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		run, older := "", false
		at := nextHeadline(text, 0)
		for line := 1 + bytes.Count(text[:at], newline); at < len(text); {
			end := nextHeadline(text, at+1)
			record := Record{Text: text[at:end], Line: line}
			line += bytes.Count(record.Text, newline)
			record.parse(older)
			if record.Kind == KindRun {
				id, ok := record.Prop("ID")
				run, older = string(id), !ok
			}
			record.run = run
			if record.Kind != "" && !yield(record) {
				return
			}
			at = end
		}
	}
}

// Events yields the whole events of an events.org text; torn ones are left out.
func Events(text []byte) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for record := range ScanEvents(text) {
			if !record.Torn && !yield(record.Event()) {
				return
			}
		}
	}
}

var (
	newline  = []byte("\n")
	nextStar = []byte("\n*")
)

// nextHeadline is the offset of the first headline at or after at, or the
// text's length.
func nextHeadline(text []byte, at int) int {
	if at == 0 && isHeadline(text) {
		return 0
	}
	for at = max(at, 1); at < len(text); {
		i := bytes.Index(text[at-1:], nextStar)
		if i < 0 {
			break
		}
		at += i
		if isHeadline(text[at:]) {
			return at
		}
		at++
	}
	return len(text)
}

// isHeadline reports whether text starts with stars and a blank.
func isHeadline(text []byte) bool {
	stars := 0
	for stars < len(text) && text[stars] == '*' {
		stars++
	}
	return stars > 0 && stars < len(text) && text[stars] == ' '
}

// parse splits the record into headline, drawer and body.
func (r *Record) parse(older bool) {
	headline, rest, whole := bytes.Cut(r.Text, newline)
	headline = bytes.TrimRight(headline, " \t\r")
	r.Title, r.Kind = splitTags(headline)
	if r.Kind == "" && older && string(r.Title) == "Result" {
		r.Kind = KindResult
	}
	if r.Kind == "" {
		return
	}
	first, after, _ := bytes.Cut(rest, newline)
	if string(bytes.TrimSpace(first)) != ":PROPERTIES:" {
		r.body, r.Torn = rest, !whole || !older && r.Kind != KindRun
		return
	}
	for at := 0; at < len(after); {
		line, _, _ := bytes.Cut(after[at:], newline)
		if string(bytes.TrimSpace(line)) == ":END:" {
			r.drawer, r.body = after[:at], after[min(at+len(line)+1, len(after)):]
			r.Torn = at+len(line) == len(after) || len(r.body) > 0 && r.body[len(r.body)-1] != '\n'
			return
		}
		at += len(line) + 1
	}
	r.drawer, r.Torn = after, true
}

// splitTags takes stars and tags off a headline and finds the kind among the
// tags; "" when none names one.
func splitTags(headline []byte) (title []byte, kind Kind) {
	title = bytes.TrimLeft(headline, "*")
	at := bytes.LastIndexByte(title, ' ')
	tags := title[at+1:]
	if len(tags) < 3 || tags[0] != ':' || tags[len(tags)-1] != ':' {
		return bytes.TrimSpace(title), ""
	}
	for tag := range bytes.SplitSeq(tags[1:len(tags)-1], []byte{':'}) {
		if kind = kindOf(tag); kind != "" {
			break
		}
	}
	return bytes.TrimSpace(title[:at+1]), kind
}

// kindOf is the kind a tag names, or "".
func kindOf(tag []byte) Kind {
	if string(tag) == "session" {
		return KindRun
	}
	for _, k := range Kinds {
		if string(tag) == string(k) {
			return k
		}
	}
	return ""
}

// Prop looks a property up; the value is trimmed.
func (r *Record) Prop(name string) ([]byte, bool) {
	for rest := r.drawer; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		line = bytes.TrimLeft(line, " \t")
		if len(line) >= len(name)+2 && line[0] == ':' && line[len(name)+1] == ':' && string(line[1:len(name)+1]) == name {
			return bytes.TrimSpace(line[len(name)+2:]), true
		}
	}
	return nil, false
}

// props yields the properties in order.
func (r *Record) props() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for line := range bytes.SplitSeq(r.drawer, newline) {
			line = bytes.TrimLeft(line, " \t")
			if len(line) < 2 || line[0] != ':' {
				continue
			}
			end := bytes.IndexByte(line[1:], ':')
			if end > 0 && !yield(string(line[1:1+end]), bytes.TrimSpace(line[2+end:])) {
				return
			}
		}
	}
}

// Run is the id of the run the record belongs to: its own RUN, else that of
// the header above it.
func (r *Record) Run() string {
	if id, ok := r.Prop("RUN"); ok {
		return string(id)
	}
	return r.run
}

// Excerpt is the beginning of the body as it was quoted; the lines of an older
// record are kept apart.
func (r *Record) Excerpt() string {
	body := bytes.TrimRight(r.body, " \t\r\n")
	if len(body) == 0 {
		return ""
	}
	if !bytes.Contains(body, newline) {
		line := bytes.TrimLeft(body, " \t")
		return string(bytes.TrimPrefix(line, []byte(": ")))
	}
	var b strings.Builder
	for line := range bytes.Lines(body) {
		b.Write(bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("  ")), []byte(" ")))
	}
	return b.String()
}

// Event is the record as an event. Output is the excerpt; the whole text is in
// the blob store under OutputSHA256 when it is longer. Values that do not
// parse are left out.
func (r *Record) Event() Event {
	e := Event{Run: r.run, Kind: r.Kind, Output: r.Excerpt()}
	for name, value := range r.props() {
		if len(value) > 0 && !setProp(&e, name, value) {
			e.Props = append(e.Props, Prop{name, string(value)})
		}
	}
	if e.Tool == "" && e.Kind == KindToolCall {
		e.Step, e.Tool = olderTitle(string(r.Title), e.Step)
	}
	return e
}

// olderTitle reads "step N: TOOL".
func olderTitle(title string, known int) (step int, tool string) {
	rest, ok := strings.CutPrefix(title, "step ")
	if !ok {
		return known, ""
	}
	number, tool, _ := strings.Cut(rest, ": ")
	if n, err := strconv.Atoi(number); err == nil && known == 0 {
		known = n
	}
	return known, tool
}

// setProp stores a property in the field it belongs to; false means that no
// field takes it.
func setProp(e *Event, name string, value []byte) bool {
	if field := textField(e, name); field != nil {
		*field = string(value)
		return true
	}
	switch name {
	case "ARGS":
		if !json.Valid(value) {
			return false
		}
		e.Args = append(json.RawMessage(nil), value...)
	case "USAGE":
		return json.Unmarshal(value, &e.Usage) == nil
	case "TRACE":
		e.Incomplete = string(value) == "incomplete"
	case "TS", "STARTED":
		t, ok := parseOrgTime(value)
		e.Time = t
		return ok
	case "COST_USD":
		cost, err := strconv.ParseFloat(string(value), 64)
		e.Usage.CostUSD = cost
		return err == nil
	case "STEP", "CALL", "EXIT", "DUR_MS", "FUEL", "TOKENS_IN", "TOKENS_OUT", "TOKENS_CACHED":
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return false
		}
		setNumber(e, name, n)
	default:
		return false
	}
	return true
}

func textField(e *Event, name string) *string {
	switch name {
	case "RUN":
		return &e.Run
	case "ID":
		if e.Kind == KindRun {
			return &e.Run
		}
	case "ROOT_RUN":
		return &e.RootRun
	case "INNER_RUN":
		return &e.InnerRun
	case "SESSION":
		return &e.Session
	case "AGENT":
		return &e.Agent
	case "COMPONENT":
		return &e.Component
	case "LANG":
		return &e.Lang
	case "PROFILE":
		return &e.Profile
	case "TOOL":
		return &e.Tool
	case "MODEL":
		return &e.Model
	case "PATH":
		return &e.Path
	case "ARGS_SHA256":
		return &e.ArgsSHA256
	case "CACHE":
		return &e.Cache
	case "ERROR":
		return &e.Error
	case "STATUS":
		return &e.Status
	case "OUTPUT_SHA256":
		return &e.OutputSHA256
	case "WORKBOOK":
		return &e.Workbook
	case "SOURCE_SHA256":
		return &e.SourceSHA256
	case "PARENT_RUN":
		return &e.ParentRun
	}
	return nil
}

func setNumber(e *Event, name string, n int64) {
	switch name {
	case "STEP":
		e.Step = int(n)
	case "CALL":
		e.Call = int(n)
	case "EXIT":
		e.Exit = Exit(int(n))
	case "DUR_MS":
		e.Duration = time.Duration(n) * time.Millisecond
	case "FUEL":
		e.Fuel = n
	case "TOKENS_IN":
		e.Usage.TokensIn = n
	case "TOKENS_OUT":
		e.Usage.TokensOut = n
	case "TOKENS_CACHED":
		e.Usage.TokensCached = n
	}
}
