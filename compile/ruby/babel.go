package ruby

import (
	"wb/compile"
	"wb/internal/value"
)

// readValue reads the block's result as Emacs would.
func (u *unit) readValue(a *answer) (value.Value, error) {
	switch {
	case u.Results.Has("discard"):
		return value.Nil(), nil
	case u.Results.AsText():
		return value.OfString(a.Text), nil
	case a.Raw != nil:
		v, err := value.ParseJSON(a.Raw)
		if err != nil {
			return value.Value{}, err
		}
		items := append([]value.Value(nil), v.Items()...)
		for i, item := range items {
			if item.IsNull() { // org-babel-ruby-nil-to
				items[i] = value.Rule()
			}
		}
		return value.OfList(items...), nil
	}
	return compile.ReadScalar(a.Text), nil
}
