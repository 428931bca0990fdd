package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/org"
	"wb/org/agenda"
	"wb/org/oql"
	"wb/org/preset"
)

// AgendaIn holds the arguments of wb agenda: words, or what to show and the paths it is
// about.
type AgendaIn struct {
	Args    []string `arg:"" complete:"files" optional:"" json:"-" help:"day, week, fortnight, month, year, a number of days, or todo; a query that entries must meet; files and directories; the agenda files, or all here, without."`
	What    string   `kong:"-" json:"what" help:"day, week, fortnight, month, year, a number of days, or todo; then a query in OQL that entries must meet; a week without."`
	Paths   []string `kong:"-" json:"paths" help:"Files and directories; all of the directory when none is given."`
	From    string   `help:"The first day (2026-12-01, tomorrow, +2w); today without." placeholder:"DATE"`
	Now     string   `help:"Look from another time than now, such as 2026-12-01 09:30." placeholder:"TIME"`
	Group   string   `help:"Group by tag, todo, priority, file, category or property:NAME." placeholder:"BY" xor:"group"`
	Command string   `help:"Let Org carry out a command of org-agenda-custom-commands, in the sandbox." placeholder:"KEY" xor:"form,group"`
	Init    string   `help:"The init file that sets the command, in place of org.init of wb.toml." placeholder:"FILE"`
	HTML    bool     `on:"terminal" name:"html" help:"Print a page." xor:"form"`
	ICS     bool     `on:"terminal" name:"ics" help:"Print the entries as iCalendar: all that have dates, or those that the view shows." xor:"form"`
}

// AgendaOut is an agenda.
type AgendaOut struct {
	*agenda.View // nil where org is not
	org          *OrgAgenda
	in           *AgendaIn
	entries      []*agenda.Entry // for iCalendar
	changed      func(file string) time.Time
	set          agenda.Settings
}

// Data is the agenda as programs read it.
func (out *AgendaOut) Data() any {
	if out.org != nil {
		return out.org
	}
	return out.View
}

var agendaOf = Verb[AgendaIn, *AgendaOut]{
	Name: "agenda", Help: "Show what is due: days, weeks and to-do lists as Org's agenda has them.",
	Model: "What is due, as Org's agenda shows it: a day, a week, a month, or the list of open tasks, narrowed by a query.",
	About: `Examples:
  wb agenda                            the week, of all org files here
  wb agenda day notes/
  wb agenda 10 'tags:work' plan.org    ten days of what a query finds
  wb agenda todo --group priority
  wb agenda 'todo:NEXT' --group property:OWNER
  wb agenda --ics notes/ > notes.ics
  wb agenda --command w                a command of your org-agenda-custom-commands

Shows scheduled tasks until they are done, deadlines with warnings, repeaters,
habits, ranges and timestamps, sorted as Org sorts. A query alone lists what it
finds. With --command, the toolchain emacs evaluates the init file that wb.toml
names, or that of --init, and Org itself shows the agenda.`,
	Doors: Tools | Agents,
	Do:    func(ctx context.Context, h *Home, in *AgendaIn) (*AgendaOut, error) { return in.show(ctx, h) },
	Text: func(p *Page, out *AgendaOut) error {
		switch {
		case out.org != nil:
			_, err := io.WriteString(p, strings.TrimRight(out.org.Text, "\n")+"\n")
			return err
		case out.in.HTML:
			return out.HTML(p)
		case out.in.ICS:
			return agenda.Calendar(p, out.entries, out.changed, out.set)
		}
		return out.View.Text(p)
	},
}

// split parts the words of a command line: what exists is a path.
func (in *AgendaIn) split(h *Home) error {
	var words []string
	for i, arg := range in.Args {
		_, err := h.Path(arg)
		if h.Root == nil {
			_, err = os.Stat(arg)
		}
		switch {
		case (err == nil || arg == "-") && !isView(arg):
			in.Paths = append(in.Paths, arg)
		case looksLikePath(arg, false):
			return MissingFile(arg)
		case i > 0 && isView(arg):
			return diag.Usagef("wb agenda "+arg+" …", "%s comes first", arg)
		default:
			words = append(words, arg)
		}
	}
	in.What = strings.Join(words, " ")
	return nil
}

// isView reports whether a word names what an agenda shows.
func isView(word string) bool {
	if word == "todo" {
		return true
	}
	_, ok := spanNamed(word, 0)
	return ok
}

// viewNames are the names of the agenda's views.
var viewNames = []string{"day", "week", "fortnight", "month", "year", "todo"}

func isWord(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// mostDays are ten years.
const mostDays = 3660

// checkDays refuses a number of days that no view has, rather than search for it.
func checkDays(what string) error {
	word, _, _ := strings.Cut(what, " ")
	if strings.Trim(word, "0123456789") != "" || word == "" || isView(word) {
		return nil
	}
	return diag.Usagef(fmt.Sprintf("from 1 to %d; a query for that text is heading:%s", mostDays, word), "no agenda has %s days", word)
}

func spanNamed(word string, from agenda.Day) (agenda.Span, bool) {
	if n, err := strconv.Atoi(word); err == nil && n > 0 && n <= mostDays {
		return agenda.DaySpan(from, n), true
	}
	return agenda.NewSpan(word, from)
}

func (in *AgendaIn) show(ctx context.Context, h *Home) (*AgendaOut, error) {
	if len(in.Args) > 0 {
		if err := in.split(h); err != nil {
			return nil, err
		}
	}
	if in.Group != "" && !agenda.IsGroup(in.Group) {
		return nil, diag.Usagef("group by "+strings.Join(agenda.Groups, ", "), "cannot group by %q", in.Group)
	}
	now, from, err := in.times()
	if err != nil {
		return nil, err
	}
	presets, err := h.presets()
	if err != nil {
		return nil, err
	}
	if in.Command != "" {
		return in.byOrg(ctx, h, now, presets)
	}
	settings := presets.User().Agenda
	if len(in.Paths) == 0 && h.Root == nil {
		in.Paths = presets.User().AgendaFiles()
	}
	files, changed, err := in.read(ctx, h, presets)
	if err != nil {
		return nil, err
	}
	if err := checkDays(strings.TrimSpace(in.What)); err != nil {
		return nil, err
	}
	view, query, _ := strings.Cut(strings.TrimSpace(in.What), " ")
	if !isView(view) {
		if near := nearest.Word(view, viewNames); near != "" && nearest.Distance(view, near) == 1 && isWord(view) {
			return nil, diag.Usagef("did you mean "+near+"? a query for that text is rifle:"+view, "no agenda is called %s", view)
		}
		view, query = "", strings.TrimSpace(in.What)
	}
	if query != "" {
		if err := in.narrow(ctx, h, query, now, files, presets); err != nil {
			return nil, err
		}
	}
	out := &AgendaOut{in: in, changed: changed, set: settings}
	switch {
	case in.ICS && view == "" && query == "":
		out.View = agenda.List("Entries with dates", entriesOf(files, (*agenda.Entry).Dated), settings)
	case view == "todo":
		open := entriesOf(files, func(e *agenda.Entry) bool { return e.State != "" && !e.Done })
		out.View = agenda.List("Global list of TODO items of type: ALL", open, settings)
	case view == "" && query != "":
		out.View = agenda.List("Headlines that match: "+query, entriesOf(files, nil), settings)
	default:
		span, _ := spanNamed("week", from)
		if view != "" {
			span, _ = spanNamed(view, from)
		}
		out.View = agenda.Days(files, span, now, settings)
	}
	out.entries = out.View.Entries()
	if in.Group != "" {
		out.View.GroupBy(in.Group)
	}
	return out, nil
}

// times are the time that it is taken to be, and the first day.
func (in *AgendaIn) times() (now time.Time, from agenda.Day, err error) {
	read := func(text string, base time.Time) (time.Time, error) {
		if text == "" {
			return base, nil
		}
		t, ok := oql.ParseTime(text, base)
		if !ok {
			return t, diag.Usagef("try 2026-12-01, \"2026-12-01 09:30\", tomorrow, sat or +2w", "%q is not a date", text)
		}
		return t, nil
	}
	if now, err = read(in.Now, naiveTime(time.Now())); err != nil {
		return now, 0, err
	}
	first, err := read(in.From, now)
	return now, agenda.DayOf(first), err
}

// read reads the files, in parallel, in the order of their names.
func (in *AgendaIn) read(ctx context.Context, h *Home, presets *preset.Finder) ([]*agenda.File, func(string) time.Time, error) {
	if slices.Contains(in.Paths, "-") {
		if len(in.Paths) > 1 || h.Stdin == nil {
			return nil, nil, diag.Usagef("", "- is the text on stdin, and cannot be combined with files")
		}
		src, err := io.ReadAll(h.Stdin)
		if err == nil {
			err = checkText("stdin.org", src)
		}
		started := time.Now()
		return []*agenda.File{agenda.Read("stdin.org", org.ParseWith(src, presets.Of("stdin.org")))}, func(string) time.Time { return started }, err
	}
	paths, err := h.orgPaths(in.Paths)
	if err != nil {
		return nil, nil, err
	}
	names, err := oql.Files(orHere(paths))
	if err != nil {
		return nil, nil, Plainly(err)
	}
	files, errs := make([]*agenda.File, len(names)), make([]error, len(names))
	var wait sync.WaitGroup
	places := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wait.Go(func() {
			for i := range places {
				src, err := os.ReadFile(names[i])
				if err == nil && slices.Contains(paths, names[i]) {
					err = checkText(names[i], src)
				}
				files[i], errs[i] = agenda.Read(h.named(names[i]), org.ParseWith(src, presets.Of(names[i]))), err
			}
		})
	}
	for i := range names {
		if ctx.Err() != nil {
			break
		}
		places <- i
	}
	close(places)
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	times := map[string]time.Time{}
	for i, err := range errs {
		if err != nil {
			return nil, nil, err
		}
		if info, err := os.Stat(names[i]); err == nil {
			times[files[i].Path] = info.ModTime()
		}
	}
	return files, func(file string) time.Time { return times[file] }, nil
}

// named is the name that users of this home have for a file.
func (h *Home) named(path string) string {
	if h.Root == nil {
		return path
	}
	if rel, err := filepath.Rel(h.Dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// narrow keeps the entries that a query finds.
func (in *AgendaIn) narrow(ctx context.Context, h *Home, text string, now time.Time, files []*agenda.File, presets *preset.Finder) error {
	paths, err := h.orgPaths(in.Paths)
	if err != nil {
		return err
	}
	if strings.HasPrefix(text, "@") {
		saved, err := oql.ReadSaved(orHere(paths))
		if err != nil {
			return err
		}
		if text, err = oql.Expand(text, saved); err != nil {
			return err
		}
	}
	q, err := oql.Parse(text)
	if err != nil {
		return err
	}
	if !q.OnlyConditions() {
		return diag.Usagef("use conditions alone here; wb query takes stages and other rows", "wb agenda takes conditions on headlines")
	}
	request := oql.Request{Paths: orHere(paths), Query: q, Presets: presets.Of, Options: oql.Options{Now: now}}
	if slices.Contains(in.Paths, "-") {
		return diag.Usagef("write the text to a file", "stdin cannot be queried here")
	}
	answer, err := oql.Ask(ctx, request)
	if err != nil {
		return err
	}
	defer h.later(func() { h.warn(answer.Close()) })
	for _, note := range answer.Notes {
		h.notef("%s", note)
	}
	found := map[oql.Place]bool{}
	for _, place := range answer.Places {
		found[oql.Place{Path: h.named(place.Path), Line: place.Line}] = true
	}
	for _, f := range files {
		f.Entries = slices.DeleteFunc(f.Entries, func(e *agenda.Entry) bool { return !found[oql.Place{Path: e.File, Line: e.Line}] })
	}
	return nil
}

// naiveTime is a local time as org has it, without a zone.
func naiveTime(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// entriesOf are the entries that are wanted, all without a condition.
func entriesOf(files []*agenda.File, want func(*agenda.Entry) bool) (list []*agenda.Entry) {
	for _, f := range files {
		for _, e := range f.Entries {
			if want == nil || want(e) {
				list = append(list, e)
			}
		}
	}
	return list
}
