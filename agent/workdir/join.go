package workdir

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"wb/internal/textdiff"
)

// parts counts the names that partOf has given.
var parts atomic.Int64

// join computes the new content of the file: the change alone where the file is what the agent
// read, else both changes.
func (c Change) join(now []byte, there bool) (Landed, error) {
	switch {
	case c.Removed && !there:
		return Landed{}, nil
	case !there && (c.Fresh || c.Again && len(c.Base) == 0):
		return Landed{Content: c.New}, nil
	case !there:
		return Landed{}, &ConflictError{c.Name, "removed since you read it"}
	case c.Removed && bytes.Equal(now, c.Base) && !c.Fresh:
		return Landed{}, nil
	case c.Removed:
		return Landed{now, false}, &ConflictError{c.Name, "changed since you read it, and not removed"}
	case c.Again && bytes.Equal(now, c.New), !c.Fresh && bytes.Equal(now, c.Base):
		return Landed{Content: c.New}, nil
	case c.Fresh && !c.Append && !c.Again:
		if bytes.Equal(now, c.New) {
			return Landed{Content: now}, nil
		}
		return Landed{now, false}, &ConflictError{c.Name, "somebody else created it meanwhile; read it first"}
	case !text(c.Base) || !text(c.New) || !text(now):
		return Landed{now, false}, &ConflictError{c.Name, "changed since you read it, and it is not text"}
	}
	merger := textdiff.Merger{Again: c.Again}
	if path.Ext(c.Name) == ".org" {
		merger.Settle = headings
	}
	base, ours, theirs := string(c.Base), string(c.New), string(now)
	lines, clash := merger.Merge(textdiff.Lines(base), textdiff.Lines(ours), textdiff.Lines(theirs))
	if clash != nil {
		return Landed{now, false}, &ConflictError{c.Name, fmt.Sprintf("changed since you read it, in %s; read it again", numbers(clash.B0+1, clash.B1))}
	}
	joined := strings.Join(lines, "\n")
	ended := strings.HasSuffix(theirs, "\n")
	if ended == strings.HasSuffix(base, "\n") || base == "" {
		ended = strings.HasSuffix(ours, "\n") || base == "" && ended
	}
	if ended && len(lines) > 0 {
		joined += "\n"
	}
	return Landed{[]byte(joined), true}, nil
}

func numbers(first, last int) string {
	if last <= first {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}

func text(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// headings joins changes of the same org headings: one may set the keyword while the
// other sets tags.
func headings(o textdiff.Overlap) ([]string, bool) {
	if len(o.Base) != len(o.Ours) || len(o.Base) != len(o.Theirs) {
		return nil, false
	}
	joined := slices.Clone(o.Base)
	for i := range joined {
		line, ok := heading(o.Base[i], o.Ours[i], o.Theirs[i])
		if !ok {
			return nil, false
		}
		joined[i] = line
	}
	return joined, true
}

// headingForm is stars, keyword, priority, title and tags.
var headingForm = regexp.MustCompile(`^(\*+ +)([A-Z][A-Z_-]+ +)?(\[#\w+\] +)?(.*?)([ \t]+:[\w@#%:]+:)?[ \t]*$`)

func heading(base, ours, theirs string) (string, bool) {
	was, our, their := headingForm.FindStringSubmatch(base), headingForm.FindStringSubmatch(ours), headingForm.FindStringSubmatch(theirs)
	if was == nil || our == nil || their == nil {
		return pick(base, ours, theirs)
	}
	var b strings.Builder
	for i := 1; i <= 4; i++ {
		part, ok := pick(was[i], our[i], their[i])
		if !ok {
			return "", false
		}
		b.WriteString(part)
	}
	b.WriteString(tags(was[5], our[5], their[5]))
	return b.String(), true
}

// pick takes what one side changed.
func pick(base, ours, theirs string) (string, bool) {
	if ours == base || ours == theirs {
		return theirs, true
	}
	return ours, theirs == base
}

// tags has what either side added and lacks what either side took away.
func tags(base, ours, theirs string) string {
	if part, ok := pick(base, ours, theirs); ok {
		return part
	}
	list := func(text string) []string {
		return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(": \t", c) })
	}
	was, our, their := list(base), list(ours), list(theirs)
	var all []string
	for _, tag := range slices.Concat(was, their, our) {
		kept := slices.Contains(our, tag) && slices.Contains(their, tag) || !slices.Contains(was, tag)
		if kept && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " :" + strings.Join(all, ":") + ":"
}
