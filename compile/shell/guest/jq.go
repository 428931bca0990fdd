//go:build wasip1

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"wb/compile/shell/interp"
)

// jqRun is one jq command line.
type jqRun struct {
	filter                          string
	raw, join, compact, slurp, null bool
	rawInput, exitStatus, ascii     bool
	indent                          string
	names                           []string
	values                          []any
	positional                      []any
	files                           []string
	dir                             string
	library                         []string // where modules are
}

const jqUsage = "usage: jq [-rjcnsRea] [-S] [--tab | --indent N] [--arg NAME VALUE] [--argjson NAME JSON] [--slurpfile NAME FILE] [--rawfile NAME FILE] [-L DIR] [-f FILE | FILTER] [FILE]... [--args | --jsonargs VALUE...]"

func jq(c config) int {
	r := &jqRun{indent: "  ", dir: c.dir}
	if err := r.parse(c.args[1:]); err != nil {
		complain("jq: %v", err)
		complain(jqUsage)
		return 2
	}
	query, err := gojq.Parse(r.filter)
	if err != nil {
		complain("jq: error: %s", parseMessage(r.filter, err))
		return 3
	}
	inputs := &jqInputs{run: r}
	code, err := gojq.Compile(query,
		gojq.WithVariables(append(slices.Clone(r.names), "$ARGS", "$__loc__")),
		gojq.WithEnvironLoader(func() []string { return c.env }),
		gojq.WithModuleLoader(gojq.NewModuleLoader(r.library)),
		gojq.WithFunction("have_decnum", 0, 0, func(any, []any) any { return true }), // whole numbers keep all digits
		gojq.WithFunction("debug", 0, 0, func(v any, _ []any) any {
			complain("%s", (&jqOutput{run: r}).text([]any{"DEBUG:", v}, true))
			return v
		}),
		gojq.WithFunction("stderr", 0, 0, func(v any, _ []any) any {
			kernel{}.Write(2, []byte((&jqOutput{run: r}).text(v, true)))
			return v
		}),
		gojq.WithInputIter(inputs))
	if err != nil {
		complain("jq: error: %v", err)
		return 3
	}
	named := map[string]any{}
	for i, v := range r.values {
		named[strings.TrimPrefix(r.names[i], "$")] = v
	}
	before, _, _ := strings.Cut(r.filter, "$__loc__")
	args := append(slices.Clone(r.values), map[string]any{"named": named, "positional": r.arguments()},
		map[string]any{"file": "<top-level>", "line": 1 + strings.Count(before, "\n")}) // where $__loc__ stands first
	return r.run(code, inputs, args)
}

func (r *jqRun) arguments() []any {
	if r.positional == nil {
		return []any{}
	}
	return r.positional
}

func parseMessage(filter string, err error) string {
	var perr *gojq.ParseError
	if errors.As(err, &perr) {
		return fmt.Sprintf("syntax error at offset %d: %v", perr.Offset, err)
	}
	return err.Error()
}

func (r *jqRun) abs(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return strings.TrimSuffix(r.dir, "/") + "/" + name
}

func (r *jqRun) define(name string, v any) {
	r.names = append(r.names, "$"+name)
	r.values = append(r.values, v)
}

// parse reads the command line as jq does: options may stand anywhere.
func (r *jqRun) parse(args []string) error {
	haveFilter, rest := false, ""
	file := ""
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		take := func(n int) ([]string, error) {
			if len(args) < n {
				return nil, fmt.Errorf("%s takes %d more words", a, n)
			}
			taken := args[:n]
			args = args[n:]
			return taken, nil
		}
		if rest != "options" && strings.HasPrefix(a, "--") {
			switch a {
			case "--":
				rest = strings.TrimPrefix(rest, "options")
				if rest == "" {
					for _, w := range args {
						if !haveFilter && file == "" {
							r.filter, haveFilter = w, true
						} else {
							r.files = append(r.files, w)
						}
					}
					args = nil
				}
			case "--raw-output":
				r.raw = true
			case "--join-output":
				r.raw, r.join = true, true
			case "--compact-output":
				r.compact = true
			case "--slurp":
				r.slurp = true
			case "--null-input":
				r.null = true
			case "--raw-input":
				r.rawInput = true
			case "--exit-status":
				r.exitStatus = true
			case "--ascii-output":
				r.ascii = true
			case "--tab":
				r.indent = "\t"
			case "--sort-keys", "--monochrome-output", "--color-output", "--unbuffered":
			case "--indent":
				w, err := take(1)
				if err != nil {
					return err
				}
				n := 0
				if _, err := fmt.Sscanf(w[0], "%d", &n); err != nil || n < 0 || n > 7 {
					return errors.New("--indent takes a number from 0 to 7")
				}
				r.indent = strings.Repeat(" ", n)
				r.compact = r.compact || n == 0
			case "--arg":
				w, err := take(2)
				if err != nil {
					return err
				}
				r.define(w[0], w[1])
			case "--argjson":
				w, err := take(2)
				if err != nil {
					return err
				}
				v, err := decodeOne(w[1])
				if err != nil {
					return fmt.Errorf("--argjson %s: %v", w[0], err)
				}
				r.define(w[0], v)
			case "--slurpfile", "--rawfile":
				w, err := take(2)
				if err != nil {
					return err
				}
				text, err := os.ReadFile(r.abs(w[1]))
				if err != nil {
					return fmt.Errorf("%s: cannot read %s", a, w[1])
				}
				if a == "--rawfile" {
					r.define(w[0], string(text))
					break
				}
				all, err := decodeAll(bytes.NewReader(text))
				if err != nil {
					return fmt.Errorf("%s %s: %v", a, w[1], err)
				}
				r.define(w[0], all)
			case "--from-file":
				w, err := take(1)
				if err != nil {
					return err
				}
				file = w[0]
			case "--library-path":
				w, err := take(1)
				if err != nil {
					return err
				}
				r.library = append(r.library, r.abs(w[0]))
			case "--args", "--jsonargs":
				rest = a
			case "--help":
				return errors.New("command-line JSON processor")
			default:
				return fmt.Errorf("unknown option %s", a)
			}
			continue
		}
		if dir, ok := strings.CutPrefix(a, "-L"); ok {
			if dir == "" {
				w, err := take(1)
				if err != nil {
					return err
				}
				dir = w[0]
			}
			r.library = append(r.library, r.abs(dir))
			continue
		}
		if len(a) > 1 && a[0] == '-' {
			for _, c := range a[1:] {
				switch c {
				case 'r':
					r.raw = true
				case 'j':
					r.raw, r.join = true, true
				case 'c':
					r.compact = true
				case 's':
					r.slurp = true
				case 'n':
					r.null = true
				case 'R':
					r.rawInput = true
				case 'e':
					r.exitStatus = true
				case 'a':
					r.ascii = true
				case 'S', 'M', 'C':
				case 'f':
					w, err := take(1)
					if err != nil {
						return err
					}
					file = w[0]
				case 'h':
					return errors.New("command-line JSON processor")
				default:
					return fmt.Errorf("unknown option -%c", c)
				}
			}
			continue
		}
		switch {
		case !haveFilter && file == "":
			r.filter, haveFilter = a, true
		case rest == "--args":
			r.positional = append(r.positional, a)
		case rest == "--jsonargs":
			v, err := decodeOne(a)
			if err != nil {
				return fmt.Errorf("--jsonargs: %v", err)
			}
			r.positional = append(r.positional, v)
		default:
			r.files = append(r.files, a)
		}
	}
	if file != "" {
		text, err := os.ReadFile(r.abs(file))
		if err != nil {
			return fmt.Errorf("cannot read %s", file)
		}
		if haveFilter {
			r.files = append([]string{r.filter}, r.files...)
		}
		r.filter, haveFilter = string(text), true
	}
	if !haveFilter {
		return errors.New("no filter given")
	}
	return nil
}

func decodeOne(s string) (any, error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("not JSON: " + s)
	}
	return v, nil
}

func decodeAll(in io.Reader) ([]any, error) {
	d := json.NewDecoder(in)
	d.UseNumber()
	all := []any{}
	for {
		var v any
		switch err := d.Decode(&v); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, v)
	}
}

// kernelReader reads a stream of the kernel.
type kernelReader interp.Handle

func (h kernelReader) Read(p []byte) (int, error) { return kernel{}.Read(interp.Handle(h), p) }

// jqInputs is the sequence of inputs, also behind the filters input and inputs.
type jqInputs struct {
	run    *jqRun
	source io.Reader
	d      *json.Decoder
	lines  []string
	slurp  bool // done
	failed error
}

func (in *jqInputs) open() io.Reader {
	if in.source != nil {
		return in.source
	}
	var list []io.Reader
	for _, name := range in.run.files {
		text, err := os.ReadFile(in.run.abs(name))
		if err != nil {
			complain("jq: error: Could not open file %s: No such file or directory", name)
			in.failed = err
			continue
		}
		list = append(list, bytes.NewReader(text))
	}
	if len(in.run.files) == 0 {
		list = []io.Reader{kernelReader(0)}
	}
	text := bufio.NewReader(io.MultiReader(list...))
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" { // of the order of bytes
		text.Discard(3)
	}
	in.source = text
	return in.source
}

func (in *jqInputs) Next() (any, bool) {
	r := in.run
	source := in.open()
	switch {
	case r.rawInput && r.slurp:
		if in.slurp {
			return nil, false
		}
		in.slurp = true
		text, _ := io.ReadAll(source)
		return string(text), true
	case r.rawInput:
		if in.lines == nil {
			text, _ := io.ReadAll(source)
			in.lines = strings.SplitAfter(string(text), "\n")
		}
		for len(in.lines) > 0 {
			line := in.lines[0]
			in.lines = in.lines[1:]
			if line == "" {
				continue
			}
			return strings.TrimSuffix(line, "\n"), true
		}
		return nil, false
	case r.slurp:
		if in.slurp {
			return nil, false
		}
		in.slurp = true
		all, err := decodeAll(source)
		if err != nil {
			in.failed = err
			return err, true
		}
		return all, true
	}
	if in.d == nil {
		in.d = json.NewDecoder(source)
		in.d.UseNumber()
	}
	if in.failed != nil && in.d == nil {
		return nil, false
	}
	var v any
	switch err := in.d.Decode(&v); {
	case err == io.EOF:
		return nil, false
	case err != nil:
		in.failed = err
		return err, true
	}
	return v, true
}

// run feeds every input through the filter.
func (r *jqRun) run(code *gojq.Code, in *jqInputs, args []any) int {
	out := &jqOutput{run: r}
	status := 0
	var last any
	printed := false
	one := func(v any) bool {
		iter := code.Run(v, args...)
		for {
			result, ok := iter.Next()
			if !ok {
				return true
			}
			if err, isError := result.(error); isError {
				var halt *gojq.HaltError
				if errors.As(err, &halt) {
					if halt.Value() != nil {
						if s, ok := halt.Value().(string); ok {
							kernel{}.Write(2, []byte(s))
						} else {
							complain("%s", out.text(halt.Value(), true))
						}
					}
					status = halt.ExitCode()
					return false
				}
				out.flush()
				complain("jq: error: %v", err)
				status = 5
				return true
			}
			last, printed = result, true
			if !out.print(result) {
				status = 141
				return false
			}
		}
	}
	if r.null {
		one(nil)
	} else {
		for {
			v, ok := in.Next()
			if !ok {
				break
			}
			if err, bad := v.(error); bad {
				out.flush()
				complain("jq: error (at <stdin>:0): %v", err)
				status = 2
				break
			}
			if !one(v) {
				break
			}
		}
	}
	if !out.flush() {
		return 141
	}
	if in.failed != nil && status == 0 {
		status = 2
	}
	if status == 0 && r.exitStatus {
		switch {
		case !printed:
			return 4
		case last == nil || last == false:
			return 1
		}
	}
	return status
}

// jqOutput writes results in one buffer.
type jqOutput struct {
	run *jqRun
	buf bytes.Buffer
}

func (o *jqOutput) flush() bool {
	defer o.buf.Reset()
	return o.buf.Len() == 0 || kernel{}.Write(1, o.buf.Bytes()) == nil
}

func (o *jqOutput) print(v any) bool {
	if s, ok := v.(string); ok && o.run.raw {
		o.buf.WriteString(s)
	} else {
		o.buf.WriteString(o.text(v, o.run.compact))
	}
	if !o.run.join {
		o.buf.WriteByte('\n')
	}
	return o.buf.Len() < 32<<10 || o.flush()
}

// text is v as jq prints it. Keys come out sorted: the order of the input is
// not kept.
func (o *jqOutput) text(v any, compact bool) string {
	b, err := gojq.Marshal(v)
	if err != nil {
		return "null"
	}
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		b = []byte("null")
	}
	if o.run.ascii {
		b = asciiOnly(b)
	}
	if compact {
		return string(b)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", o.run.indent); err != nil {
		return string(b)
	}
	return out.String()
}

func asciiOnly(b []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(b) {
		switch {
		case r < 128:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		}
	}
	return out.Bytes()
}
