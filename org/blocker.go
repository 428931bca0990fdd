package org

import "strings"

// Blockers are the words of a :BLOCKER: property: ids, such as a and b in "a b",
// "ids(a b)" and `ids("id:a" "b")`, and org-edna's words for relatives, such as
// previous-sibling.
func Blockers(value string) []string {
	value = strings.NewReplacer("ids(", " ", ")", " ").Replace(value)
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,", r) })
	for i, word := range words {
		words[i] = strings.TrimPrefix(strings.Trim(word, `"`), "id:")
	}
	return words
}
