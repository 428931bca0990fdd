package api

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"wb/agent/host"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook"
)

// offer is something that can be run: an agent or a workbook.
type offer struct{ Name, Title, About, Path string }

// startView is the page that starts a run.
type startView struct {
	chrome
	Wrong     string
	Hint      string // what to do about it
	Words     string
	Agents    []offer
	Workbooks []offer

	// what was chosen
	Chosen         bool
	Missing        bool // there is nothing of that name; Wrong says so
	Agent, Title   string
	About, Prompt  string
	System         *shown
	Model, Steps   string
	Session        string
	Exec, MayExec  bool
	Workbook       string
	Workflow       string     // of the workbook; "" is all of it
	Functions      []function // of a workbook that has several workflows
	Fields         []*field
	Problems       []string
	WrongTask      string
	ComponentCount int
}

// function is a workbook, or a workflow of it, that can be run by itself.
type function struct {
	Name, Path string
	Here       bool
}

// newPage offers what can be run, or the form of what was chosen.
func (s *Server) newPage(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	q := r.URL.Query()
	v := &startView{chrome: s.chrome(r), Words: strings.TrimSpace(q.Get("q")), Prompt: q.Get("task"), MayExec: s.config.AllowExec && t.Exec}
	switch {
	case q.Has("agent"):
		name, status := q.Get("agent"), http.StatusOK
		if err := s.known(t, name); err != nil {
			v.Missing, status = true, http.StatusNotFound
			v.refuse(t, err)
		}
		s.showAgent(w, t, v, name, status)
	case q.Has("workbook"):
		v.Workbook, v.Workflow = q.Get("workbook"), q.Get("workflow")
		s.showWorkbook(w, t, v, q, http.StatusOK)
	default:
		v.offers(t)
		render(w, http.StatusOK, "new.html", v)
	}
}

// offers gathers what the documents of the directory define.
func (v *startView) offers(t *tenant) {
	words := strings.Fields(strings.ToLower(v.Words))
	wanted := func(o offer) bool {
		text := strings.ToLower(o.Name + " " + o.Title + " " + o.About)
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	}
	agents, err := host.AgentsIn(t.root.FS())
	t.warn(err)
	all := []offer{{Title: "The default agent", About: "every base tool, bounded by steps", Path: "/new?agent="}}
	for _, a := range agents {
		all = append(all, offer{a.Name, a.Title, a.Tagline, "/new?" + url.Values{"agent": {a.Name}}.Encode()})
	}
	for _, o := range all {
		if wanted(o) {
			v.Agents = append(v.Agents, o)
		}
	}
	for _, name := range t.workbooks() {
		o := offer{Name: name, Title: name, Path: "/new?" + url.Values{"workbook": {name}}.Encode()}
		if wanted(o) {
			v.Workbooks = append(v.Workbooks, o)
		}
	}
}

// workbooks are the documents of the directory that have something to run.
func (t *tenant) workbooks() []string {
	var all []string
	dir := t.root.FS()
	err := host.DocumentsIn(dir, func(name string, _ fs.FileInfo) {
		if slices.Contains([]string{"events.org", "issues.org"}, path.Base(name)) {
			return
		}
		src, err := fs.ReadFile(dir, name)
		lower := bytes.ToLower(src)
		if err == nil && (bytes.Contains(lower, []byte("#+begin_src")) || bytes.Contains(lower, []byte(":out:"))) {
			all = append(all, name)
		}
	})
	t.warn(err)
	return all
}

// refuse says what is wrong and what to do about it.
func (v *startView) refuse(t *tenant, err error) {
	v.Wrong, v.Hint = t.inside(err.Error()), t.inside(diag.HintOf(err))
}

// known says why there is no form for an agent.
func (s *Server) known(t *tenant, name string) error {
	task, _, err := s.task(t, runRequest{Agent: name, Task: "to see whether it is there"})
	if err == nil {
		err = host.Known(task)
	}
	return err
}

// showAgent shows the form of an agent.
func (s *Server) showAgent(w http.ResponseWriter, t *tenant, v *startView, name string, status int) {
	v.Chosen, v.Agent, v.Title, v.At = true, name, cmp.Or(name, "The default agent"), "/new"
	agents, err := host.AgentsIn(t.root.FS())
	t.warn(err)
	for _, a := range agents {
		if a.Name == name {
			set := showProse(a.System)
			v.Title, v.About, v.System = cmp.Or(a.Title, name), a.Tagline, &set
		}
	}
	render(w, status, "new.html", v)
}

// showWorkbook shows the form of a workbook, its fields filled with what is given.
func (s *Server) showWorkbook(w http.ResponseWriter, t *tenant, v *startView, given url.Values, status int) {
	v.Chosen, v.Title, v.At = true, v.Workbook, "/new"
	plan, err := t.planOf(v.Workbook)
	if err != nil {
		v.Missing = true
		v.refuse(t, err)
		render(w, http.StatusNotFound, "new.html", v)
		return
	}
	chosen, all := functionOf(plan, v.Workflow)
	for i, f := range all {
		q := url.Values{"workbook": {v.Workbook}}
		name := "all of it"
		if i > 0 {
			q.Set("workflow", f.Title)
			name = f.Title
		}
		v.Functions = append(v.Functions, function{name, "/new?" + q.Encode(), (i == 0) == (v.Workflow == "") && (i == 0 || f.Title == v.Workflow)})
	}
	v.About = chosen.About
	if v.Fields == nil {
		if v.Fields, err = fieldsOf(chosen); err != nil {
			v.Wrong = err.Error()
		}
		for _, f := range v.Fields {
			if text := given.Get(fieldPrefix + f.Name); text != "" {
				if val, err := value.ParseJSON([]byte(text)); err == nil {
					f.fill(val)
				}
			}
		}
	}
	for _, p := range plan.Problems {
		v.Problems = append(v.Problems, t.inside(p.Message))
	}
	v.ComponentCount = len(plan.Components)
	render(w, status, "new.html", v)
}

// functionOf is a workbook or the workflow of it that was asked for, and what else
// there is to ask for, where there are several.
func functionOf(plan *workbook.Plan, workflow string) (chosen workbook.Signature, all []workbook.Signature) {
	chosen = plan.Signature()
	if all = plan.Signatures(); len(all) < 2 {
		return chosen, nil
	}
	for _, s := range all[1:] {
		if workflow != "" && s.Title == workflow {
			chosen = s
		}
	}
	return chosen, all
}

// planOf plans a workbook of the tenant's.
func (t *tenant) planOf(name string) (*workbook.Plan, error) {
	file, err := t.file(name)
	if err != nil {
		return nil, err
	}
	src, err := t.root.ReadFile(path.Clean(strings.TrimPrefix(name, "./")))
	if err != nil {
		return nil, err
	}
	return workbook.NewPlan(file, src), nil
}

// startPage starts a run of an agent from its form.
func (s *Server) startPage(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	q := runRequest{Agent: strings.TrimSpace(r.PostFormValue("agent")), Task: r.PostFormValue("task"), Model: strings.TrimSpace(r.PostFormValue("model")),
		Session: strings.TrimSpace(r.PostFormValue("session")), Exec: r.PostFormValue("exec") != ""}
	v := &startView{chrome: s.chrome(r), Prompt: q.Task, Model: q.Model, Steps: r.PostFormValue("max_steps"), Session: q.Session, Exec: q.Exec, MayExec: s.config.AllowExec && t.Exec}
	err := q.steps(v.Steps)
	var started *run
	if err == nil {
		started, err = s.begin(t, q)
	}
	if err != nil {
		if strings.TrimSpace(q.Task) == "" {
			v.WrongTask = "say what is to be done"
		} else {
			v.refuse(t, err)
		}
		s.showAgent(w, t, v, q.Agent, http.StatusUnprocessableEntity)
		return
	}
	http.Redirect(w, r, "/run/"+started.snapshot().ID, http.StatusSeeOther)
}

// steps reads the most steps that a person wants, "" for the agent's own.
func (q *runRequest) steps(text string) error {
	if text == "" {
		return nil
	}
	v, err := value.ParseJSON([]byte(text))
	if err != nil || v.Kind() != value.Int {
		return errors.New("the limit of turns must be a whole number")
	}
	n := v.Int()
	q.MaxSteps = &n
	return nil
}

// startWorkbook starts a run of a workbook from its form.
func (s *Server) startWorkbook(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	v := &startView{chrome: s.chrome(r), Workbook: r.PostFormValue("workbook"), Workflow: r.PostFormValue("workflow")}
	plan, err := t.planOf(v.Workbook)
	if err != nil {
		s.showWorkbook(w, t, v, nil, http.StatusNotFound)
		return
	}
	chosen, _ := functionOf(plan, v.Workflow)
	if v.Fields, err = fieldsOf(chosen); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	set := filled(v.Fields, r.PostForm)
	if set == nil {
		v.Wrong = "some fields are not valid"
		s.showWorkbook(w, t, v, nil, http.StatusUnprocessableEntity)
		return
	}
	started, err := t.startBook(&book{File: v.Workbook, Workflow: v.Workflow, Set: set, Only: chosen.Only}, record{})
	if err != nil {
		v.refuse(t, err)
		s.showWorkbook(w, t, v, nil, http.StatusUnprocessableEntity)
		return
	}
	http.Redirect(w, r, "/run/"+started.snapshot().ID, http.StatusSeeOther)
}

// again is the form of a run, filled in as it was.
func (r *record) again() string {
	if r.Book == nil {
		return "/new?" + url.Values{"agent": {r.agent()}, "task": {r.Task.Text}}.Encode()
	}
	q := url.Values{"workbook": {r.Book.File}}
	if r.Book.Workflow != "" {
		q.Set("workflow", r.Book.Workflow)
	}
	if v, err := value.ParseJSON(r.Book.Set); err == nil {
		for _, f := range v.Fields() {
			q.Set(fieldPrefix+f.Name, f.Value.String())
		}
	}
	return "/new?" + q.Encode()
}
