package babel

import (
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

// The Lisps bind variables around the body.

func expandEmacsLisp(body string, p *Params) (string, error) {
	if len(p.Vars) == 0 {
		return body + "\n", nil
	}
	bindings := make([]string, len(p.Vars))
	for i, v := range p.Vars {
		bindings[i] = fmt.Sprintf("(%s '%s)", elisp.Symbol(v.Name), elisp.Print(v.Value))
	}
	before, after := "", ""
	if text, ok := p.prologue(); ok {
		before = text + "\n      "
	}
	if text, ok := p.epilogue(); ok {
		after = "\n      " + text + "\n"
	}
	return fmt.Sprintf("(let (%s)\n%s%s%s\n)", strings.Join(bindings, "\n      "), before, body, after), nil
}

func expandLisp(body string, p *Params) (string, error) {
	if len(p.Vars) == 0 {
		body = trim(body)
	} else {
		bindings := make([]string, len(p.Vars))
		for i, v := range p.Vars {
			bindings[i] = fmt.Sprintf("(%s (cl:quote %s))", elisp.Symbol(v.Name), elisp.Print(v.Value))
		}
		body = "(cl:let (" + strings.Join(bindings, "\n      ") + ")\n" + around(body, p) + ")"
	}
	if p.wantsResult("code") || p.wantsResult("pp") {
		return fmt.Sprintf("(cl:pprint %s)", body), nil
	}
	return body, nil
}

func expandScheme(body string, p *Params) (string, error) {
	var b strings.Builder
	if text, ok := p.prologue(); ok {
		b.WriteString(text + "\n")
	}
	for _, v := range p.Vars {
		fmt.Fprintf(&b, "(define %s '%s)\n", elisp.Symbol(v.Name), elisp.Print(v.Value))
	}
	b.WriteString(body)
	if text, ok := p.epilogue(); ok {
		b.WriteString("\n" + text)
	}
	return b.String(), nil
}

// clojureComment is a comment line; a let form cannot hold one safely.
var clojureComment = lazyregexp.New(`(?m)^ *;+.*$`)

func expandClojure(body string, p *Params) (string, error) {
	text := trim(body)
	if len(p.Vars) > 0 {
		bindings := make([]string, len(p.Vars))
		for i, v := range p.Vars {
			bindings[i] = fmt.Sprintf("%s '%s", elisp.Symbol(v.Name), elisp.Print(v.Value))
		}
		text = fmt.Sprintf("(let [%s]\n%s)", strings.Join(bindings, "\n      "), clojureComment.ReplaceAllString(body, ""))
	}
	if ns, ok := p.text(":ns"); ok {
		text = fmt.Sprintf("(ns %s)\n%s", ns, text)
	}
	text = trim(text)
	if p.wantsResult("output") {
		return text, nil
	}
	show := "(prn "
	if p.wantsResult("code") || p.wantsResult("pp") {
		show = "(require '[clojure.pprint :refer [pprint]]) (pprint "
	}
	return show + "(binding [*out* (java.io.StringWriter.)]" + text + "))", nil
}

// trim removes white space at both ends.
func trim(s string) string { return strings.Trim(s, " \t\n\r") }
