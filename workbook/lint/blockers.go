package lint

import (
	"slices"
	"strings"

	"wb/org"
	"wb/workbook/plan"
)

// waiter is a headline that others may wait for.
type waiter struct {
	id    string
	at    int // offset of its :BLOCKER: value
	waits []string
}

// blockers checks :BLOCKER: properties: every id exists, nothing waits for
// itself.
func (l *linter) blockers() {
	tasks, order := map[string]*waiter{}, []*waiter(nil)
	if !l.anyBlocker() {
		return
	}
	for h := range l.doc.Headlines() {
		t := &waiter{}
		for p := range h.Properties() {
			switch {
			case p.Is("ID"):
				t.id = p.Value.Text
			case p.Is("BLOCKER"):
				t.at, t.waits = p.Value.Start, blockerIDs(p)
			}
		}
		order = append(order, t)
		if t.id != "" {
			tasks[t.id] = t
		}
	}
	ids := make([]string, 0, len(tasks))
	for id := range tasks {
		ids = append(ids, id)
	}
	for _, t := range order {
		for _, id := range t.waits {
			if tasks[id] == nil {
				l.errorf("missing-blocker", t.at, plan.DidYouMean(id, ids, ""), ":BLOCKER: names id %s, which no headline has", id)
			}
		}
	}
	l.blockerCycles(order, tasks)
}

// anyBlocker reports whether some headline waits for others.
func (l *linter) anyBlocker() bool {
	for n := range l.doc.All() {
		if p, ok := n.Property(); ok && p.Is("BLOCKER") {
			return true
		}
	}
	return false
}

// blockerIDs are the ids among the words of a :BLOCKER: property.
func blockerIDs(p org.Property) []string {
	return slices.DeleteFunc(org.Blockers(p.Value.Text), func(word string) bool {
		return slices.Contains([]string{"siblings", "children", "previous-sibling", "parent"}, word)
	})
}

// blockerCycles reports each cycle once, where its first task asks.
func (l *linter) blockerCycles(order []*waiter, tasks map[string]*waiter) {
	done := map[*waiter]bool{}
	for _, start := range order {
		var path []*waiter
		var visit func(t *waiter) bool
		visit = func(t *waiter) bool {
			if i := slices.Index(path, t); i >= 0 {
				var names []string
				for _, p := range append(path[i:], t) {
					names = append(names, p.id)
				}
				l.errorf("blocker-cycle", t.at, "remove one of them", ":BLOCKER: cycle: %s", strings.Join(names, " → "))
				return true
			}
			if done[t] {
				return false
			}
			path = append(path, t)
			for _, id := range t.waits {
				if next := tasks[id]; next != nil && visit(next) {
					return true
				}
			}
			path = path[:len(path)-1]
			done[t] = true
			return false
		}
		if !done[start] {
			visit(start)
		}
		for _, t := range path {
			done[t] = true
		}
	}
}
