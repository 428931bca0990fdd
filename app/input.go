package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/google/jsonschema-go/jsonschema"

	"wb/internal/diag"
)

// Stdin names the text on standard input for verbs that take - as a workbook, as
// editors give what they have open.
type Stdin struct {
	StdinName string `on:"terminal" help:"The name of the file whose text is on standard input (-); the file itself is neither read nor written." placeholder:"FILE"`
}

// at is a home in which - has its name.
func (s Stdin) at(h *Home) *Home {
	if s.StdinName == "" {
		return h
	}
	named := *h
	named.StdinName = s.StdinName
	return &named
}

// terminalOnly reports whether a field of an input exists at the terminal alone.
func terminalOnly(tag reflect.StructTag) bool { return tag.Get("on") == "terminal" }

// Words reads the words after the verb into an input, as the command line does.
// Flags that only a terminal has are none.
func (r Row) Words(words []string) (any, error) {
	in := r.New()
	parser, err := kong.New(in, kong.Name("wb "+r.Name), kong.NoDefaultHelp(), kong.Exit(func(int) {}),
		kong.PostBuild(func(k *kong.Kong) error {
			k.Model.Flags = slices.DeleteFunc(k.Model.Flags, func(f *kong.Flag) bool { return f.Tag.Get("on") == "terminal" })
			return nil
		}))
	if err != nil {
		return nil, err
	}
	root := parser.Model.Node
	if err := known(root, words); err != nil {
		return nil, err
	}
	if !passesThrough(root) {
		words = flagsLast(root, root, root, words)
	}
	if _, err := parser.Parse(words); err != nil {
		return nil, plainUsage(err)
	}
	return in, nil
}

// known refuses a flag that a verb does not have.
func known(root *kong.Node, words []string) error {
	if passesThrough(root) {
		return nil
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case word == "--":
			return nil
		case !strings.HasPrefix(word, "-"), word == "-":
		case !slices.ContainsFunc(root.Flags, func(f *kong.Flag) bool {
			return strings.HasPrefix(word, "--") && f.Name == name || f.Short != 0 && strings.HasPrefix(name, string(f.Short))
		}):
			return diag.Usagef("", "unknown flag %s", strings.SplitN(word, "=", 2)[0])
		}
	}
	return nil
}

// plainUsage says what is wrong with words in the words of all verbs.
func plainUsage(err error) error {
	text := err.Error()
	if strings.HasPrefix(text, `expected "<file`) {
		text = "no file"
	}
	text = strings.ReplaceAll(text, `: expected "<key>=<value>" but got`, " takes NAME=VALUE, not")
	return diag.Usagef("", "%s", text)
}

// JSON reads an object into an input. Members that only a terminal has, or no caller,
// are mistakes.
func (r Row) JSON(text json.RawMessage) (any, error) {
	schema := r.Schema()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, diag.Usagef("", "arguments of %s: %v", r.Name, err)
		}
	}
	if err := errors.Join(resolved.ApplyDefaults(&given), resolved.Validate(given)); err != nil {
		return nil, diag.Usagef(Takes(schema), "arguments of %s: %v", r.Name, err)
	}
	for name, p := range schema.Properties { // one text is a list of one
		if text, ok := given[name].(string); ok && len(p.Types) > 0 {
			given[name] = []string{text}
		}
	}
	whole, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	in := r.New()
	if err := json.Unmarshal(whole, in); err != nil {
		return nil, diag.Usagef("", "arguments of %s: %v", r.Name, err)
	}
	return in, nil
}

// Takes says in words what a call with this schema may give.
func Takes(s *jsonschema.Schema) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			name += " (optional)"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "it takes no arguments"
	}
	return "it takes " + strings.Join(names, ", ")
}

// Schema is the JSON Schema of a row's input: its fields by their json names, with
// the help, the defaults and the enums that the command line shows.
func (r Row) Schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	addFields(s, reflect.TypeOf(r.New()).Elem())
	return s
}

func addFields(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported(), terminalOnly(f.Tag), name == "-":
			continue
		case f.Anonymous:
			addFields(s, f.Type)
			continue
		case name == "":
			name = snake(f.Name)
		}
		p := typeSchema(f.Type)
		p.Description = cmp.Or(f.Tag.Get("jsonschema"), strings.ReplaceAll(f.Tag.Get("help"), "${enum}", strings.ReplaceAll(f.Tag.Get("enum"), ",", ", ")))
		for word := range strings.SplitSeq(f.Tag.Get("enum"), ",") {
			if word != "" {
				p.Enum = append(p.Enum, word)
			}
		}
		if text, ok := f.Tag.Lookup("default"); ok {
			p.Default = defaultOf(p.Type, text)
		}
		_, positional := f.Tag.Lookup("arg")
		_, optional := f.Tag.Lookup("optional")
		_, required := f.Tag.Lookup("required")
		if positional && !optional || required {
			s.Required = append(s.Required, name)
		}
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
}

// typeSchema is the schema of a Go type that inputs use.
func typeSchema(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[[]string]():
		return &jsonschema.Schema{Types: []string{"string", "array"}, Items: &jsonschema.Schema{Type: "string"}}
	case t == reflect.TypeFor[Given]():
		return &jsonschema.Schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: typeSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: typeSchema(t.Elem())}
	}
	return &jsonschema.Schema{Type: "string"}
}

// defaultOf is a default of the command line as JSON.
func defaultOf(kind, text string) json.RawMessage {
	if kind == "string" || kind == "" {
		text = fmt.Sprintf("%q", text)
	}
	return json.RawMessage(text)
}

// snake is a field's name as JSON has it: NoWrite is no_write.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
