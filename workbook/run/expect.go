package run

import (
	"fmt"
	"regexp"
	"strings"

	"wb/internal/clip"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/workbook/plan"
)

// Expectation is one #+EXPECT: line: what a document says about its own
// results, so that it can test itself.
//
//	#+EXPECT: total = 42               the value is this JSON (numbers by value, text without its last newline)
//	#+EXPECT: total != 0
//	#+EXPECT: total > 40               also >= < <=
//	#+EXPECT: best ~ ^br.*d$           the value as text matches a regular expression
//	#+EXPECT: names contains "ada"     text holds it, a list has it as an element, an object has its members
//	#+EXPECT: parse fails              the component fails
//	#+EXPECT: parse fails line 3       its error holds that text
//	#+EXPECT: lint cycle               lint finds a diagnostic with that code
//
// The name is a component's id, #+NAME, heading or the name of an output.
type Expectation struct {
	Target string
	Op     string
	Want   string // as written
	Pos    diag.Position
}

// Unmet is an expectation that does not hold.
type Unmet struct {
	Expectation
	Reason string
}

// Error is file:line:col: what was expected and what is.
func (u *Unmet) Error() string { return fmt.Sprintf("%s: %s", u.Pos, u.Reason) }

// expectSyntax is NAME OPERATOR VALUE, the operator between blanks.
var expectSyntax = lazyregexp.New(`^(.+?)\s+(=|!=|>=|<=|>|<|~|contains|fails)(?:\s+(.*))?$`)

// Expectations reads the #+EXPECT: lines of the workbook. Lines that cannot be
// understood are returned as unmet.
func Expectations(p *plan.Plan) (all []Expectation, bad []*Unmet) {
	for k := range p.Document().Keywords("EXPECT") {
		at := diag.Position{File: p.File}
		at.Line, at.Col = p.Document().Position(k.Value.Start)
		e := Expectation{Pos: at}
		if code, ok := strings.CutPrefix(k.Value.Text, "lint "); ok && !strings.ContainsAny(code, " =~<>") {
			e.Target, e.Op, e.Want = "lint", "lint", code
			all = append(all, e)
			continue
		}
		m := expectSyntax.FindStringSubmatch(k.Value.Text)
		if m == nil || m[2] != "fails" && m[3] == "" {
			bad = append(bad, &Unmet{e, fmt.Sprintf("expectation %q is not understood: write NAME = VALUE, NAME contains VALUE, NAME ~ REGEXP or NAME fails", k.Value.Text)})
			continue
		}
		e.Target, e.Op, e.Want = m[1], m[2], m[3]
		all = append(all, e)
	}
	return all, bad
}

// CheckExpectations returns the expectations of the workbook that the run did
// not meet, in document order.
func (r *Report) CheckExpectations() []*Unmet {
	all, unmet := Expectations(r.Plan)
	for _, e := range all {
		if reason := r.check(e); reason != "" {
			unmet = append(unmet, &Unmet{e, reason})
		}
	}
	return unmet
}

// check says why an expectation does not hold, or nothing when it does.
func (r *Report) check(e Expectation) string {
	if e.Op == "lint" {
		for _, d := range r.Findings {
			if d.Code == e.Want {
				return ""
			}
		}
		return fmt.Sprintf("lint does not find %s", e.Want)
	}
	done, v, ok := r.lookup(e.Target)
	if !ok {
		return fmt.Sprintf("%s is not a component that ran", e.Target)
	}
	if e.Op == "fails" {
		return checkFailure(done, e)
	}
	if done.Err != nil {
		return fmt.Sprintf("%s failed: %v", e.Target, done.Err)
	}
	holds, err := compareValue(v, e.Op, e.Want)
	switch {
	case err != nil:
		return err.Error()
	case !holds:
		return fmt.Sprintf("%s is %s, expected %s %s", e.Target, clip.Bytes(v.String(), 200), e.Op, e.Want)
	}
	return ""
}

func checkFailure(done *Done, e Expectation) string {
	switch {
	case done.Err == nil:
		return fmt.Sprintf("%s was expected to fail", e.Target)
	case !strings.Contains(done.Err.Error(), e.Want):
		return fmt.Sprintf("%s fails with %q, expected %q in it", e.Target, done.Err.Error(), e.Want)
	}
	return ""
}

// lookup finds what ran under a name: a component, or an output of one.
func (r *Report) lookup(name string) (*Done, value.Value, bool) {
	find := func(id string) *Done {
		for i := range r.Components {
			if r.Components[i].ID == id {
				return &r.Components[i]
			}
		}
		return nil
	}
	if c := r.Plan.Component(name); c != nil {
		if d := find(c.ID); d != nil {
			return d, d.Value, true
		}
	}
	for _, c := range r.Plan.Components {
		for _, out := range c.Out {
			if d := find(c.ID); d != nil && (out == name || plan.PortName(out) == name) {
				return d, c.Output(d.Value, out), true
			}
		}
	}
	return nil, value.Nil(), false
}

// compareValue applies an operator. What is wanted is JSON, else text.
func compareValue(v value.Value, op, want string) (bool, error) {
	wanted := plan.TextValue(want)
	switch op {
	case "=":
		return sameValue(v, wanted), nil
	case "!=":
		return !sameValue(v, wanted), nil
	case "~":
		re, err := regexp.Compile(want)
		if err != nil {
			return false, fmt.Errorf("expectation ~ %s: %w", want, err)
		}
		return re.MatchString(strings.TrimSuffix(plainText(v), "\n")), nil
	case "contains":
		return containsValue(v, wanted), nil
	}
	have, ok1 := numberOf(v)
	limit, ok2 := numberOf(wanted)
	if !ok1 || !ok2 {
		return false, nil
	}
	return map[string]bool{">": have > limit, ">=": have >= limit, "<": have < limit, "<=": have <= limit}[op], nil
}

// plainText is a value as text: a string as it is, anything else as JSON.
func plainText(v value.Value) string {
	if v.Kind() == value.String {
		return v.Text()
	}
	return v.String()
}

// sameValue compares values as people read them: what a program printed counts
// without its last newline, and as a number where one is wanted.
func sameValue(v, want value.Value) bool {
	if value.Equal(v, want) {
		return true
	}
	if v.Kind() == value.List && want.Kind() == value.List && len(v.Items()) == len(want.Items()) {
		for i := range v.Items() {
			if !sameValue(v.Items()[i], want.Items()[i]) {
				return false
			}
		}
		return true
	}
	if v.Kind() != value.String {
		return false
	}
	text := strings.TrimSuffix(v.Text(), "\n")
	if want.Kind() == value.String {
		return text == strings.TrimSuffix(want.Text(), "\n")
	}
	parsed, err := value.ParseJSON([]byte(text))
	return err == nil && value.Equal(parsed, want)
}

func containsValue(v, want value.Value) bool {
	switch v.Kind() {
	case value.List:
		for _, item := range v.Items() {
			if sameValue(item, want) {
				return true
			}
		}
		return false
	case value.Object:
		for _, f := range want.Fields() {
			if have, ok := v.Get(f.Name); !ok || !sameValue(have, f.Value) {
				return false
			}
		}
		_, member := v.Get(want.Text())
		return len(want.Fields()) > 0 || member
	}
	return strings.Contains(plainText(v), plainText(want))
}

func numberOf(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.Int, value.Float:
		return v.Float(), true
	case value.String:
		parsed, err := value.ParseJSON([]byte(strings.TrimSpace(v.Text())))
		if err == nil && (parsed.Kind() == value.Int || parsed.Kind() == value.Float) {
			return parsed.Float(), true
		}
	}
	return 0, false
}
