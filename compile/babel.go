package compile

import (
	"wb/internal/diag"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// Babel is the block's variables and header arguments as the expansions of
// package babel take them, with values exactly as they are.
func (s *Source) Babel() *babel.Params {
	p := &babel.Params{Args: make(map[string]elisp.Value, len(s.Args)), Results: s.Results, Exact: true}
	for name := range s.Args {
		text, _ := s.Arg(name)
		p.Args[":"+name] = babel.Arg(text)
	}
	for _, v := range s.Vars {
		p.Vars = append(p.Vars, v.Babel())
	}
	return p
}

// Babel is the variable as the expansions take it.
func (v Var) Babel() babel.Var {
	one := babel.Var{Name: v.Name, Value: babel.Of(v.Value)}
	if v.ColNames != nil {
		names := make([]elisp.Value, len(v.ColNames))
		for i, name := range v.ColNames {
			names[i] = elisp.String(name)
		}
		one.ColNames = elisp.List(names...)
	}
	return one
}

// Surround is the text before and after the body in babel shape, for the
// languages whose variables are statements; nothing in other shapes.
func (s *Source) Surround(language string) (before, after string, err error) {
	if s.Shape != ShapeBabel {
		return "", "", nil
	}
	before, after, err = babel.Surround(language, s.Babel())
	return before, after, s.BabelError(err)
}

// BabelError puts what an expansion refuses at the block.
func (s *Source) BabelError(err error) error {
	if err == nil {
		return nil
	}
	return diag.Errorf(s.At(1, 1), "%v", err)
}
