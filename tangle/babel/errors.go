package babel

import (
	"fmt"
	"strings"

	"wb/tangle/elisp"
)

// VarError says that a variable cannot be written in a language.
type VarError struct {
	Var, Reason string
}

func (e *VarError) Error() string {
	return fmt.Sprintf("variable %s: %s", e.Var, e.Reason)
}

func cannot(v Var, format string, args ...any) error {
	return &VarError{v.Name, fmt.Sprintf(format, args...)}
}

// elements lists a value that must be a proper list.
func elements(v Var, list elisp.Value) ([]elisp.Value, error) {
	if vector, ok := list.(elisp.Vector); ok {
		return vector, nil
	}
	items, proper := elisp.Items(list)
	if !proper {
		return nil, cannot(v, "%s is not a proper list", elisp.Print(list))
	}
	return items, nil
}

// joined converts every element of a list and joins the results.
func joined(v Var, list elisp.Value, separator string, convert func(elisp.Value) (string, error)) (string, error) {
	items, err := elements(v, list)
	if err != nil {
		return "", err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = convert(item); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, separator), nil
}
