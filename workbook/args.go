package workbook

import (
	"slices"
	"strings"

	"wb/org"
)

// blockDefaults and inlineDefaults are the header arguments org-babel assumes
// for a block that says nothing, and for code in running text.
var (
	blockDefaults = []org.Arg{
		{Key: ":session", Value: "none"}, {Key: ":results", Value: "replace"}, {Key: ":exports", Value: "code"},
		{Key: ":cache", Value: "no"}, {Key: ":noweb", Value: "no"}, {Key: ":hlines", Value: "no"}, {Key: ":tangle", Value: "no"},
	}
	inlineDefaults = []org.Arg{
		{Key: ":session", Value: "none"}, {Key: ":results", Value: "replace"}, {Key: ":exports", Value: "results"}, {Key: ":hlines", Value: "yes"},
	}
)

// languageDefaults are what org-babel assumes besides for blocks of some
// languages: those whose program is a picture.
var languageDefaults = map[string][]org.Arg{
	"dot":  {{Key: ":results", Value: "file"}, {Key: ":exports", Value: "results"}},
	"plot": {{Key: ":results", Value: "file"}, {Key: ":exports", Value: "results"}},
}

// defaultsFor are the header arguments assumed for a block of a language.
func defaultsFor(lang string) []org.Arg {
	return append(slices.Clone(blockDefaults), languageDefaults[lang]...)
}

// defaultsForCall are those of the block that a call names.
func (b *builder) defaultsForCall(target string) []org.Arg {
	named, _ := b.doc.BlockNamed(target)
	return defaultsFor(named.Lang.Text)
}

// Words are the words of a header argument such as :results.
type Words []string

// Has reports whether word was said.
func (w Words) Has(word string) bool { return slices.Contains(w, word) }

// and adds words that were not said yet. A call keeps the words of the block it
// runs beside its own, even those that its own should replace: the first of a
// kind decides some things and any other the rest, as in Emacs.
func (w Words) and(more Words) Words {
	all := slices.Clone(w)
	for _, word := range more {
		if !all.Has(word) {
			all = append(all, word)
		}
	}
	return all
}

// resultWords are the words of :results, lower case as lanes expect them.
func resultWords(args org.Args) Words {
	return strings.Fields(strings.ToLower(args.Value(":results")))
}

// argText is a header argument's value as a program sees it: without the
// quotes of a Lisp string.
func argText(args org.Args, key string) (string, bool) {
	a, ok := args.Get(key)
	if !ok {
		return "", false
	}
	return unquoteArg(a.Value), true
}

// isSet reports whether a header argument says anything but no, nil or none.
func isSet(args org.Args, key string) bool {
	switch args.Value(key) {
	case "", "no", "nil", "none":
		return false
	}
	return true
}

// byName groups what the author wrote (not defaults) by name without colon.
func byName(args org.Args) map[string][]string {
	named := map[string][]string{}
	for _, a := range args {
		if a.Origin != org.FromDefault {
			name := strings.TrimPrefix(a.Key, ":")
			named[name] = append(named[name], a.Value)
		}
	}
	return named
}
