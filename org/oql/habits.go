package oql

import (
	"slices"
	"strings"
)

// What people bring from other languages, and OQL would otherwise take for
// words to search for: an answer that is silently empty teaches nothing. All
// of it can still be searched for, in quotes.

// habit is the error for the i-th word of a condition in the plain form, if
// that word is an operator of another language.
func habit(words []word, i int) error {
	w := words[i]
	if !w.bare() {
		return nil
	}
	switch lower := strings.ToLower(w.text); {
	case i == 0 && lower == "select" && slices.ContainsFunc(words, func(w word) bool { return strings.EqualFold(w.text, "from") }):
		return errorf(w.pos, "write from:blocks lang:python | select name, body", "%s is SQL: conditions come first, columns behind |", w.text)
	case strings.HasPrefix(w.text, ".[") || w.text == ".":
		return errorf(w.pos, "write conditions, then | title, state", "rows need no %s", w.text)
	case isOperator(w.text):
		return errorf(w.pos, "write a comparison in one word: "+example(words, i), "%s stands alone", w.text)
	case lower == "and" || lower == "or" || lower == "not" || lower == "&&":
		if w.text != lower || lower == "&&" || i > 0 && isCondition(words[i-1]) || i+1 < len(words) && isCondition(words[i+1]) {
			return errorf(w.pos, connectiveTip[lower], "%s is not an operator of the plain form, where all conditions must hold", w.text)
		}
	case strings.HasPrefix(w.text, "-") && len(w.text) > 1 && isLetter(rune(w.text[1])):
		return errorf(w.pos, "write !"+w.text[1:]+`, or "`+w.text+`" to search for it`, "%s would be searched for with its dash", w.text)
	}
	if field, op, value := cutComparison(w); op != "" {
		if op == "=" || op == "==" {
			op = ""
		}
		return errorf(w.pos, "write "+field+":"+op+value+`, or "`+w.text+`" to search for it`, "a comparison needs a colon: %s", w.text)
	}
	return nil
}

var connectiveTip = map[string]string{
	"and": "leave it out",
	"&&":  "leave it out",
	"or":  `write (or (todo "NEXT") (done)); values are separated by commas: todo:NEXT,WAITING`,
	"not": "write !todo:",
}

var operators = []string{"==", "!=", "<=", ">=", "!~", "=~", "=", "<", ">", "~"}

func isOperator(s string) bool { return slices.Contains(operators, s) }

// isCondition reports whether a word is more than a text to search for.
func isCondition(w word) bool {
	return w.bare() && w.index(":!(", 0) >= 0
}

// example is the probable meaning of a lone operator and its neighbours.
func example(words []word, i int) string {
	field, value := "level", "1"
	if i > 0 {
		field = words[i-1].text
	}
	if i+1 < len(words) {
		value = words[i+1].text
	}
	op := words[i].text
	switch op {
	case "=", "==":
		op = ""
	case "=~":
		op = "~"
	}
	return field + ":" + op + value
}

// cutComparison splits owner=ada and level>=2, which lack the colon.
func cutComparison(w word) (field, op, value string) {
	at := strings.IndexAny(w.text, "=<>!~")
	if at <= 0 || strings.Contains(w.text, ":") {
		return "", "", ""
	}
	if field = w.text[:at]; !isFieldName(field) || strings.IndexFunc(field, isLetter) != 0 || !isLetterOrDigit(field[at-1]) {
		return "", "", ""
	}
	for _, op := range operators {
		if value, ok := strings.CutPrefix(w.text[at:], op); ok && value != "" && !strings.ContainsAny(value, "=<>!~") {
			return field, op, value
		}
	}
	return "", "", ""
}

func isLetterOrDigit(c byte) bool { return isLetter(rune(c)) || c >= '0' && c <= '9' }

// otherNames are the stages' names in other languages.
var otherNames = map[string]string{
	"order": "sort by FIELD", "order_by": "sort FIELD", "sort_by": "sort FIELD", "orderby": "sort FIELD",
	"head": "limit 10", "take": "limit 10", "top": "limit 10", "skip": "offset 10",
	"filter": "where CONDITION", "having": "where CONDITION", "grep": "where WORD",
	"group_by": "group FIELD", "groupby": "group FIELD", "uniq": "group FIELD", "unique": "group FIELD", "distinct": "group FIELD",
	"length": "count", "project": "select FIELD", "fields": "select FIELD", "map": "select FIELD",
}

// noStage is the error for what is neither a stage nor a list of columns.
func noStage(group []word) error {
	first := group[0]
	lower := strings.ToLower(first.text)
	if lower == "count" && len(group) > 1 && strings.EqualFold(group[1].text, "distinct") {
		return errorf(first.pos, "write count-distinct "+group[len(group)-1].text, "count takes one field")
	}
	if slices.Contains(aggregates, lower) && len(group) > 1 {
		return errorf(first.pos, "separate columns by commas: count, "+lower+" FIELD", "%s takes one field", lower)
	}
	if name, ok := strings.CutPrefix(first.text, "."); ok && name != "" && isFieldName(name) {
		return errorf(first.pos, "write "+name, "columns are named without a dot")
	}
	if other, ok := otherNames[lower]; ok {
		return errorf(first.pos, "write | "+other, "%s is not a stage: use one of %s, or columns", first.text, strings.Join(stages, " "))
	}
	known := append(slices.Clone(stages), aggregates...)
	return errorf(first.pos, suggest(first.text, known), "%s is not a stage: use one of %s, or columns", first.text, strings.Join(stages, " "))
}
