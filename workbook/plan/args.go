package plan

import (
	"fmt"
	"slices"
	"strings"

	"wb/org"
	"wb/tangle/elisp"
)

// blockDefaults and inlineDefaults are the header arguments org-babel assumes
// for a block that says nothing, and for code in running text.
var (
	BlockDefaults = []org.Arg{
		{Key: ":session", Value: "none"}, {Key: ":results", Value: "replace"}, {Key: ":exports", Value: "code"},
		{Key: ":cache", Value: "no"}, {Key: ":noweb", Value: "no"}, {Key: ":hlines", Value: "no"}, {Key: ":tangle", Value: "no"},
	}
	inlineDefaults = []org.Arg{
		{Key: ":session", Value: "none"}, {Key: ":results", Value: "replace"}, {Key: ":exports", Value: "results"}, {Key: ":hlines", Value: "yes"},
	}
)

// languageDefaults are org-babel's additional defaults for blocks of some
// languages.
var languageDefaults = map[string][]org.Arg{
	"elisp":      {{Key: ":lexical", Value: "no"}},
	"emacs-lisp": {{Key: ":lexical", Value: "no"}},
	"dot":        {{Key: ":results", Value: "file"}, {Key: ":exports", Value: "results"}},
	"org":        {{Key: ":results", Value: "raw silent"}, {Key: ":exports", Value: "code"}},
	"plot":       {{Key: ":results", Value: "file"}, {Key: ":exports", Value: "results"}},
}

// DefaultsFor are the header arguments assumed for a block of a language.
func DefaultsFor(lang string) []org.Arg {
	return append(slices.Clone(BlockDefaults), languageDefaults[lang]...)
}

// defaultsForCall are those of the block that a call names.
func (b *builder) defaultsForCall(target string) []org.Arg {
	named, _ := b.doc.BlockNamed(target)
	return DefaultsFor(named.Lang.Text)
}

// ArgText is a header argument's value as a program sees it: without the
// quotes of a Lisp string.
func ArgText(args org.Args, key string) (string, bool) {
	a, ok := args.Get(key)
	if !ok {
		return "", false
	}
	return UnquoteArg(a.Value), true
}

// IsSet reports whether a header argument says anything but no, nil or none.
func IsSet(args org.Args, key string) bool {
	switch args.Value(key) {
	case "", "no", "nil", "none":
		return false
	}
	return true
}

// ByName groups what the author wrote (not defaults) by name without colon.
func ByName(args org.Args) map[string][]string {
	named := map[string][]string{}
	for _, a := range args {
		if a.Origin != org.FromDefault {
			name := strings.TrimPrefix(a.Key, ":")
			named[name] = append(named[name], a.Value)
		}
	}
	return named
}

// ArgValue is a header argument's value as text, and whether it is there. Numbers,
// strings in quotes and Lisp forms are evaluated, as org-babel does.
func ArgValue(args org.Args, key string) (string, bool, error) {
	arg, ok := args.Get(key)
	if !ok {
		return "", false, nil
	}
	v, err := elisp.ReadCell(arg.Value, &elisp.Env{})
	if err != nil {
		return "", true, fmt.Errorf("%s %s: %w", key, arg.Value, err)
	}
	if elisp.IsNil(v) {
		return "", true, nil
	}
	return elisp.Princ(v), true, nil
}
