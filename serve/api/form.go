package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"wb/internal/clip"
	"wb/internal/value"
	"wb/workbook"
)

// The ways a field of a form is filled in.
const (
	fieldText   = "text"
	fieldNumber = "number"
	fieldBool   = "bool"
	fieldEnum   = "enum"
	fieldLines  = "lines" // of a list, one an entry
	fieldJSON   = "json"
	fieldAny    = "any" // JSON, or text that is none
)

// field is one input of a workbook as a person fills it in.
type field struct {
	Name, Label string
	Kind        string
	Type        string // as the document writes it, "" where it says none
	For         string // the components that need it
	Value       string
	Checked     bool
	Required    bool   // it cannot be left empty
	Optional    bool   // it need not be given
	About       string // its type in words
	Step        string // of numbers: 1 or any
	Min, Max    string
	Options     []string
	Error       string

	fits *jsonschema.Resolved // what is given must be of it
	list string               // the type of a list's entries
}

// schema is the part of a JSON Schema that forms are made from.
type schema struct {
	Type        string          `json:"type"`
	Enum        []any           `json:"enum"`
	Items       *schema         `json:"items"`
	AnyOf       []*schema       `json:"anyOf"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	Default     json.RawMessage `json:"default"`
	Description string          `json:"description"`
}

// fieldsOf are the inputs that a workbook must or can be given, as its signature
// describes them.
func fieldsOf(s workbook.Signature) ([]*field, error) {
	text, err := json.Marshal(s.In)
	if err != nil {
		return nil, err
	}
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	var all []*field
	for _, name := range slices.Sorted(maps.Keys(in.Properties)) {
		needed := slices.Contains(in.Required, name)
		f := &field{Name: name, Kind: fieldAny, Required: needed, Optional: !needed, About: "JSON, or text"}
		f.Label, _, _ = strings.Cut(name, ":")
		var shape schema
		var whole jsonschema.Schema
		if err := errors.Join(json.Unmarshal(in.Properties[name], &shape), json.Unmarshal(in.Properties[name], &whole)); err != nil {
			return nil, err
		}
		if f.fits, err = whole.Resolve(nil); err != nil {
			return nil, err
		}
		f.For = shape.Description
		f.shape(&shape)
		if v, err := value.ParseJSON(shape.Default); err == nil && v.Kind() != value.Null {
			if f.Kind == fieldAny {
				f.like(v)
			}
			f.fill(v)
		}
		all = append(all, f)
	}
	return all, nil
}

// shape makes a field for what a schema describes.
func (f *field) shape(s *schema) {
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" { // it may be left out
		f.shape(s.AnyOf[0])
		f.Required, f.Optional = false, true
		return
	}
	switch {
	case len(s.Enum) > 0:
		f.Kind, f.About = fieldEnum, ""
		for _, o := range s.Enum {
			f.Options = append(f.Options, fmt.Sprint(o))
		}
	case s.Type == "boolean":
		f.Kind, f.Required, f.About = fieldBool, false, ""
	case s.Type == "integer" || s.Type == "number":
		f.Kind, f.Step, f.About = fieldNumber, "any", "a number"
		if s.Type == "integer" {
			f.Step, f.About = "1", "a whole number"
		}
		if s.Minimum != nil {
			f.Min = strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
		}
		if s.Maximum != nil {
			f.Max = strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
		}
	case s.Type == "string":
		f.Kind, f.Required, f.About = fieldText, false, "text" // the empty text is one
	case s.Type == "array" && s.Items != nil && slices.Contains([]string{"string", "number", "integer"}, s.Items.Type):
		f.list = s.Items.Type
		f.Kind, f.Required, f.About = fieldLines, false, map[string]string{"string": "texts", "number": "numbers", "integer": "whole numbers"}[s.Items.Type]+", one a line"
	case s.Type != "" || len(s.AnyOf) > 0:
		f.Kind, f.About = fieldJSON, "as JSON"
	}
}

// like makes a field for values such as its default.
func (f *field) like(v value.Value) {
	switch v.Kind() {
	case value.Bool:
		f.Kind, f.About = fieldBool, ""
	case value.Int, value.Float:
		f.Kind, f.Step, f.About = fieldNumber, "any", "a number"
	case value.String:
		f.Kind, f.About = fieldText, "text"
	case value.List, value.Object:
		f.Kind, f.About = fieldJSON, "as JSON"
	}
}

// fill puts a value into the field.
func (f *field) fill(v value.Value) {
	f.Value = v.String()
	switch {
	case f.Kind == fieldBool:
		f.Checked = f.Value == "true"
	case v.Kind() == value.String:
		f.Value = v.Text()
	case f.Kind == fieldLines && v.Kind() == value.List:
		var lines []string
		for _, item := range v.Items() {
			if item.Kind() == value.String {
				lines = append(lines, item.Text())
			} else {
				lines = append(lines, item.String())
			}
		}
		f.Value = strings.Join(lines, "\n")
	}
}

// fieldPrefix is before the names of inputs in a form.
const fieldPrefix = "in."

// read takes what a person filled in; ok says that something was given. What does not
// fit stands in the field's Error.
func (f *field) read(form url.Values) (v value.Value, ok bool) {
	text := strings.ReplaceAll(form.Get(fieldPrefix+f.Name), "\r\n", "\n")
	f.Value, f.Checked = text, text != ""
	v, ok, err := f.parse(text)
	if err == nil && ok {
		err = f.check(v)
	}
	if err != nil {
		f.Error = err.Error()
		return value.Value{}, false
	}
	return v, ok
}

// check says what does not fit the schema, in words for who filled the form in.
func (f *field) check(v value.Value) error {
	var instance any
	if err := json.Unmarshal(v.AppendJSON(nil), &instance); err != nil {
		return err
	}
	err := f.fits.Validate(instance)
	n, isNumber := instance.(float64)
	switch {
	case err == nil:
		return nil
	case isNumber && f.Min != "" && f.Max != "" && n == math.Trunc(n):
		return fmt.Errorf("%s is not between %s and %s", v, f.Min, f.Max)
	case isNumber && f.Min != "" && n == math.Trunc(n):
		return fmt.Errorf("%s is less than %s", v, f.Min)
	case isNumber && f.Kind == fieldNumber:
		return fmt.Errorf("%s is not %s", v, f.About)
	}
	_, reason, ok := strings.Cut(err.Error(), "type: ") // behind the schema's path
	if !ok {
		reason = err.Error()
	}
	return fmt.Errorf("it does not fit: %s", reason)
}

func (f *field) parse(text string) (value.Value, bool, error) {
	if f.Kind == fieldBool {
		return value.OfBool(text != ""), true, nil
	}
	if strings.TrimSpace(text) == "" && f.Kind != fieldText && f.Kind != fieldLines {
		if f.Required {
			return value.Value{}, false, errors.New("a value is needed")
		}
		return value.Value{}, false, nil
	}
	switch f.Kind {
	case fieldNumber:
		v, err := value.ParseJSON([]byte(strings.TrimSpace(text)))
		if err != nil || v.Kind() != value.Int && v.Kind() != value.Float {
			return v, false, fmt.Errorf("%q is not a number", clip.Chars(text, 40))
		}
		return v, true, nil
	case fieldText:
		return value.OfString(text), true, nil
	case fieldEnum:
		if !slices.Contains(f.Options, text) {
			return value.Value{}, false, fmt.Errorf("%q: expected one of %s", clip.Chars(text, 40), strings.Join(f.Options, ", "))
		}
		return value.OfString(text), true, nil
	case fieldLines:
		return f.lines(text)
	case fieldJSON:
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			return v, false, fmt.Errorf("not JSON: %w", err)
		}
		return v, true, nil
	}
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return v, true, nil
	}
	return value.OfString(text), true, nil
}

// lines are the entries of a list.
func (f *field) lines(text string) (value.Value, bool, error) {
	texts := f.list == "string"
	var items []value.Value
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case texts:
			items = append(items, value.OfString(line))
		case strings.TrimSpace(line) == "":
		default:
			v, err := value.ParseJSON([]byte(strings.TrimSpace(line)))
			if err != nil {
				return v, false, fmt.Errorf("line %d: %q is not a number", n+1, clip.Chars(line, 40))
			}
			items = append(items, v)
		}
	}
	if text == "" {
		items = nil
	}
	return value.OfList(items...), true, nil
}

// filled reads all fields of a form. The answer is nil where some do not fit.
func filled(fields []*field, form url.Values) json.RawMessage {
	var given []value.Field
	wrong := false
	for _, f := range fields {
		v, ok := f.read(form)
		wrong = wrong || f.Error != ""
		if ok {
			given = append(given, value.Field{Name: f.Name, Value: v})
		}
	}
	if wrong {
		return nil
	}
	return value.OfObject(given...).AppendJSON(nil)
}
