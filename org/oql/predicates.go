package oql

import (
	"slices"
	"sort"
)

// Predicate describes one test a query can make of a row.
type Predicate struct {
	Name    string
	Aliases []string
	Group   string // general, structure, time, logic, text
	Args    string // the shape of the arguments, for people
	Help    string
	Min     int // positional arguments at least
	Max     int // and at most; -1 is any number
	Keys    []string
	Nested  bool // the argument is a query
	Compare bool // a comparator may stand before the argument
}

var timeKeys = []string{"from", "to", "on", "with-time"}

// predicates are org-ql's, in its words, and text, wb's own full-text search.
var predicates = []Predicate{
	{Name: "blocked", Group: "general", Help: "a dependency is not done (ORDERED, children, BLOCKER)"},
	{Name: "category", Aliases: []string{"c"}, Group: "general", Args: "[NAME…]", Max: -1, Help: "in one of the categories"},
	{Name: "done", Group: "general", Help: "the keyword is a done keyword"},
	{Name: "effort", Group: "general", Args: "[CMP] DURATION [DURATION]", Max: 2, Compare: true, Help: "effort equals, compares or lies between"},
	{Name: "habit", Group: "general", Help: "STYLE is habit"},
	{Name: "heading", Aliases: []string{"h"}, Group: "general", Args: "TEXT…", Max: -1, Help: "the heading contains every text"},
	{Name: "heading-regexp", Aliases: []string{"h*"}, Group: "general", Args: "REGEXP…", Max: -1, Help: "the heading matches every regexp"},
	{Name: "level", Group: "general", Args: "[CMP] N [N]", Min: 1, Max: 2, Compare: true, Help: "outline level equals, compares or lies between"},
	{Name: "link", Group: "general", Args: "[TEXT] :description :target :regexp-p", Max: 1, Keys: []string{"description", "target", "regexp-p"}, Help: "contains a link"},
	{Name: "outline-path", Aliases: []string{"olp"}, Group: "general", Args: "TEXT…", Max: -1, Help: "every text is in some part of the outline path"},
	{Name: "outline-path-segment", Aliases: []string{"olps"}, Group: "general", Args: "TEXT…", Max: -1, Help: "the texts match neighbouring parts of the outline path"},
	{Name: "path", Group: "general", Args: "[REGEXP…]", Max: -1, Help: "the file's path matches one of the regexps"},
	{Name: "priority", Group: "general", Args: "[CMP] LETTER…", Max: -1, Compare: true, Help: "has one of the priorities, or compares (A is highest)"},
	{Name: "property", Aliases: []string{"prop"}, Group: "general", Args: "NAME [VALUE] :inherit", Min: 1, Max: 2, Keys: []string{"inherit"}, Help: "has the property, or the property with this value"},
	{Name: "regexp", Aliases: []string{"r"}, Group: "general", Args: "REGEXP…", Max: -1, Help: "the entry matches every regexp"},
	{Name: "rifle", Aliases: []string{"smart"}, Group: "general", Args: "TEXT…", Max: -1, Help: "every text is in the entry or its outline path"},
	{Name: "src", Group: "general", Args: "[REGEXP…] :lang :regexps", Max: -1, Keys: []string{"lang", "regexps"}, Help: "contains a source block"},
	{Name: "tags", Aliases: []string{"tag"}, Group: "general", Args: "[TAG…]", Max: -1, Help: "has one of the tags, inherited or its own"},
	{Name: "tags-all", Aliases: []string{"tags&"}, Group: "general", Args: "TAG…", Max: -1, Help: "has all of the tags"},
	{Name: "tags-inherited", Aliases: []string{"inherited-tags", "tags-i", "itags"}, Group: "general", Args: "[TAG…]", Max: -1, Help: "inherits one of the tags"},
	{Name: "tags-local", Aliases: []string{"local-tags", "tags-l", "ltags"}, Group: "general", Args: "[TAG…]", Max: -1, Help: "its own tags include one of these"},
	{Name: "tags-regexp", Aliases: []string{"tags*"}, Group: "general", Args: "[REGEXP…]", Max: -1, Help: "some tag matches one of the regexps, or any tag at all"},
	{Name: "todo", Group: "general", Args: "[KEYWORD…]", Max: -1, Help: "an open task, or a task with one of the keywords"},

	{Name: "ancestors", Group: "structure", Args: "[QUERY]", Nested: true, Max: 1, Help: "some ancestor matches"},
	{Name: "children", Group: "structure", Args: "[QUERY]", Nested: true, Max: 1, Help: "some child matches"},
	{Name: "descendants", Group: "structure", Args: "[QUERY]", Nested: true, Max: 1, Help: "some descendant matches"},
	{Name: "parent", Group: "structure", Args: "[QUERY]", Nested: true, Max: 1, Help: "the parent matches"},

	{Name: "ts", Group: "time", Args: "[DAY] :from :to :on :with-time :type", Max: 1, Keys: append(slices.Clone(timeKeys), "type"), Help: "has a timestamp in the period"},
	{Name: "ts-active", Aliases: []string{"ts-a"}, Group: "time", Args: "[DAY] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "has an active timestamp in the period"},
	{Name: "ts-inactive", Aliases: []string{"ts-i"}, Group: "time", Args: "[DAY] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "has an inactive timestamp in the period"},
	{Name: "clocked", Group: "time", Args: "[DAYS] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "was clocked in the period"},
	{Name: "closed", Group: "time", Args: "[DAYS] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "was closed in the period"},
	{Name: "deadline", Group: "time", Args: "[DAYS|auto] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "is due in the period"},
	{Name: "deadline-warning", Group: "time", Help: "is due within its warning period"},
	{Name: "planning", Group: "time", Args: "[DAYS] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "is closed, due or scheduled in the period"},
	{Name: "scheduled", Group: "time", Args: "[DAYS] :from :to :on :with-time", Max: 1, Keys: timeKeys, Help: "is scheduled in the period"},

	{Name: "text", Group: "text", Args: "TEXT…", Min: 1, Max: -1, Help: "full-text search, ranked by BM25"},
}

// connectives combine conditions; when is and, (unless A B) is (and (not A) B).
var connectives = []string{"and", "or", "not", "when", "unless"}

// aggregates summarise the rows of a group.
var aggregates = []string{"count", "count-distinct", "sum", "avg", "min", "max", "p50", "p95", "p99", "first", "last", "list"}

// stages are the words that start a part of a pipeline.
var stages = []string{"group", "sort", "limit", "offset", "select", "where", "join"}

// Predicates lists every predicate in the order the documentation shows them.
func Predicates() []Predicate { return slices.Clone(predicates) }

// lookupPredicate finds a predicate by name or alias.
func lookupPredicate(name string) (Predicate, bool) {
	for _, p := range predicates {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Predicate{}, false
}

// headWords are all words that may follow an opening parenthesis.
func headWords() []string {
	words := append(slices.Clone(connectives), "query", "from")
	for _, p := range predicates {
		words = append(append(words, p.Name), p.Aliases...)
	}
	sort.Strings(words)
	return words
}
