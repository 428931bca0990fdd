package oql

import (
	"math/rand"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestOnlyWords: some regexps are looked for as the words that they stand for.
func TestOnlyWords(t *testing.T) {
	for pattern, want := range map[string][]string{
		"par[st]er":     {"parser", "parter"},
		"Grün":          nil,
		"foo|ba[rz]":    {"bar", "baz", "foo"},
		"(a|b)(c|d)":    {"ac", "ad", "bc", "bd"},
		"[k]ey":         {"key"},
		"v1\\.2":        {"v1.2"},
		"colou?r":       nil,
		"^TODO":         nil,
		"a.b":           nil,
		"[a-z]x":        nil,
		"[abc][abc]ab":  nil, // nine words
		"(?-i)Makefile": nil,
		"(?-i:[st])x":   nil,
		"":              nil,
	} {
		re, err := CompileRegexp(pattern)
		if err != nil {
			t.Fatal(err)
		}
		m := newMatcher(re)
		var got []string
		for _, f := range m.words {
			got = append(got, f.word)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q stands for %q, want %q", pattern, got, want)
		}
	}
}

// TestMatcherLikeRegexp: what is known of a regexp's matches never changes what
// it matches.
func TestMatcherLikeRegexp(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	pieces := []string{"a", "b", "[ab]", "(a|B)", "k", "[ks]", "s", "a?", "^", "$", ".", "b+", "(ab|k)", "1", "[1-3]", "\\b", "ſ", "[^a]"}
	letters := []string{"a", "A", "b", "B", "k", "K", "s", "S", "1", "2", "\n", " ", "\u212a", "\u017f", "ä"}
	word := func(from []string, n int) string {
		var b strings.Builder
		for range 1 + random.Intn(n) {
			b.WriteString(from[random.Intn(len(from))])
		}
		return b.String()
	}
	exact := 0
	for range 3000 {
		pattern := word(pieces, 4)
		re, err := CompileRegexp(pattern)
		if err != nil {
			continue
		}
		m := newMatcher(re)
		if m.words != nil {
			exact++
		}
		for range 10 {
			text := word(letters, 12)
			if got, want := m.in(text, strings.ContainsAny(text, oddFolds)), re.MatchString(text); got != want {
				tree, _ := syntax.Parse(re.String(), syntax.Perl)
				t.Fatalf("%q (%v) in %q: %v, want %v; words %v", pattern, tree.Simplify(), text, got, want, m.words)
			}
		}
	}
	if exact < 100 {
		t.Errorf("only %d patterns stood for words", exact)
	}
}
