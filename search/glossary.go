package search

import (
	"strings"

	"wb/internal/lazyregexp"
)

// maxSynonymWords is how long a phrase may be and still be a synonym, not a
// definition.
const maxSynonymWords = 3

var (
	alsoPattern  = lazyregexp.New(`(?i)\b(?:see also|also(?: called| known as)?|synonyms?|aka|same as)\b:?\s+([^.;\n]+)`)
	markupSigns  = strings.NewReplacer("*", "", "/", "", "=", "", "~", "")
	phraseBreaks = lazyregexp.New(`\s*[,;]\s*|\s+or\s+|\s+\|\s+`)
)

// synonyms reads one entry of a glossary, "- TERM, OTHER TERM :: text". The
// terms mean the same; so does what the text lists after "also" or "see also",
// and the whole text when it is nothing but short phrases.
func synonyms(tag, text string) []string {
	group := shortPhrases(tag)
	text = strings.TrimSpace(text)
	for _, m := range alsoPattern.FindAllStringSubmatch(text, -1) {
		group = append(group, shortPhrases(m[1])...)
	}
	if whole := strings.TrimSuffix(text, "."); !strings.ContainsAny(whole, ".\n") {
		parts := phraseBreaks.Split(whole, -1)
		if phrases := shortPhrases(whole); len(phrases) == len(parts) {
			group = append(group, phrases...)
		}
	}
	if len(group) < 2 {
		return nil
	}
	return group
}

// shortPhrases are the phrases of a list that are short enough to be names.
func shortPhrases(text string) (phrases []string) {
	for _, p := range phraseBreaks.Split(markupSigns.Replace(text), -1) {
		words := Words(p)
		if len(words) > 0 && len(words) <= maxSynonymWords {
			phrases = append(phrases, strings.Join(words, " "))
		}
	}
	return phrases
}
