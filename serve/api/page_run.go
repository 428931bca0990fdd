package api

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/host"
	"wb/internal/clip"
	"wb/internal/textdiff"
	"wb/internal/trace"
)

// runView is the page of a run.
type runView struct {
	chrome
	record
	Title, Who, Models string
	Class, Word        string
	Running, Resumable bool
	Journal            bool // it can be replayed, forked and shown turn by turn
	Again              string
	Frames             int
	Trail              []*node
	Ticks              []string
	Turns, Calls       int
	Usage              trace.Usage
	Took               string
	Text               string
	Asked, Decided     []approval.Request
	Changes            []changeView
	Written            bool
	Others             []other
	Given              []argument // of a workbook
}

type other struct {
	ID, Title string
	Created   time.Time
}

// Result is the run's result as HTML.
func (v *runView) Result() shown { return showProse(v.Text) }

// TaskText is the run's task as HTML.
func (v *runView) TaskText() shown { return showProse(v.Task.Text) }

func (s *Server) runPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	frames, _, _ := found.since(0)
	rec := found.snapshot()
	now := found.tenant.clock.Now()
	v := &runView{chrome: s.chrome(r), record: rec, Title: rec.title(), Who: rec.who(), Running: rec.Ended.IsZero(), Frames: len(frames), Usage: found.spent(),
		Trail: trail(frames, rec.Created, ended(rec, now)), Ticks: ticks(ended(rec, now).Sub(rec.Created)), Took: millis(rec.took(now).Milliseconds()),
		Journal: rec.Book == nil && len(rec.Runs) > 0, Again: rec.again()}
	if rec.Result != nil {
		v.Text = rec.Result.Result
	}
	for _, a := range found.reviews() {
		if a.Decision == approval.Pending {
			v.Asked = append(v.Asked, a)
		} else {
			v.Decided = append(v.Decided, a)
		}
	}
	waits := v.Running && len(v.Asked) > 0
	v.Class, v.Word = statusClass(rec.Status, waits), statusWord(rec.Status, waits)
	v.Resumable = v.Journal && !v.Running && v.Word != wordDone
	if rec.Book != nil {
		v.Given = append(v.Given, argument{Name: "workbook", Short: rec.Book.File})
		v.Given = append(v.Given, argumentsOf(rec.Book.Set)...)
	}
	link, models := "/run/"+rec.ID, []string{}
	each(v.Trail, func(n *node) {
		n.Link, n.Fork = link, v.Journal && !v.Running
		switch n.Kind {
		case "thinking":
			v.Turns++
			if !slices.Contains(models, n.Model) {
				models = append(models, n.Model)
			}
		case "call", "component":
			v.Calls++
		}
	})
	v.Models = strings.Join(models, ", ")
	if !v.Running {
		v.Others = found.tenant.others(&rec)
	}
	if v.Journal && !v.Running {
		v.files(found)
	}
	render(w, http.StatusOK, "run.html", v)
}

// ended is when a run ended, or now.
func ended(r record, now time.Time) time.Time {
	if r.Ended.IsZero() {
		return now
	}
	return r.Ended
}

// ticks are the names of the quarters of a time.
func ticks(whole time.Duration) []string {
	all := []string{"0"}
	for i := range 3 {
		all = append(all, millis(whole.Milliseconds()*int64(i+1)/4))
	}
	return all
}

// maxOthers is how many runs one is offered to be compared with, of the latest
// othersWithin.
const (
	maxOthers    = 20
	othersWithin = 300
)

// others are the latest runs of the same agent or workbook.
func (t *tenant) others(of *record) []other {
	all, _, err := t.selected(filter{Words: of.who(), Limit: 2 * maxOthers, Within: othersWithin})
	t.warn(err)
	var found []other
	for _, rec := range all {
		if rec.ID != of.ID && rec.who() == of.who() && len(found) < maxOthers {
			found = append(found, other{rec.ID, rec.title(), rec.Created})
		}
	}
	return found
}

// latestRun is the run of the journal that says most of a run, "" before it began.
func (r *run) latestRun() string {
	rec := r.snapshot()
	if best := r.tenant.runtime().Furthest(rec.Runs); best != "" {
		return best
	}
	if n := len(rec.Runs); n > 0 {
		return rec.Runs[n-1]
	}
	return ""
}

// changeView is a file that a run wrote.
type changeView struct {
	Path, Kind string
	Bytes      int
	Picture    string // where it is served
	Diff       template.HTML
}

// maxChanges is how many files of a run its page shows.
const maxChanges = 200

// files are those that the run has written, compared with what it found.
func (v *runView) files(found *run) {
	files, err := found.tenant.runtime().Files(found.latestRun())
	if err != nil {
		found.tenant.warn(err)
		return
	}
	v.Written = files.Written
	for _, c := range files.Changes[:min(len(files.Changes), maxChanges)] {
		v.Changes = append(v.Changes, changed(c, "/run/"+v.ID))
	}
}

func changed(c host.Change, link string) changeView {
	one := changeView{Path: c.Path, Kind: c.Kind(), Bytes: len(c.Content)}
	if !c.Removed && pictureType(c.Path) != "" {
		one.Picture = link + "/files/" + (&url.URL{Path: c.Path}).EscapedPath()
		return one
	}
	if len(c.Content)+len(c.Now) > maxShown {
		one.Diff = preformatted("(too long to show)")
		return one
	}
	before := string(c.Now)
	if one.Kind == "same" && c.Origin.Base != nil { // it is in the directory already
		before = string(c.Origin.Base)
	} else if one.Kind == "same" {
		before = ""
	}
	one.Diff = diffHTML(textdiff.Unified("a/"+c.Path, "b/"+c.Path, before, string(c.Content)))
	return one
}

// stepPage shows the whole of a call's arguments and output.
func (s *Server) stepPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	frames, _, _ := found.since(0)
	rec := found.snapshot()
	n, err := strconv.Atoi(r.PathValue("n"))
	var wanted *node
	each(trail(frames, rec.Created, ended(rec, found.tenant.clock.Now())), func(one *node) {
		if err == nil && one.Last == n {
			wanted = one
		}
	})
	if wanted == nil {
		s.notFound(w, r, "There is no step "+clip.Chars(r.PathValue("n"), 16), "")
		return
	}
	blobs := found.tenant.state.Blobs()
	f := frames[n-1]
	if text, err := blobs.Get(f.ArgsSHA256); f.ArgsSHA256 != "" && err == nil {
		wanted.Args = text
	}
	if text, err := blobs.Get(f.OutputSHA256); f.OutputSHA256 != "" && err == nil {
		if wanted.Kind == "thinking" {
			wanted.Text = string(text)
		} else {
			wanted.Output = string(text)
		}
	}
	render(w, http.StatusOK, "step.html", struct {
		chrome
		ID   string
		Node *node
	}{s.chrome(r), rec.ID, wanted})
}

// messageView is a message as a page shows it.
type messageView struct {
	Role, Text string
	New        bool // since the turn before
	Calls      []callView
	Pictures   []string
}

type callView struct {
	Name      string
	Arguments []argument
}

// Shown is the text to the letter.
func (m messageView) Shown() shown { return show(m.Text, formPlain, false) }

// Gist is the message in a line.
func (m messageView) Gist() string {
	text := inLine(m.Text)
	if text == "" && len(m.Calls) > 0 {
		return "calls " + m.Calls[0].Name
	}
	return text
}

func messageOf(m agent.Message, link string, fresh bool) messageView {
	v := messageView{Role: m.Role, Text: m.Content, New: fresh}
	for _, c := range m.ToolCalls {
		args := json.RawMessage(c.Args)
		if !json.Valid(args) {
			args, _ = json.Marshal(c.Args)
		}
		v.Calls = append(v.Calls, callView{c.Name, literalArguments(args)})
	}
	for _, p := range m.Pictures {
		v.Pictures = append(v.Pictures, link+"/picture/"+trace.Digest(p.Data))
	}
	return v
}

// toolView is a tool that a model was offered.
type toolView struct {
	agent.ToolSpec
	HTML template.HTML
}

// turnPage shows what the model was asked in a turn, and what it answered.
func (s *Server) turnPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	said, err := found.tenant.runtime().Messages(r.Context(), found.latestRun())
	if err != nil {
		s.notFound(w, r, "The messages of this run were not kept", found.tenant.inside(err.Error()))
		return
	}
	n, _ := strconv.Atoi(r.PathValue("n"))
	at := slices.IndexFunc(said.Turns, func(e agent.Exchange) bool { return e.Turn == n && !e.Summary })
	if at < 0 {
		s.notFound(w, r, "There is no turn "+clip.Chars(r.PathValue("n"), 16), "")
		return
	}
	turn, link := said.Turns[at], "/run/"+found.snapshot().ID
	var before []agent.Message
	if at > 0 {
		before = append(slices.Clone(said.Turns[at-1].Messages), said.Turns[at-1].Reply)
	}
	old := len(turn.Messages) - len(turn.New(before))
	data := struct {
		chrome
		ID, Title     string
		Turn          agent.Exchange
		Millis        int64
		Before, After int
		Messages      []messageView
		Reply         messageView
		Tools         []toolView
	}{chrome: s.chrome(r), ID: found.snapshot().ID, Title: found.record.title(), Turn: turn, Millis: turn.Took.Milliseconds(), Before: n - 1, Reply: messageOf(turn.Reply, link, true)}
	if at+1 < len(said.Turns) {
		data.After = n + 1
	}
	for i, m := range turn.Messages {
		data.Messages = append(data.Messages, messageOf(m, link, i >= old))
	}
	for _, t := range said.Tools {
		data.Tools = append(data.Tools, toolView{t, jsonHTML(string(t.Schema))})
	}
	render(w, http.StatusOK, "turn.html", data)
}

// picture serves a picture that the model of a run was shown.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	said, err := found.tenant.runtime().Messages(r.Context(), found.latestRun())
	if err == nil && len(said.Turns) > 0 {
		for _, e := range said.Turns {
			for _, m := range e.Messages {
				for _, p := range m.Pictures {
					if trace.Digest(p.Data) == r.PathValue("digest") && isPicture(p.Type) {
						w.Header().Set("Content-Type", p.Type)
						_, _ = w.Write(p.Data)
						return
					}
				}
			}
		}
	}
	http.NotFound(w, r)
}

// isPicture reports whether a content type is that of a picture that the page shows.
func isPicture(kind string) bool {
	for _, known := range pictureTypes {
		if known == kind {
			return true
		}
	}
	return false
}

// pictureType is the content type of a file that the page shows as a picture, "" of
// others.
func pictureType(name string) string { return pictureTypes[strings.ToLower(path.Ext(name))] }

// file serves a picture of a run: as the run left it, or as it is in the directory.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	name := path.Clean(r.PathValue("name"))
	kind := pictureType(name)
	var data []byte
	if files, err := found.tenant.runtime().Files(found.latestRun()); err == nil {
		for _, c := range files.Changes {
			if c.Path == name && !c.Removed {
				data = c.Content
			}
		}
	}
	if data == nil && !host.Hidden(name) {
		data, _ = found.tenant.root.ReadFile(filepath.FromSlash(name))
	}
	if kind == "" || data == nil || !isPicture(http.DetectContentType(data)) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data)
}
