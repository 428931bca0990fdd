package app

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/workbook"
)

// Given is a value that somebody gives: words of a command line, which are JSON,
// else text, or @FILE; or a value of a JSON object as it is.
type Given struct {
	text string
	set  *value.Value
}

// Text is the text given on a command line, "" for nothing and for a value of JSON.
func (g Given) Text() string { return g.text }

// UnmarshalText keeps the words of a command line.
func (g *Given) UnmarshalText(text []byte) error {
	*g = Given{text: string(text)}
	return nil
}

// UnmarshalJSON keeps a value as it is.
func (g *Given) UnmarshalJSON(data []byte) error {
	v, err := value.ParseJSON(data)
	*g = Given{set: &v}
	return err
}

// MarshalJSON writes what was given.
func (g Given) MarshalJSON() ([]byte, error) {
	if g.set != nil {
		return g.set.AppendJSON(nil), nil
	}
	return json.Marshal(g.text)
}

// Value reads what was given; files are those of the home.
func (g Given) Value(h *Home) (value.Value, error) {
	if g.set != nil {
		return *g.set, nil
	}
	name, isFile := strings.CutPrefix(g.text, "@")
	if !isFile {
		if v, err := value.ParseJSON([]byte(g.text)); err == nil {
			return v, nil
		}
		return value.OfString(g.text), nil
	}
	data, err := h.text(name)
	if err != nil {
		return value.Nil(), err
	}
	v, err := value.ParseJSON(data)
	switch {
	case err == nil:
		return v, nil
	case strings.HasSuffix(name, ".json"):
		return value.Nil(), fmt.Errorf("%s: %w", name, err)
	}
	return value.OfString(string(data)), nil
}

// Values reads inputs by their names.
func (h *Home) Values(given map[string]Given) (map[string]value.Value, error) {
	set := map[string]value.Value{}
	for name, g := range given {
		v, err := g.Value(h)
		if err != nil {
			return nil, diag.Usagef(diag.HintOf(err), "--set %s: %w", name, err)
		}
		set[name] = v
	}
	return set, nil
}

// input reads the input of a workflow; - is standard input.
func (h *Home) input(g Given) (*value.Value, error) {
	switch {
	case g.set == nil && g.text == "":
		return nil, nil
	case g.text == "-" && h.Stdin != nil:
		data, err := io.ReadAll(h.Stdin)
		v := value.OfString(string(data))
		return &v, err
	}
	v, err := g.Value(h)
	if err != nil {
		return nil, fmt.Errorf("--input: %w", err)
	}
	return &v, nil
}

// ParseLimits reads the limits of a flag.
func ParseLimits(text string) (sandbox.Limits, error) {
	l, err := workbook.ParseLimits(text)
	if err != nil {
		return l, diag.Usagef("--limits timeout=60s,memory=512MiB,fuel=1e11", "--limits %w", err)
	}
	return l, nil
}

// ParseBytes reads a size in bytes: 512MiB, or a number.
func ParseBytes(text string) (int64, error) {
	for unit, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseInt(number, 10, 64)
			return n * size, err
		}
	}
	return strconv.ParseInt(text, 10, 64)
}
