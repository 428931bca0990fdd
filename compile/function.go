package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/sandbox"
)

// Callable is a function of a block that a component may call.
type Callable struct {
	Name   string
	Public bool
}

// Choose finds the function that a component calls, by its index: the one of the
// component's or the signature's name, as spell writes both, else the only
// public one, else the only one. Example is one to write where there is none, tip
// a way to tell which.
func (s *Source) Choose(list []Callable, spell func(name string) string, example, tip string) (int, error) {
	names := []string{s.Func}
	if s.Sig != nil {
		names = append(names, s.Sig.Name)
	}
	for _, name := range names {
		if i := slices.IndexFunc(list, func(c Callable) bool { return spell(c.Name) == spell(name) }); i >= 0 {
			return i, nil
		}
	}
	anyPublic := slices.ContainsFunc(list, func(c Callable) bool { return c.Public })
	found := -1
	var candidates []string
	for i, c := range list {
		if c.Public || !anyPublic {
			found = i
			candidates = append(candidates, c.Name)
		}
	}
	switch len(candidates) {
	case 1:
		return found, nil
	case 0:
		return 0, diag.Errorf(s.At(1, 1), "no function to call in this block").WithHint("write one, such as: " + example)
	}
	return 0, diag.Errorf(s.At(1, 1), "the block defines several functions; wb cannot choose between %s", strings.Join(candidates, ", ")).WithHint(tip)
}

// LooseName is a name without what tells score_items, scoreItems and ScoreItems
// apart.
func LooseName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// Misbuilt places an error of a compiler that is not about a line. A broken limit
// is the block's fault: compiling it takes more than any sane program needs.
func (s *Source) Misbuilt(err error) error {
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok {
		return diag.Errorf(s.At(1, 1), "compiling this block takes too much: %v", limit)
	}
	return fmt.Errorf("%s: %w", s.At(1, 1), err)
}
