package preset

import (
	"fmt"
	"slices"
	"strings"
)

// wanted are the variables of Emacs that mean something to wb.
var wanted = []string{"org-todo-keywords", "org-agenda-files", "org-directory", "org-tags-exclude-from-inheritance",
	"org-use-tag-inheritance", "org-priority-highest", "org-priority-lowest", "org-priority-default",
	"org-highest-priority", "org-lowest-priority", "org-default-priority", "org-deadline-warning-days"}

// variables collects what forms set. A variable that is set to something that
// would have to be computed is told in notes.
type variables struct {
	set   map[string]form
	notes []string
}

// read takes in the forms of an init file, those that others hold included.
func (v *variables) read(forms []form) {
	for _, f := range forms {
		v.form(f)
	}
}

func (v *variables) form(f form) {
	if f.kind != list || len(f.kids) == 0 {
		return
	}
	args := f.kids[1:]
	switch f.head() {
	case "setq", "setq-default", "setopt":
		for i := 0; i+1 < len(args); i += 2 {
			v.assign(args[i].text, args[i+1])
		}
	case "customize-set-variable", "set", "set-default":
		if len(args) >= 2 && args[0].kind == quote {
			v.assign(args[0].kids[0].text, args[1])
		}
	case "custom-set-variables":
		for _, a := range args {
			if a.kind == quote && a.kids[0].kind == list && len(a.kids[0].kids) >= 2 {
				v.assign(a.kids[0].kids[0].text, a.kids[0].kids[1])
			}
		}
	case "add-to-list":
		if len(args) >= 2 && args[0].kind == quote {
			v.add(args[0].kids[0].text, args[1])
		}
	case "progn", "with-eval-after-load", "after!", "eval-when-compile", "eval-and-compile", "use-package!":
		v.read(args)
	case "eval-after-load":
		for _, a := range args {
			if a.kind == quote {
				v.form(a.kids[0])
			}
		}
	case "use-package", "leaf":
		v.usePackage(args)
	}
}

// usePackage reads (use-package org :custom (VAR VALUE) :config FORMS).
func (v *variables) usePackage(args []form) {
	section := ""
	for _, a := range args {
		switch {
		case a.kind == symbol && strings.HasPrefix(a.text, ":"):
			section = a.text
		case section == ":custom" && a.kind == list && len(a.kids) > 0:
			pairs := []form{a}
			if a.kids[0].kind == list { // all pairs in one list
				pairs = a.kids
			}
			for _, pair := range pairs {
				if len(pair.kids) >= 2 {
					v.assign(pair.kids[0].text, pair.kids[1])
				}
			}
		case section == ":config" || section == ":init" || section == ":preface":
			v.form(a)
		}
	}
}

func (v *variables) assign(name string, value form) {
	if !slices.Contains(wanted, name) {
		return
	}
	data, ok := constant(value)
	if !ok {
		v.notes = append(v.notes, fmt.Sprintf("%s is computed, and wb does not evaluate Lisp", name))
		return
	}
	v.set[name] = data
}

func (v *variables) add(name string, value form) {
	if !slices.Contains(wanted, name) {
		return
	}
	data, ok := constant(value)
	if !ok {
		v.notes = append(v.notes, fmt.Sprintf("what is added to %s is computed, and wb does not evaluate Lisp", name))
		return
	}
	old := v.set[name]
	v.set[name] = form{kind: list, kids: append([]form{data}, old.kids...)}
}

// constant is the value of a form that needs no evaluation: a quoted one, a text, a
// number, t, nil, or a (list …) of such.
func constant(f form) (form, bool) {
	switch f.kind {
	case quote:
		return f.kids[0], !hasComputed(f.kids[0])
	case str, num:
		return f, true
	case symbol:
		if f.is("nil") {
			return form{kind: list}, true
		}
		return f, f.is("t")
	case list:
		if f.head() == "quote" && len(f.kids) == 2 {
			return f.kids[1], !hasComputed(f.kids[1])
		}
		if f.head() != "list" {
			return f, false
		}
		out := form{kind: list}
		for _, a := range f.kids[1:] {
			data, ok := constant(a)
			if !ok {
				return f, false
			}
			out.kids = append(out.kids, data)
		}
		return out, true
	}
	return f, false
}

func hasComputed(f form) bool {
	return f.kind == computed || f.tail != nil && hasComputed(*f.tail) || slices.ContainsFunc(f.kids, hasComputed)
}

// dirLocals takes in what .dir-locals.el sets for org files at a path below its
// directory. Values stand there as they are.
func (v *variables) dirLocals(f form, below string) {
	for _, class := range f.kids {
		if class.kind != list || len(class.kids) == 0 {
			continue
		}
		switch name := class.kids[0]; {
		case name.kind == str && strings.HasPrefix(below, strings.TrimSuffix(name.text, "/")+"/"):
			v.dirLocals(form{kind: list, kids: class.kids[1:]}, strings.TrimPrefix(below, strings.TrimSuffix(name.text, "/")+"/"))
		case name.is("org-mode"), name.is("nil"), name.is("text-mode"), name.is("outline-mode"):
			for _, pair := range class.kids[1:] {
				v.pair(pair)
			}
		}
	}
}

// pair reads (VAR . VALUE), which (VAR X Y) is where VALUE is a list.
func (v *variables) pair(f form) {
	if f.kind != list || len(f.kids) == 0 || !slices.Contains(wanted, f.kids[0].text) {
		return
	}
	value := form{kind: list, kids: f.kids[1:]}
	if f.tail != nil && len(f.kids) == 1 {
		value = *f.tail
	}
	if value.is("nil") {
		value = form{kind: list}
	}
	v.set[f.kids[0].text] = value
}
