package python

import (
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// function is one that a module defines.
type function struct {
	Name   string   `json:"name"`
	Line   int      `json:"line"`
	Params []string `json:"params"`
	Needs  int      `json:"needs"` // arguments without a default
	Takes  int      `json:"takes"` // arguments at most
	Open   bool     `json:"open"`  // takes any number
}

// choose finds the function a component calls: the one it names, the only one,
// or main.
func (p *program) choose(src *compile.Source, a *answer) error {
	public := slices.DeleteFunc(slices.Clone(a.Functions), func(f function) bool { return strings.HasPrefix(f.Name, "_") })
	if p.Func == "" {
		switch {
		case len(public) == 1:
			p.Func = public[0].Name
		case named(public, "main") != nil:
			p.Func = "main"
		case len(public) == 0:
			return diag.Errorf(src.At(1, 1), "the block defines no function to call").WithHint("write def " + "main" + "(" + strings.Join(src.Params, ", ") + "): …")
		default:
			return diag.Errorf(src.At(1, 1), "the block defines several functions: %s", strings.Join(names(public), ", ")).
				WithHint("name one main, begin the names of helpers with an underscore, or name the component after its function")
		}
	}
	f := named(a.Functions, p.Func)
	switch {
	case f == nil && !slices.Contains(a.Names, p.Func) && !slices.Contains(a.Names, "*"):
		e := diag.Errorf(src.At(1, 1), "the block defines no function %s", p.Func)
		if len(public) > 0 {
			return e.WithHint("it defines " + strings.Join(names(public), ", "))
		}
		return e.WithHint("write def " + p.Func + "(" + strings.Join(src.Params, ", ") + "): …")
	case f == nil || f.Open || len(src.Params) == 0 && f.Needs <= 1:
		return nil
	case len(src.Params) < f.Needs || len(src.Params) > f.Takes:
		return diag.Errorf(src.At(f.Line, 1), "%s takes %s, but the component has %s", f.Name, count(f.Takes, "argument"), count(len(src.Params), "input")).
			WithHint("its arguments are the component's inputs, by name or in order: " + strings.Join(src.Params, ", "))
	}
	return nil
}

func named(list []function, name string) *function {
	if i := slices.IndexFunc(list, func(f function) bool { return f.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

func names(list []function) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.Name
	}
	return all
}

// count is n of something, in words a message can use.
func count(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
