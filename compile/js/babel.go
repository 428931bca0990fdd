package js

import (
	"context"
	"strings"

	"wb/compile"
	"wb/value"
)

// babelScript lays out a block as ob-js does: prologue, variables, body,
// epilogue; for a value all of it inside a function, so that it may return.
// skip is how many lines stand before the body.
func babelScript(src *compile.Source) (script string, skip int, err error) {
	var head strings.Builder
	if text, ok := src.Arg("prologue"); ok {
		head.WriteString(unquote(text) + "\n")
	}
	for _, v := range src.Vars {
		head.WriteString("var " + v.Name + "=" + literal(v.Value) + ";\n")
	}
	tail := ""
	if text, ok := src.Arg("epilogue"); ok {
		tail = "\n" + unquote(text)
	}
	before := head.String()
	script = before + src.Body + tail
	if !src.Result("output") {
		script = "(function(){" + script + "\n})"
	}
	return script, strings.Count(before, "\n"), nil
}

// literal writes a value as JavaScript; rules between rows are strings, as
// org-babel passes them.
func literal(v value.Value) string {
	switch v.Kind() {
	case value.HLine:
		return `"hline"`
	case value.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = literal(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case value.Float:
		return strings.TrimSuffix(v.String(), ".0")
	}
	return v.String()
}

func unquote(text string) string {
	if list, isList := compile.List(text); !isList && len(list) == 1 {
		return list[0]
	}
	return text
}

func (m *machine) driveBabel(ctx context.Context, art *compile.Artifact) (state, error) {
	v, err := m.eval(ctx, art.Script, mainFile, evalScript)
	if err != nil {
		return state{}, err
	}
	if wantsOutput(art) {
		if v, err = m.eval(ctx, "Promise.resolve()", mainFile, evalScript); err == nil {
			_, err = m.do(ctx, "wait", v)
		}
	} else {
		_, err = m.do(ctx, "value", v)
	}
	if err != nil {
		return state{}, err
	}
	return m.finish(ctx)
}

func wantsOutput(art *compile.Artifact) bool {
	source := &compile.Source{Results: strings.Fields(art.Meta[metaResults])}
	return source.Result("output")
}

// finishBabel reads the result as ob-js does: what was printed, then the value
// as util.inspect shows it; a lone array is a list or a table.
func finishBabel(out *compile.Outcome, art *compile.Artifact, s state) error {
	source := &compile.Source{Results: strings.Fields(art.Meta[metaResults])}
	text := string(out.Stdout)
	switch {
	case source.Result("output"):
		out.Value = value.OfString(text)
		return nil
	case compile.AsText(source), text != "":
		out.Value = value.OfString(text + s.Text)
		return nil
	case s.List || s.String:
		v, err := value.ParseJSON([]byte(s.JSON))
		out.Value = v
		return err
	}
	out.Value = numberOrText(s.Text)
	return nil
}

// numberOrText reads a number as one, as org-babel-read does, so that blocks
// that take it as a variable can count with it.
func numberOrText(text string) value.Value {
	if v := compile.ReadCell(text); v.Kind() == value.Int || v.Kind() == value.Float {
		return v
	}
	return value.OfString(text)
}
