package search

import (
	"fmt"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org/oql"
)

// Query is a parsed search.
type Query struct {
	Terms   []Term
	Exclude []Term
	// Where is an OQL condition in the plain form; "" passes every heading.
	Where string
	// Text is the query as a sentence, without filters and exclusions: what an
	// [Embedder] reads.
	Text string

	common []Term // all terms, when Terms leaves out words such as "how"
}

// Term is one word or phrase of a query.
type Term struct {
	Words    []string // lower case; several are a phrase
	Raw      string   // as written, for the parts of identifiers
	Prefix   bool     // the last word is the beginning of a word
	Exact    bool     // in quotes: no stem, no synonym, no other spelling
	Required bool     // a heading without it is not an answer
}

// QueryError is a query that cannot be read; Col counts bytes from 1.
type QueryError struct {
	Col     int
	Message string
	Tip     string
}

func (e *QueryError) Error() string { return fmt.Sprintf("search:1:%d: %s", e.Col, e.Message) }

// Hint says what to write instead.
func (e *QueryError) Hint() string { return e.Tip }

// ExitCode is that of a usage error.
func (e *QueryError) ExitCode() int { return diag.ExitUsage }

// ParseQuery reads a query:
//
//	word  "a phrase"  begin*  -word  -"a phrase"  +word  tags:work  todo:  dur_ms:>10
//
// What has the form of an OQL condition, a known predicate or a comparison
// after a colon, is one; everything else is searched.
func ParseQuery(text string) (*Query, error) {
	q := &Query{}
	var conditions, spoken []string
	for at := 0; at < len(text); {
		if strings.IndexByte(" \t\r\n", text[at]) >= 0 {
			at++
			continue
		}
		start := at
		sign := byte(0)
		if (text[at] == '-' || text[at] == '+' || text[at] == '!') && at+1 < len(text) && !strings.ContainsRune(" \t-", rune(text[at+1])) {
			sign = text[at]
			at++
		}
		if text[at] == '"' {
			end := strings.IndexByte(text[at+1:], '"')
			if end < 0 {
				return nil, &QueryError{start + 1, `phrase without a closing "`, `write "` + strings.TrimSpace(text[at+1:]) + `"`}
			}
			phrase := text[at+1 : at+1+end]
			at += end + 2
			prefix := at < len(text) && text[at] == '*'
			if prefix {
				at++
			}
			if words := Words(phrase); len(words) > 0 {
				q.add(sign, Term{Words: words, Raw: phrase, Prefix: prefix, Exact: true, Required: true})
				if sign != '-' && sign != '!' {
					spoken = append(spoken, phrase)
				}
			}
			continue
		}
		end := wordEnd(text, at)
		word := text[at:end]
		at = end
		if isCondition(word) {
			if sign == '-' || sign == '!' {
				word = "!" + word
			}
			conditions = append(conditions, word)
			continue
		}
		for _, t := range wordTerms(word) {
			q.add(sign, t)
		}
		if sign != '-' && sign != '!' {
			spoken = append(spoken, strings.TrimSuffix(word, "*"))
		}
	}
	q.Where, q.Text = strings.Join(conditions, " "), strings.Join(spoken, " ")
	q.dropStopWords()
	return q, nil
}

func (q *Query) add(sign byte, t Term) {
	if sign == '-' || sign == '!' {
		t.Exact = true
		q.Exclude = append(q.Exclude, t)
		return
	}
	t.Required = t.Required || sign == '+'
	q.Terms = append(q.Terms, t)
}

// wordEnd is the end of a word; blanks in quotes belong to it, as in
// heading:"two words".
func wordEnd(text string, at int) int {
	quoted := false
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			quoted = !quoted
		case ' ', '\t', '\r', '\n':
			if !quoted {
				return at
			}
		}
	}
	return at
}

var (
	conditionPattern  = lazyregexp.New(`^([A-Za-z][\w&*-]*):(.*)$`)
	comparisonPattern = lazyregexp.New(`^(?:[<>]=?|!=|=|~|!~)`)
)

// isCondition reports whether a word is an OQL condition and not something to
// search for, such as http://host or a::b.
func isCondition(word string) bool {
	m := conditionPattern.FindStringSubmatch(word)
	if m == nil || strings.HasPrefix(m[2], ":") || strings.HasPrefix(m[2], "//") {
		return false
	}
	known := slices.ContainsFunc(oql.Predicates(), func(p oql.Predicate) bool {
		return p.Name == m[1] || slices.Contains(p.Aliases, m[1])
	})
	return known || comparisonPattern.MatchString(m[2])
}

// wordTerms makes terms of a word that may hold several: foo.bar and dry-run
// are searched as one phrase and as their words.
func wordTerms(word string) []Term {
	prefix := strings.HasSuffix(word, "*")
	tokens := scan(word)
	terms := make([]Term, 0, len(tokens)+1)
	for i, t := range tokens {
		last := i == len(tokens)-1
		terms = append(terms, Term{Words: []string{t.word}, Raw: word[t.start:t.end], Prefix: prefix && last})
	}
	return terms
}

// dropStopWords removes words such as "how" and "the" unless nothing else is
// asked; they are searched after all when the others are found nowhere.
func (q *Query) dropStopWords() {
	meaning := func(t Term) bool {
		return t.Required || t.Prefix || len(t.Words) > 1 || !stopWords[t.Words[0]]
	}
	if slices.ContainsFunc(q.Terms, meaning) {
		q.common = slices.Clone(q.Terms)
		q.Terms = slices.DeleteFunc(q.Terms, func(t Term) bool { return !meaning(t) })
	}
}
