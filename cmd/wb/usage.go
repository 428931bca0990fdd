package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"wb/internal/diag"
)

// wrongUsage says what is wrong with a command line that could not be parsed, with
// the line as it should be.
func wrongUsage(parser *kong.Kong, args []string, err error) error {
	wrong := &diag.CodedError{Err: err, Help: usageHint(parser, args), Code: diag.ExitUsage}
	parsed, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return wrong
	}
	if found := noNumber.FindStringSubmatch(err.Error()); found != nil {
		wrong.Err = fmt.Errorf("%s takes a positive number, not %s", found[1], found[2])
		return wrong
	}
	verb := parsed.Context.Selected()
	if verb == nil {
		if len(args) == 1 && isSentence(args[0]) {
			return diag.Usagef("to ask the default agent: wb run "+fmt.Sprintf("%q", args[0]), "%q is not a verb", args[0])
		}
		return wrong
	}
	wrong.Help = strings.Replace(verb.FullPath(), "wb ", "wb help ", 1)
	if !strings.HasPrefix(err.Error(), "expected ") {
		return wrong
	}
	if missing := missingName.FindStringSubmatch(err.Error()); missing != nil {
		wrong.Err = fmt.Errorf("%s: %s", absent(verb, missing[1]), commandShape(verb))
	} else if verbs := subverbs(verb); len(verbs) > 0 {
		wrong.Err = fmt.Errorf("say what to do: %s", commandShape(verb))
	}
	return wrong
}

var (
	noNumber    = regexp.MustCompile(`^(--[\w-]+): expected .*(?:int|float|int value|float value) but got ("[^"]*")`)
	missingName = regexp.MustCompile(`^expected "<([\w-]+)>`)
)

// absent says which argument of a verb is not there.
func absent(verb *kong.Node, name string) string {
	for _, arg := range verb.Positional {
		if arg.Name != name {
			continue
		}
		switch completes(arg) {
		case completeFiles:
			return "name a file"
		case completeDirectories:
			return "name a directory"
		}
	}
	return strings.ToUpper(name) + " is missing"
}

// commandShape is a verb with its arguments, wb key revoke KEY, or with the verbs
// below it, wb federate list|sync.
func commandShape(verb *kong.Node) string {
	if below := verb.Children; len(below) == 1 && len(verb.Positional) == 0 {
		return commandShape(below[0])
	}
	words := []string{verb.FullPath()}
	var names []string
	for _, c := range subverbs(verb) {
		names = append(names, c.word)
	}
	if len(names) > 0 {
		words = append(words, strings.Join(names, "|"))
	}
	for _, arg := range verb.Positional {
		words = append(words, strings.ToUpper(strings.NewReplacer("<", "", ">", "", " ...", "...").Replace(arg.Summary())))
	}
	return strings.Join(words, " ")
}
