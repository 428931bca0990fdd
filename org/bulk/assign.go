// Package bulk changes the headlines that a query finds, in any number of
// files, all or nothing.
//
//	changes, err := bulk.ParseChanges([]string{"state=DONE", "tag+=reviewed"})
//	plan, err := bulk.Prepare(ctx, paths, query, changes, bulk.Options{})
//	fmt.Print(plan.Diff())
//	err = plan.Write(journal)
//
// Every byte that no change asks for stays. A change that would make Org read
// something else than was asked, such as a title that starts with a keyword, is
// refused before anything is written.
package bulk

import (
	"fmt"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/org"
)

// Change is one assignment: what of a headline, how, and to what.
type Change struct {
	Field string // state, priority, title, tag, scheduled, deadline or prop
	Name  string // of the property
	Op    string // "=", "+=", "-="
	Value string
}

// fields are the names people may use, with the field they mean.
var fields = map[string]string{"state": "state", "todo": "state", "priority": "priority", "title": "title", "tag": "tag", "tags": "tag",
	"scheduled": "scheduled", "deadline": "deadline"}

// UsageError is an assignment that cannot be read.
type UsageError struct{ Text, Tip string }

func (e *UsageError) Error() string { return e.Text }

// Hint says what to write instead.
func (e *UsageError) Hint() string { return e.Tip }

// ExitCode is that of a usage error.
func (e *UsageError) ExitCode() int { return diag.ExitUsage }

// IsChange reports whether a word of a command line is an assignment rather
// than part of a query: a name of letters, then =, += or -=.
func IsChange(word string) bool {
	name, _, _ := cut(word)
	if name == "" {
		return false
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)) {
			return false
		}
	}
	return true
}

// cut splits an assignment; name is "" when it is none.
func cut(word string) (name, op, value string) {
	at := strings.IndexByte(word, '=')
	if at < 1 {
		return "", "", ""
	}
	name, op, value = word[:at], "=", word[at+1:]
	if last := name[len(name)-1]; last == '+' || last == '-' {
		name, op = name[:len(name)-1], string(last)+"="
	}
	return name, op, value
}

// ParseChanges reads assignments.
func ParseChanges(words []string) ([]Change, error) {
	var out []Change
	for _, w := range words {
		name, op, value := cut(w)
		c := Change{Op: op, Value: strings.TrimSpace(value)}
		if prop, ok := strings.CutPrefix(name, "prop."); ok {
			c.Field, c.Name = "prop", prop
		} else if c.Field = fields[strings.ToLower(name)]; c.Field == "" {
			var known []string
			for f := range fields {
				known = append(known, f)
			}
			tip := "use state priority title tag scheduled deadline or prop." + strings.ToUpper(name)
			if near := nearest.Word(name, known); near != "" {
				tip = "did you mean " + near + "=?"
			}
			return nil, &UsageError{fmt.Sprintf("%s: nothing of a headline is called %s", w, name), tip}
		}
		switch {
		case c.Field == "tag" && op == "=", c.Field == "tag" && c.Value != "":
		case op == "=" && c.Field != "prop", op == "=" && c.Name != "":
		case c.Field == "prop" && op == "-=" && c.Name != "" && c.Value == "":
		default:
			return nil, &UsageError{fmt.Sprintf("%s: %s does not take %s", w, name, op), "write state=DONE, tag+=x, tag-=x, prop.OWNER=ada, or prop.OWNER-= to remove it"}
		}
		if c.Field == "scheduled" || c.Field == "deadline" {
			if _, err := stamp(c.Value, org.Timestamp{}, time.Now()); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, &UsageError{"nothing to change", "write for example: wb set notes/ todo:NEXT state=DONE tag+=done"}
	}
	return out, nil
}
