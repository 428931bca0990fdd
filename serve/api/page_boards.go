package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/eval"
	"wb/agent/host"
	"wb/agent/issues"
	"wb/agent/keeper"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
)

// pageQuery holds the filters of a list, and where its page begins.
type pageQuery struct {
	Words string
	From  int
	More  string // the next page, "" for none
}

// maxBoard is how many rows a page of tickets and the like has.
const maxBoard = 50

// narrowed are the rows of a page that have all words.
func narrowed[T any](r *http.Request, all []T, text func(T) string) ([]T, pageQuery) {
	q := pageQuery{Words: strings.TrimSpace(r.FormValue("q"))}
	_, _ = fmt.Sscanf(r.FormValue("from"), "%d", &q.From) // anything else is the beginning
	words := strings.Fields(strings.ToLower(q.Words))
	all = slices.DeleteFunc(all, func(one T) bool {
		have := strings.ToLower(text(one))
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(have, word) })
	})
	q.From = min(max(q.From, 0), len(all))
	rest := all[q.From:]
	if len(rest) > maxBoard {
		values := r.URL.Query()
		values.Set("from", fmt.Sprint(q.From+maxBoard))
		q.More = r.URL.Path + "?" + values.Encode()
		rest = rest[:maxBoard]
	}
	return rest, q
}

// scheduleView is something that is due at times.
type scheduleView struct {
	Name, Text string
	Next       time.Time
	Keeper     *keeper.Status // of an agent that is or was kept
	LastRun    string
}

// schedulesPage lists what documents schedule, and how agents are kept.
func (s *Server) schedulesPage(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	latest := t.latestFired()
	var all []scheduleView
	for _, d := range newScheduler(t, s.config).read() {
		v := scheduleView{Name: d.name, Text: d.text, Next: d.next(t.clock.Now()), LastRun: latest[d.name]}
		if name, id, ok := strings.Cut(d.name, "#"); ok && d.agent {
			status, err := keeper.StatusOf(t.runtime(), host.Task{File: filepath.Join(t.Dir, filepath.FromSlash(name)), ID: id, Dir: t.Dir})
			t.warn(err)
			if err == nil && (status.Kept || status.Wakes > 0) {
				v.Keeper = status
			}
		}
		all = append(all, v)
	}
	rows, q := narrowed(r, all, func(v scheduleView) string { return v.Name + " " + v.Text })
	render(w, http.StatusOK, "schedules.html", struct {
		chrome
		pageQuery
		Rows  []scheduleView
		Fires bool
	}{s.chrome(r), q, rows, s.config.Schedules})
}

// latestFired are the latest runs that schedules fired, by what was fired.
func (t *tenant) latestFired() map[string]string {
	all, _, err := t.selected(filter{Limit: maxListed})
	t.warn(err)
	latest := map[string]string{}
	for _, rec := range all {
		if rec.Schedule != "" && latest[rec.who()] == "" {
			latest[rec.who()] = rec.ID
		}
	}
	return latest
}

// fireNow fires what is scheduled before its time.
func (s *Server) fireNow(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	for _, d := range newScheduler(t, s.config).read() {
		if d.name == r.PostFormValue("name") {
			if err := d.fire(t.clock.Now()); err != nil {
				s.showRuns(w, r, http.StatusUnprocessableEntity, errors.New(t.inside(err.Error())))
				return
			}
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
	}
	s.notFound(w, r, "Nothing of that name is scheduled", "")
}

// ticketView is a ticket with its text set.
type ticketView struct {
	issues.Ticket
	Links []string // the runs that worked on it and that this server has
}

// namedRun is a run that the notes of a ticket name.
var namedRun = lazyregexp.New(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// Set is the ticket's text as HTML.
func (v ticketView) Set() shown { return show(v.Text, formOrg, true) }

// ticketsPage lists the tickets that agents filed.
func (s *Server) ticketsPage(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	var all []ticketView
	which := r.FormValue("status")
	file, err := t.file("issues.org")
	if err == nil {
		var found []issues.Ticket
		if found, err = issues.Read(file); err == nil {
			for _, one := range found {
				if which == "" && one.Done || which == "done" && !one.Done {
					continue
				}
				v := ticketView{Ticket: one}
				for _, id := range append(one.Runs, namedRun.FindAllString(one.Text, -1)...) {
					if _, err := t.store.get(id); err == nil && !slices.Contains(v.Links, id) {
						v.Links = append(v.Links, id)
					}
				}
				all = append(all, v)
			}
		}
	}
	var none *outsideError
	if err != nil && !errors.As(err, &none) {
		t.warn(err)
	}
	agents, err := host.AgentsIn(t.root.FS())
	t.warn(err)
	rows, q := narrowed(r, all, func(v ticketView) string { return v.ID + " " + v.Title + " " + v.Text })
	render(w, http.StatusOK, "tickets.html", struct {
		chrome
		pageQuery
		Rows   []ticketView
		Which  string
		Agents []host.Found
		Write  bool
	}{s.chrome(r), q, rows, which, agents, t.write})
}

// errReadOnly refuses work on a ticket whose outcome could not be kept: the files that the
// agent wrote would be gone while the ticket says DONE.
var errReadOnly = errors.New("working on tickets changes the directory, which needs a server started with --write")

// workTicket has an agent work on a ticket, as a run that can be followed.
func (s *Server) workTicket(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	if !t.write {
		s.showRuns(w, r, http.StatusForbidden, errReadOnly)
		return
	}
	id := r.PathValue("id")
	task, _, err := s.task(t, runRequest{Agent: r.PostFormValue("agent"), Task: id})
	var next *run
	if err == nil {
		task.Text = "Work on the ticket " + id
		next, err = t.startWith(record{Task: task}, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
			task := task
			task.Grants = t.granted
			worker := &issues.Worker{Runtime: rt, Task: task, Path: issues.File(t.Dir), Name: "wb serve", Now: t.clock.Now}
			done, err := worker.Work(ctx, id)
			if err == nil && done == nil {
				err = diag.Busyf("", "%s is done", id)
			}
			if err != nil {
				return nil, err
			}
			return done.Result, nil
		})
	}
	s.lead(w, r, next, err)
}

// suite is a document with cases, and how they went.
type suite struct {
	File   string
	Cases  []caseView
	Wrong  string
	Scores []eval.Score // the latest first
	Going  bool
}

// caseView is a case with how it went last.
type caseView struct {
	eval.Case
	Last *eval.Result
}

// suites are the documents of the directory that have cases.
func (t *tenant) suites() []suite {
	var all []suite
	dir := t.root.FS()
	err := host.DocumentsIn(dir, func(name string, _ fs.FileInfo) {
		src, err := fs.ReadFile(dir, name)
		if err != nil || !strings.Contains(string(src), ":eval:") {
			return
		}
		one := suite{File: name}
		cases, err := eval.Read(org.Parse(src), name)
		if err != nil {
			one.Wrong = err.Error()
		} else if len(cases) == 0 {
			return
		}
		scores, err := eval.Scores(t.state, filepath.Join(t.Dir, filepath.FromSlash(name)))
		t.warn(err)
		one.Scores = scores[:min(len(scores), maxScores)]
		for _, c := range cases {
			v := caseView{Case: c}
			if len(scores) > 0 {
				if i := slices.IndexFunc(scores[0].Results, func(r eval.Result) bool { return r.Title == c.Title }); i >= 0 {
					v.Last = &scores[0].Results[i]
				}
			}
			one.Cases = append(one.Cases, v)
		}
		t.mu.Lock()
		one.Going = t.examined[name]
		t.mu.Unlock()
		all = append(all, one)
	})
	t.warn(err)
	return all
}

// maxScores is how many scores of a document a page shows.
const maxScores = 20

func (s *Server) evalsPage(w http.ResponseWriter, r *http.Request) {
	all := tenantIn(r.Context()).suites()
	going := slices.ContainsFunc(all, func(one suite) bool { return one.Going })
	rows, q := narrowed(r, all, func(one suite) string {
		text := one.File
		for _, c := range one.Cases {
			text += " " + c.Title + " " + c.Task
		}
		return text
	})
	render(w, http.StatusOK, "evals.html", struct {
		chrome
		pageQuery
		Rows  []suite
		Going bool
	}{s.chrome(r), q, rows, going})
}

// examine tries the cases of a document out, one after the other; each is a run like
// any other.
func (s *Server) examine(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	name := r.PostFormValue("file")
	file, err := t.file(name)
	var cases []eval.Case
	if err == nil {
		var src []byte
		if src, err = t.root.ReadFile(filepath.FromSlash(path.Clean(name))); err == nil {
			cases, err = eval.Read(org.Parse(src), name)
		}
	}
	if err != nil {
		s.notFound(w, r, "These cases cannot be run", t.inside(err.Error()))
		return
	}
	t.mu.Lock()
	going := t.examined[name]
	t.examined[name] = true
	t.mu.Unlock()
	if !going {
		t.busy.Go(func() {
			defer func() {
				t.mu.Lock()
				delete(t.examined, name)
				t.mu.Unlock()
			}()
			t.warn(s.examination(t, name, file, cases))
		})
	}
	http.Redirect(w, r, "/evals", http.StatusSeeOther)
}

// examination runs cases and keeps their score. One that the server's end interrupts
// has none.
func (s *Server) examination(t *tenant, name, file string, cases []eval.Case) error {
	examiner := &eval.Examiner{Ask: t.runtime().Ask, Do: func(ctx context.Context, c eval.Case) (*agent.Result, error) {
		q := runRequest{Task: c.Task}
		if c.Agent != "" {
			q.Agent = name + "#" + c.Agent
		}
		if c.Steps > 0 {
			q.MaxSteps = &c.Steps
		}
		started, err := s.begin(t, q)
		if err != nil {
			return nil, err
		}
		select {
		case <-started.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		rec := started.snapshot()
		if rec.Result == nil {
			return nil, errors.New(cmp.Or(rec.Error, "the run did not end"))
		}
		result := *rec.Result
		result.RunID = rec.ID
		return &result, nil
	}}
	score := eval.Score{File: file}
	for _, c := range cases {
		score.Results = append(score.Results, examiner.Run(t.work, c))
		if t.work.Err() != nil {
			return nil
		}
	}
	score.At = t.clock.Now()
	return score.Keep(t.state)
}
