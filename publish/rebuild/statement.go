package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/publish/page"
	"wb/workbook"
)

// statement is a manifest's claim about one component, as far as running it again
// can tell whether it is true.
type statement struct {
	component, source string // the component, in which document
	code              string // sha256 of its source
	inputs            map[string]string
	result            string
	toolchain         string
	profile           string
	fuel              int64
}

// statements are those about components among the assertions of a manifest.
func statements(said []manifest.Assertion) []statement {
	var out []statement
	for _, a := range said {
		if a.Label != page.StatementLabel {
			continue
		}
		p, _ := a.Data["predicate"].(map[string]any)
		s := statement{source: word(p, "workbook"), code: word(p, "source_sha256"), result: word(p, "output_sha256"), toolchain: word(p, "toolchain"),
			profile: word(p, "profile"), inputs: map[string]string{}}
		if subjects, _ := a.Data["subject"].([]any); len(subjects) == 1 {
			subject, _ := subjects[0].(map[string]any)
			s.component = word(subject, "name")
		}
		inputs, _ := p["inputs_sha256"].(map[string]any)
		for name := range inputs {
			s.inputs[name] = word(inputs, name)
		}
		fuel, _ := p["fuel"].(float64)
		s.fuel = int64(fuel)
		out = append(out, s)
	}
	return out
}

func word(of map[string]any, name string) string {
	text, _ := of[name].(string)
	return text
}

// statedSources are the documents that statements are about, each once.
func statedSources(said []manifest.Assertion) []string {
	var out []string
	for _, s := range statements(said) {
		if !slices.Contains(out, s.source) {
			out = append(out, s.source)
		}
	}
	return out
}

// compare compares what is said of a document's components with what happened
// when they ran here. It gives how many statements it found true, and what it
// could not compare.
func compare(ctx context.Context, book workbook.Book, source string, said []manifest.Assertion) (n int, notes []string, err error) {
	var about []statement
	for _, s := range statements(said) {
		if s.source == source {
			about = append(about, s)
		}
	}
	if len(about) == 0 {
		return 0, nil, nil
	}
	facts, err := page.Facts(ctx, book)
	if err != nil {
		return 0, nil, err
	}
	for _, s := range about {
		f, ok := facts[s.component]
		if !ok {
			return 0, nil, &fault.Error{Code: fault.StatementSubject, Path: source, Text: "there is no component " + s.component + ", although the page has a record of it"}
		}
		if err := s.check(f, source); err != nil {
			return 0, nil, err
		}
		if s.toolchain != f.Tools {
			notes = append(notes, fmt.Sprintf("%s: %s was made with %s and runs here with %s: the same result, its fuel is not compared", source, s.component, s.toolchain, f.Tools))
		}
	}
	return len(about), notes, nil
}

// check says in what a statement is not what happened.
func (s statement) check(f page.Fact, source string) error {
	if s.code != f.Source {
		return &fault.Error{Code: fault.StatementSubject, Path: source, Text: "what is said of " + s.component + " does not belong to this source"}
	}
	differs := func(what string) error {
		return &fault.Error{Code: fault.RebuildDiffers, Path: source, Text: s.component + " has another " + what + " than is said"}
	}
	names := slices.Sorted(maps.Keys(f.Inputs))
	if !slices.Equal(names, slices.Sorted(maps.Keys(s.inputs))) {
		return differs("list of inputs")
	}
	for _, name := range names {
		if s.inputs[name] != f.Inputs[name] {
			return differs("input " + name)
		}
	}
	profile := f.Profile
	if profile == "" {
		profile = "compute"
	}
	switch {
	case s.profile != profile:
		return differs("profile")
	case s.result != f.Result:
		return differs("result")
	case s.toolchain == f.Tools && s.fuel != f.Fuel:
		return differs("fuel")
	}
	return nil
}
