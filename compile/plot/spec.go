package plot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wb/internal/nearest"
)

// Kind is a way of drawing.
type Kind string

// The kinds of charts.
const (
	Line      Kind = "line"
	Area      Kind = "area"
	Bar       Kind = "bar"
	Scatter   Kind = "scatter"
	Histogram Kind = "histogram"
)

var kinds = []string{string(Line), string(Area), string(Bar), string(Scatter), string(Histogram)}

// Spec is a block's description of a chart. The zero value draws a line chart of every
// numeric column.
type Spec struct {
	Kind           Kind
	Title          string
	X              string   // column; "" chooses
	Y              []string // columns; none takes all numeric ones
	Group          string   // column whose values part the rows into series
	XLabel, YLabel string   // "" takes the column's name
	Width, Height  int      // pixels
	Bins           int      // of a histogram; 0 chooses
	Stacked        bool     // bars and areas
	Horizontal     bool     // bars
	LogX, LogY     bool
	Min, Max       *float64 // of the value axis
	Legend         bool
}

// SpecError is a mistake in a description; Line and Col count from 1.
type SpecError struct {
	Line, Col     int
	Message, Hint string
}

func (e *SpecError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message) }

// Sizes a picture may have, in pixels.
const (
	minSize       = 80
	maxSize       = 4000
	defaultWidth  = 640
	defaultHeight = 400
)

// ParseSpec reads a description: lines "key: value", blank lines and comments
// behind "#".
func ParseSpec(text string) (Spec, error) {
	s := Spec{Kind: Line, Width: defaultWidth, Height: defaultHeight, Legend: true}
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		col := 1 + strings.Index(line, trimmed)
		key, val, ok := strings.Cut(trimmed, ":")
		if !ok {
			return s, &SpecError{i + 1, col, fmt.Sprintf("%q is not a line of the form key: value", trimmed), "for example: type: bar"}
		}
		key, val = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(val)
		set, known := keys[key]
		if !known {
			return s, &SpecError{i + 1, col, fmt.Sprintf("unknown key %q", key), didYouMean(key, keyNames())}
		}
		if seen[key] {
			return s, &SpecError{i + 1, col, fmt.Sprintf("%s is given twice", key), ""}
		}
		seen[key] = true
		if err := set(&s, val); err != nil {
			at := col + strings.Index(trimmed, ":") + 1
			at += len(line[at-1:]) - len(strings.TrimLeft(line[at-1:], " \t"))
			err.Line, err.Col = i+1, at
			return s, err
		}
	}
	return s, nil
}

// keys are the keys of a description.
var keys = map[string]func(*Spec, string) *SpecError{
	"type": func(s *Spec, v string) *SpecError {
		if !slices.Contains(kinds, v) {
			return &SpecError{Message: fmt.Sprintf("unknown type %q", v), Hint: didYouMean(v, kinds)}
		}
		s.Kind = Kind(v)
		return nil
	},
	"title":  func(s *Spec, v string) *SpecError { s.Title = v; return nil },
	"x":      func(s *Spec, v string) *SpecError { s.X = v; return nil },
	"group":  func(s *Spec, v string) *SpecError { s.Group = v; return nil },
	"xlabel": func(s *Spec, v string) *SpecError { s.XLabel = v; return nil },
	"ylabel": func(s *Spec, v string) *SpecError { s.YLabel = v; return nil },
	"y": func(s *Spec, v string) *SpecError {
		for _, name := range strings.Split(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				s.Y = append(s.Y, name)
			}
		}
		return nil
	},
	"width":      func(s *Spec, v string) *SpecError { return whole(&s.Width, v, minSize, maxSize) },
	"height":     func(s *Spec, v string) *SpecError { return whole(&s.Height, v, minSize, maxSize) },
	"bins":       func(s *Spec, v string) *SpecError { return whole(&s.Bins, v, 1, 1000) },
	"stacked":    func(s *Spec, v string) *SpecError { return yesNo(&s.Stacked, v) },
	"horizontal": func(s *Spec, v string) *SpecError { return yesNo(&s.Horizontal, v) },
	"legend":     func(s *Spec, v string) *SpecError { return yesNo(&s.Legend, v) },
	"min":        func(s *Spec, v string) *SpecError { return number(&s.Min, v) },
	"max":        func(s *Spec, v string) *SpecError { return number(&s.Max, v) },
	"log": func(s *Spec, v string) *SpecError {
		for _, axis := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }) {
			switch axis {
			case "x":
				s.LogX = true
			case "y":
				s.LogY = true
			default:
				return &SpecError{Message: fmt.Sprintf("unknown axis %q", axis), Hint: "log: x, log: y or log: x, y"}
			}
		}
		return nil
	},
}

func keyNames() []string {
	var names []string
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func didYouMean(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known: " + strings.Join(known, ", ")
}

func whole(to *int, text string, least, most int) *SpecError {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "px"))
	if err != nil || n < least || n > most {
		return &SpecError{Message: fmt.Sprintf("%q is not a whole number from %d to %d", text, least, most)}
	}
	*to = n
	return nil
}

func number(to **float64, text string) *SpecError {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !finite(n) {
		return &SpecError{Message: fmt.Sprintf("%q is not a number", text)}
	}
	*to = &n
	return nil
}

func yesNo(to *bool, text string) *SpecError {
	switch text {
	case "yes", "true", "on", "t", "":
		*to = true
	case "no", "false", "off", "nil":
		*to = false
	default:
		return &SpecError{Message: fmt.Sprintf("%q is neither yes nor no", text)}
	}
	return nil
}
