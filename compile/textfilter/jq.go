package textfilter

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// jq is the language of jq 1.7, by gojq.
type jq struct{}

func (jq) info() compile.Info {
	return compile.Info{Name: "jq", Stdin: compile.StdinJSON,
		Shapes:  []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Summary: "jq: filters over JSON (gojq), with inputs as $name"}
}

// check compiles the filter; there is no input for it to run on.
func (jq) check(p *program) []string {
	if p.Shape != compile.ShapeComponent {
		return p.jq("-c")
	}
	bound := *p
	for _, name := range p.Params {
		bound.Vars = append(bound.Vars, binding{Name: name, JSON: "null"})
	}
	return bound.jq("-c")
}

// jq is the command line with the filter, protected from being taken for an
// option, and its variables.
func (p *program) jq(options ...string) []string {
	argv := append(append([]string{"jq"}, options...), p.Options...)
	for _, v := range p.Vars {
		argv = append(argv, "--argjson", v.Name, v.JSON)
	}
	return append(argv, "--", p.Text)
}

func (jq) command(p *program, job *compile.Job) ([]string, error) {
	if p.Shape == compile.ShapeComponent {
		bound := *p
		for _, in := range job.Inputs {
			bound.Vars = append(bound.Vars, binding{Name: in.Name, JSON: in.Value.String()})
		}
		if len(job.Inputs) == 0 {
			return bound.jq("-c", "-n"), nil
		}
		return bound.jq("-c"), nil
	}
	var options []string
	if len(job.Stdin) == 0 && len(job.Inputs) == 0 && len(p.Files) == 0 {
		options = []string{"-n"} // without input the filter still runs, once, on null
	}
	return append(append(p.jq(options...), job.Args...), p.Files...), nil
}

var jqPlace = lazyregexp.New(`^jq: error: syntax error at offset (\d+): (.*)`)
var jqUnknown = lazyregexp.New(`^jq: error: ((?:function|variable) not defined: (\$?[\w:]+).*)`)

func (jq) place(p *program, message string) (line, col int, rest string) {
	if m := jqPlace.FindStringSubmatch(message); m != nil {
		offset, _ := strconv.Atoi(m[1])
		line, col = lineCol(strings.TrimRight(p.Text, "\n"), max(0, offset-1))
		return line, col, m[2]
	}
	if m := jqUnknown.FindStringSubmatch(message); m != nil {
		if at := regexp.MustCompile(regexp.QuoteMeta(m[2]) + `\b`).FindStringIndex(p.Text); at != nil {
			line, col = lineCol(p.Text, at[0])
			return line, col, m[1]
		}
	}
	return 0, 0, strings.TrimPrefix(message, "jq: error: ")
}

// read is the value a filter produced: nothing is null, several results are a
// list.
func (jq) read(p *program, stdout string) (value.Value, error) {
	switch {
	case p.Shape == compile.ShapeCommand:
		return value.OfString(stdout), nil
	case p.Shape == compile.ShapeBabel && (p.Results.Has("output") || p.Results.AsText()):
		return p.Results.Read(stdout), nil
	}
	var all []value.Value
	for d := json.NewDecoder(strings.NewReader(stdout)); ; {
		var one json.RawMessage
		if err := d.Decode(&one); err == io.EOF {
			break
		} else if err != nil { // -r and the like: text
			return p.Results.Read(stdout), nil
		}
		v, err := value.ParseJSON(one)
		if err != nil {
			return value.Nil(), fmt.Errorf("jq printed what is not JSON: %w", err)
		}
		all = append(all, v)
	}
	switch len(all) {
	case 0:
		return value.Nil(), nil
	case 1:
		return all[0], nil
	}
	return value.OfList(all...), nil
}
