package app

import (
	"os"

	"wb/org/preset"
)

// presets are the settings of org files that the files do not make: the user's, or
// in a bounded home those of its directories alone.
func (h *Home) presets() (*preset.Finder, error) {
	if h.Root != nil {
		return preset.Within(h.Dir), nil
	}
	f, err := preset.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	for _, note := range f.Notes {
		h.notef("%s", note)
	}
	return f, nil
}
