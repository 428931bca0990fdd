package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"wb/internal/identity"
	"wb/internal/value"
)

// Files are the views of a run beside its workbook; "" leaves one out.
type Files struct {
	Events string // events.org
	Steps  string // _steps.jsonl
	Ledger string // _ledger.json, sealed at the end
}

// FilesIn are the views in a directory, under their usual names.
func FilesIn(dir string) Files {
	return Files{
		Events: filepath.Join(dir, "events.org"),
		Steps:  filepath.Join(dir, "_steps.jsonl"),
		Ledger: filepath.Join(dir, "_ledger.json"),
	}
}

// Config says where a run is recorded. Every field may be zero.
type Config struct {
	Files Files
	State *State          // registry and blobs
	Key   identity.Signer // signs the seal
	Sinks []Sink          // further views, in order
	// Redact removes secrets from a text before anything is written or hashed.
	Redact func(string) string
	// Warn is told, once per run, that a view could not be written.
	Warn func(error)
	Now  func() time.Time // nil is time.Now
	IDs  *IDs             // nil makes ids with Now and crypto/rand
}

// RunInfo describes a run when it starts. ID is made when empty.
type RunInfo struct {
	ID           string
	Parent       string // the run that started this one
	Root         string // the outermost run, stamped on every event; "" on none
	Session      string // a label, stamped on every event
	Workbook     string // path of the workbook
	Agent        string // id of the agent
	SourceSHA256 string // of the workbook's or the agent's source
}

// Outcome is how a run ended.
type Outcome struct {
	Status string // "ok", "failed", "cancelled", or an agent's status
	Output string // the result
	Error  string
	Exit   *int
	Fuel   int64
	Usage  Usage
}

// Run records one run. It is a [Sink]: it numbers and stamps events and writes
// them to every view before Emit returns. It is safe for concurrent use; the
// order of calls is the order in the files.
type Run struct {
	config  Config
	id      string
	root    string
	session string
	started time.Time
	events  *EventsFile
	steps   *StepsFile
	blobs   *BlobStore
	lease   *Lease

	mu         sync.Mutex
	next       int       // number of the next event
	calls      int       // components run, tools called, models asked
	errors     int       // events that failed
	usage      Usage     // of all calls
	buf        []byte    // for rendering, reused
	written    hash.Hash // over the records in events.org
	broken     map[string]bool
	incomplete bool
	ended      bool
}

// ErrEnded is an event after the end of its run.
var ErrEnded = errors.New("the run has ended")

// Begin starts recording a run and writes its header. It fails only when no
// run id can be made; views that cannot be written are warned about.
func Begin(config Config, info RunInfo) (*Run, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if info.ID == "" {
		ids := config.IDs
		if ids == nil {
			ids = &IDs{Now: config.Now}
		}
		id, err := ids.New()
		if err != nil {
			return nil, err
		}
		info.ID = id
	}
	r := &Run{config: config, id: info.ID, root: info.Root, session: info.Session, started: config.Now(), written: sha256.New(), broken: map[string]bool{}}
	if path := config.Files.Events; path != "" {
		r.events = NewEventsFile(path)
	}
	if path := config.Files.Steps; path != "" {
		r.steps = NewStepsFile(path)
	}
	if config.State != nil {
		r.blobs = config.State.Blobs()
		r.register(info)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	header := Event{Run: r.id, Kind: KindRun, Time: r.started, Agent: info.Agent, Workbook: beside(info.Workbook, config.Files.Events),
		SourceSHA256: info.SourceSHA256, ParentRun: info.Parent, RootRun: info.Root, Session: info.Session}
	_ = r.write(&header) // reported by Warn
	return r, nil
}

// beside is path as seen from the directory of events.org, with slashes, so
// that the record still reads right after both have moved.
func beside(path, events string) string {
	if path == "" || events == "" {
		return path
	}
	from, err := filepath.Abs(filepath.Dir(events))
	to, err2 := filepath.Abs(path)
	if err != nil || err2 != nil {
		return path
	}
	if relative, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(relative)
	}
	return path
}

func (r *Run) register(info RunInfo) {
	absolute := func(path string) string {
		if path == "" {
			return ""
		}
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
		return path
	}
	lease, err := r.config.State.Register(RunRecord{Run: r.id, Parent: info.Parent, Workbook: absolute(info.Workbook), Agent: info.Agent,
		Events: absolute(r.config.Files.Events), Steps: absolute(r.config.Files.Steps), Started: r.started})
	if err != nil {
		r.fail("the registry of runs", err)
		return
	}
	r.lease = lease
}

// ID is the run's id.
func (r *Run) ID() string { return r.id }

// Incomplete reports whether some view could not be written.
func (r *Run) Incomplete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.incomplete
}

// Emit implements [Sink]. Its error has been reported through Config.Warn
// already; callers that go on regardless, as a run should, may ignore it.
func (r *Run) Emit(e Event) error {
	keepErr := r.prepare(&e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return ErrEnded
	}
	if keepErr != nil {
		r.fail("blobs", keepErr)
	}
	r.stamp(&e)
	return errors.Join(keepErr, r.write(&e))
}

// stamp gives an event its place in the run.
func (r *Run) stamp(e *Event) {
	e.Run, e.Call = r.id, r.next
	e.RootRun, e.Session = cmp.Or(e.RootRun, r.root), cmp.Or(e.Session, r.session)
	r.next++
	switch e.Kind {
	case KindComponentEnd, KindToolCall, KindModelTurn:
		r.calls++
		r.usage = r.usage.Add(e.Usage)
	}
	if e.Failed() && e.Kind != KindResult {
		r.errors++
	}
	if e.Time.IsZero() {
		e.Time = r.config.Now()
	}
}

// maxArgs is how many bytes of arguments an event shows, maxArg how many
// characters of one text in arguments that are too long.
const (
	maxArgs = 4000
	maxArg  = 300
)

// prepare redacts an event and moves what is too long for it to the blob store.
func (r *Run) prepare(e *Event) error {
	if redact := r.config.Redact; redact != nil {
		e.Output, e.Error, e.Path = redact(e.Output), redact(e.Error), redact(e.Path)
		if len(e.Args) > 0 {
			e.Args = json.RawMessage(redact(string(e.Args)))
		}
		e.Props = slices.Clone(e.Props)
		for i, p := range e.Props {
			e.Props[i].Value = redact(p.Value)
		}
	}
	var errs []error
	if e.Output != "" && e.OutputSHA256 == "" {
		if r.blobs != nil && !plainExcerpt(e.Output) {
			digest, err := r.blobs.Put([]byte(e.Output))
			e.OutputSHA256, errs = digest, append(errs, err)
		} else {
			e.OutputSHA256 = Digest([]byte(e.Output))
		}
	}
	if len(e.Args) > 0 {
		e.Args, e.lined = jsonLine(e.Args), true
	}
	if len(e.Args) > maxArgs {
		if r.blobs != nil {
			digest, err := r.blobs.Put(e.Args)
			e.ArgsSHA256, errs = digest, append(errs, err)
		}
		e.Args = escapeHidden(abridge(e.Args))
	}
	return errors.Join(errs...)
}

// plainExcerpt reports whether the excerpt of a body is all of it.
func plainExcerpt(body string) bool { return oneLine(body, excerptLen) == body }

// abridge shortens the texts in arguments, and gives up on arguments that
// consist of many.
func abridge(args json.RawMessage) json.RawMessage {
	v, err := value.ParseJSON(args)
	if err == nil {
		if short := shorten(v).AppendJSON(nil); len(short) <= maxArgs {
			return short
		}
	}
	return value.OfObject(value.Field{Name: "…", Value: value.OfString(fmt.Sprintf("%d bytes", len(args)))}).AppendJSON(nil)
}

func shorten(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		if text := clip(v.Text(), maxArg); text != v.Text() {
			return value.OfString(text + "…")
		}
	case value.List:
		items := make([]value.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = shorten(item)
		}
		return value.OfList(items...)
	case value.Object:
		fields := make([]value.Field, len(v.Fields()))
		for i, f := range v.Fields() {
			fields[i] = value.Field{Name: f.Name, Value: shorten(f.Value)}
		}
		return value.OfObject(fields...)
	}
	return v
}

// write hands an event to every view.
func (r *Run) write(e *Event) error {
	orgErr := r.writeOrg(e)
	_, stepErr := r.writeStep(e)
	return errors.Join(orgErr, stepErr, r.publish(e))
}

// writeOrg appends the event to events.org.
func (r *Run) writeOrg(e *Event) error {
	if r.events == nil || r.broken["events.org"] {
		return nil
	}
	r.buf = AppendOrg(r.buf[:0], e)
	if _, err := r.events.file.append(r.buf); err != nil {
		r.fail("events.org", err)
		return err
	}
	r.written.Write(r.buf)
	return nil
}

// writeStep appends the event to _steps.jsonl and returns the file's size.
func (r *Run) writeStep(e *Event) (int64, error) {
	if r.steps == nil || r.broken["_steps.jsonl"] {
		return 0, nil
	}
	r.buf = AppendStep(r.buf[:0], e)
	end, err := r.steps.file.append(r.buf)
	if err != nil {
		r.fail("_steps.jsonl", err)
	}
	return end, err
}

func (r *Run) publish(e *Event) error {
	var errs []error
	for _, sink := range r.config.Sinks {
		if err := sink.Emit(*e); err != nil {
			r.fail("a view", err)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// fail marks the run incomplete and warns the first time. A file that stays
// locked is given up: waiting again for each event would stop the run.
func (r *Run) fail(view string, err error) {
	if errors.Is(err, errBusy) {
		r.broken[view] = true
	}
	if !r.incomplete && r.config.Warn != nil {
		r.config.Warn(fmt.Errorf("%s: %w; the record of run %s is incomplete", view, err, r.id))
	}
	r.incomplete = true
}

// End writes the run's result, seals the ledger, closes the files and enters
// the end in the registry. The error says what of this failed; the run itself
// is over either way. A second End does nothing.
func (r *Run) End(outcome Outcome) error {
	now := r.config.Now()
	e := Event{Kind: KindResult, Status: outcome.Status, Output: outcome.Output, Error: outcome.Error, Exit: outcome.Exit,
		Fuel: outcome.Fuel, Usage: outcome.Usage, Duration: now.Sub(r.started), Time: now}
	keepErr := r.prepare(&e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	r.ended = true
	if keepErr != nil {
		r.fail("blobs", keepErr)
	}
	r.stamp(&e)
	r.total(&e)
	e.Incomplete = r.incomplete
	orgErr := r.writeOrg(&e)
	if e.Incomplete = r.incomplete; !r.incomplete && r.events != nil {
		e.Props = append(e.Props, Prop{eventsDigest, hex.EncodeToString(r.written.Sum(nil))})
	}
	end, stepErr := r.writeStep(&e)
	err := errors.Join(keepErr, orgErr, stepErr, r.publish(&e), r.seal(end, now))
	if r.events != nil {
		err = errors.Join(err, r.events.Close())
	}
	if r.steps != nil {
		err = errors.Join(err, r.steps.Close())
	}
	if r.lease != nil {
		err = errors.Join(err, r.lease.End(outcome.Status, now))
	}
	return err
}

// total adds to a result what the run amounted to, so that a query over runs
// need not read what each of them did. Usage is the caller's, if it kept count.
func (r *Run) total(e *Event) {
	if e.Usage == (Usage{}) {
		e.Usage = r.usage
	}
	if r.calls > 0 || r.errors > 0 {
		e.Props = append(e.Props, Prop{"CALLS", strconv.Itoa(r.calls)}, Prop{"ERRORS", strconv.Itoa(r.errors)})
	}
}

// seal adds a seal up to the run's last line.
func (r *Run) seal(end int64, now time.Time) error {
	if r.config.Files.Ledger == "" || end == 0 {
		return nil
	}
	_, err := Seal(r.config.Files.Ledger, r.config.Files.Steps, end, r.id, r.config.Key, now)
	if err != nil {
		r.fail("_ledger.json", err)
	}
	return err
}
