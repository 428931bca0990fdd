package bulk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/org"
)

// section changes one headline with what belongs to it, up to the next
// headline. It is edited as a small document of its own, one change after the
// other, below the keyword lines that say what a keyword is.
type section struct {
	prefix string
	text   string
	now    time.Time
	log    bool
	notes  []string

	logsRepeats bool   // when a repeating task is done
	drawer      string // that log lines go into, "" for none
}

// prefixOf are the lines of a document that say how its headlines are read and
// where changes of state are logged.
func prefixOf(doc *org.Document) string {
	eol := "\n"
	if doc.CRLF() {
		eol = "\r\n"
	}
	var b strings.Builder
	declared := false
	for k := range doc.Keywords("TODO", "SEQ_TODO", "TYP_TODO", "STARTUP") {
		declared = declared || k.Name() != "STARTUP"
		b.WriteString("#+" + k.Name() + ": " + k.Value.Text + eol)
	}
	if !declared {
		for _, line := range doc.Presets().Todo {
			b.WriteString("#+TODO: " + line + eol)
		}
	}
	if b.Len() == 0 { // the first line decides what line endings are
		b.WriteString("# -" + eol)
	}
	return b.String()
}

// head parses the section and returns its headline.
func (s *section) head() (org.Headline, error) {
	for h := range org.Parse([]byte(s.prefix + s.text)).Headlines() {
		return h, nil
	}
	return org.Headline{}, fmt.Errorf("no headline left")
}

// apply performs edits of the parsed section.
func (s *section) apply(edits []org.Edit) error {
	out, err := org.Apply([]byte(s.prefix+s.text), edits)
	if err == nil {
		s.text = string(out[len(s.prefix):])
	}
	return err
}

// change makes one change and checks that it says what was asked.
func (s *section) change(c Change) error {
	h, err := s.head()
	if err != nil {
		return err
	}
	aligned := org.TagsAligned(h)
	edits, err := s.edits(h, c)
	if err != nil {
		return err
	}
	if err := s.apply(edits); err != nil {
		return err
	}
	after, err := s.head()
	if err != nil {
		return err
	}
	if aligned && after.TagList.Present() && !org.TagsAligned(after) {
		if err := s.apply(org.AlignTags(after)); err != nil {
			return err
		}
		if after, err = s.head(); err != nil {
			return err
		}
	}
	if err := s.check(h, after, c); err != nil || c.Field != "state" {
		return err
	}
	if s.repeats(h, after) {
		state, err := s.repeat(h, after)
		if err != nil {
			return err
		}
		note := "repeats: its dates moved on"
		if state != "" {
			note += ", and it is " + state + " again"
		}
		s.notes = append(s.notes, note)
		return nil
	}
	if s.log {
		return s.logState(h, after)
	}
	return nil
}

func (s *section) edits(h org.Headline, c Change) ([]org.Edit, error) {
	switch c.Field {
	case "state":
		return org.SetKeyword(h, c.Value)
	case "priority":
		return org.SetPriority(h, strings.ToUpper(c.Value))
	case "title":
		return org.SetTitle(h, c.Value)
	case "tag":
		tags := newTags(h.LocalTags(), c)
		if slices.Equal(tags, h.LocalTags()) {
			return nil, nil
		}
		return org.SetTags(h, tags)
	case "scheduled", "deadline":
		var old org.Timestamp
		if p, ok := h.Planning(); ok {
			old = p.Scheduled
			if c.Field == "deadline" {
				old = p.Deadline
			}
		}
		text, err := stamp(c.Value, old, s.now)
		if err != nil {
			return nil, err
		}
		return org.SetPlanning(h, strings.ToUpper(c.Field), text)
	}
	if c.Op == "-=" {
		return org.RemoveProperty(h, c.Name), nil
	}
	if old, ok := h.Property(c.Name); ok && old == c.Value {
		return nil, nil
	}
	return org.SetProperty(h, c.Name, c.Value)
}

// newTags are the tags after a change.
func newTags(tags []string, c Change) []string {
	words := strings.FieldsFunc(c.Value, func(r rune) bool { return r == ',' || r == ':' || r == ' ' })
	switch c.Op {
	case "=":
		return words
	case "-=":
		return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return slices.Contains(words, t) })
	}
	out := slices.Clone(tags)
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// check compares the headline with what it should be after a change.
func (s *section) check(before, after org.Headline, c Change) error {
	want := func(what, want, got string) error {
		if want != got {
			return fmt.Errorf("%s %q would be read as %q", what, want, got)
		}
		return nil
	}
	state, title, priority := before.Keyword.Text, before.Title.Text, before.Priority.Text
	switch c.Field {
	case "state":
		state = c.Value
	case "title":
		title = c.Value
	case "priority":
		priority = strings.ToUpper(c.Value)
	}
	for _, err := range []error{want("state", state, after.Keyword.Text), want("title", title, after.Title.Text), want("priority", priority, after.Priority.Text)} {
		if err != nil {
			return err
		}
	}
	if c.Field != "tag" && !slices.Equal(before.LocalTags(), after.LocalTags()) {
		return fmt.Errorf("%s=%q would change the tags", c.Field, c.Value)
	}
	return nil
}

// logState records a change of state as Emacs does: CLOSED when a task is done,
// gone when it is open again (org-log-done is time), and a line in the log for
// keywords declared with "!" or "@".
func (s *section) logState(before, after org.Headline) error {
	if before.Keyword.Text == after.Keyword.Text {
		return nil
	}
	stampText := "[" + s.now.Format("2006-01-02 Mon 15:04") + "]"
	closed := ""
	if after.Done {
		closed = stampText
	}
	if after.Done != before.Done || !after.Keyword.Present() {
		edits, err := org.SetPlanning(after, "CLOSED", closed)
		if err != nil {
			return err
		}
		if err := s.apply(edits); err != nil {
			return err
		}
	}
	if after.Keyword.Text == "" || !asksForLog(after, before) {
		return nil
	}
	h, err := s.head()
	if err != nil {
		return err
	}
	return s.apply(s.logLine(h, before.Keyword.Text, after.Keyword.Text, stampText))
}

// logLine adds a line about a change of state: first in the drawer for notes, if
// they go into one here, else below planning and properties.
func (s *section) logLine(h org.Headline, from, to, when string) []org.Edit {
	doc := h.Document()
	eol := "\n"
	if doc.CRLF() {
		eol = "\r\n"
	}
	line := fmt.Sprintf("- State %-12s from %-12s %s%s", `"`+to+`"`, `"`+from+`"`, when, eol)
	if from == "" {
		line = fmt.Sprintf("- State %-12s from %-12s %s%s", `"`+to+`"`, "", when, eol)
	}
	body := h.Body()
	at := body.Start
	if s.drawer != "" {
		for c := range h.Children() {
			if d, ok := c.Drawer(); ok && d.Is(s.drawer) {
				return []org.Edit{{Start: d.Body.Start, End: d.Body.Start, New: line}}
			}
		}
		line = ":" + s.drawer + ":" + eol + line + ":END:" + eol
	} else { // below blank lines, as in Emacs
		for rest := doc.Text(body); ; {
			blank, after, ok := strings.Cut(rest, "\n")
			if !ok || strings.TrimSpace(blank) != "" {
				break
			}
			at, rest = at+len(blank)+1, after
		}
	}
	if src := doc.Source(); !strings.HasSuffix(src[:at], "\n") {
		line = eol + strings.TrimSuffix(line, eol)
	}
	return []org.Edit{{Start: at, End: at, New: line}}
}
