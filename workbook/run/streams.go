package run

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/value"
	"wb/workbook/result"
)

// streamText is a value on a stream: a string raw, anything else as JSON.
func streamText(v value.Value) []byte {
	if v.Kind() == value.String {
		return []byte(v.Text())
	}
	return v.AppendJSON(nil)
}

// streamOf is a program's standard input: the only input as it is,
// several as a JSON object, else what the workflow was given; nil when that is
// nothing.
func streamOf(inputs []value.Field, first *value.Value) []byte {
	switch {
	case len(inputs) == 1:
		return streamText(inputs[0].Value)
	case len(inputs) > 1:
		return value.OfObject(inputs...).AppendJSON(nil)
	case first != nil:
		return streamText(*first)
	}
	return nil
}

// streamValue reads standard output as a value: JSON where it
// parses, else text.
func streamValue(text string, outs []string) value.Value {
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return unwrap(v, outs)
	}
	return value.OfString(strings.TrimRight(text, "\r\n"))
}

// unwrap takes the only output out of an object that holds nothing else.
func unwrap(v value.Value, outs []string) value.Value {
	if len(outs) == 1 && len(v.Fields()) == 1 && v.Fields()[0].Name == outs[0] {
		return v.Fields()[0].Value
	}
	return v
}

// stdinText is the value of :stdin in the form that a lane reads.
func stdinText(v value.Value, form compile.StdinForm) []byte {
	switch {
	case form == compile.StdinJSON && v.Kind() == value.List:
		return []byte(value.OfList(withoutRules(v.Items())...).String())
	case form == compile.StdinJSON && v.Kind() == value.Object:
		return []byte(v.String())
	}
	return []byte(shellText(v, "\t", ""))
}

// shellText is a value as text for a program: rows on lines with a separator
// between cells, lists one item a line. The rules of a table are left out, or
// written as a word where org-babel does that; in a list, such as one column of
// a table, they are items.
func shellText(v value.Value, separator, rule string) string {
	if v.Kind() != value.List {
		if v.IsNull() {
			return ""
		}
		return result.Display(v)
	}
	isTable := slices.ContainsFunc(v.Items(), func(item value.Value) bool { return item.Kind() == value.List })
	if !isTable {
		rule = "hline"
	}
	var lines []string
	for _, item := range v.Items() {
		switch item.Kind() {
		case value.HLine:
			if rule != "" {
				lines = append(lines, rule)
			}
		case value.List:
			lines = append(lines, strings.Join(displayAll(item.Items()), separator))
		default:
			lines = append(lines, result.Display(item))
		}
	}
	return strings.Join(lines, "\n")
}

func displayAll(values []value.Value) []string {
	if values == nil {
		return nil
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = result.Display(v)
	}
	return texts
}
