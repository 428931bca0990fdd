package api

import (
	"net/http"
	"net/url"
	"time"

	"wb/internal/trace"
)

// row is a run in the list.
type row struct {
	ID, Class, Word, Who, Why, Task string
	Created                         time.Time
	Took                            string
	Usage                           trace.Usage
	Running                         bool
}

// pageRows is how many runs a page of the list has.
const pageRows = 50

type statusChoice struct{ Value, Word string }

// statusChoices are the filters of the list.
var statusChoices = []statusChoice{{"", "any"}, {"waiting", wordWaits}, {statusRunning, "running"}, {"done", wordDone}, {"error", "failed"},
	{"bound", wordBound}, {"cancelled", "cancelled"}}

func (s *Server) runsPage(w http.ResponseWriter, r *http.Request) {
	s.showRuns(w, r, http.StatusOK, nil)
}

// showRuns lists the runs, with what was wrong with a request for another.
func (s *Server) showRuns(w http.ResponseWriter, r *http.Request, status int, wrong error) {
	t := tenantIn(r.Context())
	f, unknown := filterOf(r)
	if unknown != nil && wrong == nil {
		f.Status, status, wrong = "", http.StatusBadRequest, unknown
	}
	f.Limit = pageRows
	all, more, err := t.selected(f)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	data := struct {
		chrome
		Rows     []row
		Going    bool
		Wrong    error
		Filter   filter
		Filtered bool
		Statuses []statusChoice
		More     string
	}{chrome: s.chrome(r), Wrong: wrong, Filter: f, Filtered: f.Words+f.Status+f.Before != "", Statuses: statusChoices}
	data.At = "/"
	if more {
		data.More = "/?" + url.Values{"q": {f.Words}, "status": {f.Status}, "before": {all[len(all)-1].ID}}.Encode()
	}
	waiting := t.waiting()
	for _, rec := range all {
		one := t.row(&rec, waiting(&rec))
		data.Rows = append(data.Rows, one)
		data.Going = data.Going || one.Running
	}
	render(w, status, "runs.html", data)
}

// row is a run as lists have it.
func (t *tenant) row(rec *record, waits bool) row {
	one := row{ID: rec.ID, Class: statusClass(rec.Status, waits), Word: statusWord(rec.Status, waits), Who: rec.who(), Why: rec.Schedule, Task: rec.title(),
		Created: rec.Created, Took: millis(rec.took(t.clock.Now()).Milliseconds()), Running: rec.Ended.IsZero()}
	if rec.From != nil {
		one.Why = rec.From.How
	}
	if live := t.going(rec.ID); live != nil {
		one.Usage = live.spent()
	} else if one.Usage = rec.Spent; rec.Result != nil && one.Usage == (trace.Usage{}) {
		one.Usage = rec.Result.Usage
	}
	return one
}

// going is a run that is going, nil for another.
func (t *tenant) going(id string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live[id]
}
