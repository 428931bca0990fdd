package golang

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/abi"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// Names of further entries of Artifact.Meta, for components.
const (
	metaSig   = "sig"   // signature at the level of the call
	metaFails = "fails" // the result is wrapped in result<R, string> by us
	metaJSON  = "json"  // arguments and results are JSON texts
)

// errUnparsed says that a block has syntax errors, which the compiler puts
// better than anybody.
var errUnparsed = errors.New("the block does not parse")

// buildComponent builds a module that calls one function of the block.
func (l lane) buildComponent(ctx context.Context, t *tool, src *compile.Source) (*compile.Artifact, error) {
	b, err := newBlock(src, t.std, false)
	if err != nil {
		return nil, err
	}
	f, err := chooseFunction(b)
	if errors.Is(err, errUnparsed) {
		_, err = l.make(ctx, t, b, nil, modeReactor)
	}
	if err != nil {
		return nil, err
	}
	sig, typed := src.Sig, true
	if sig == nil {
		sig, typed = f.signature(src)
	}
	if len(src.Params) > 0 && len(src.Params) != len(f.params) {
		return nil, diag.Errorf(b.at(f.line, f.col), "%s takes %d inputs, :in: names %d", f.name, len(f.params), len(src.Params))
	}
	code := ""
	if typed {
		if code, err = makeGlue(b, sig, f); err != nil {
			return nil, err
		}
		if f.fails && !abi.DeclaresError(sig) {
			sig = abi.Failing(sig)
		} else {
			f.fails = false
		}
	} else {
		sig, code = jsonGlue(b, f)
	}
	files := []file{{glueFile, []byte(code)}}
	if b.pkg == "main" && !b.declares("main") {
		files[0].text = append(files[0].text, "\nfunc main() {}\n"...)
	}
	wasm, err := l.make(ctx, t, b, files, modeReactor)
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm)
	art.Meta[metaSig] = sig.String()
	if f.fails && typed {
		art.Meta[metaFails] = f.name
	}
	if !typed {
		art.Meta[metaJSON] = f.name
	}
	return art, nil
}

// jsonGlue calls a function with types that signatures have no word for, such
// as maps: arguments and results go through encoding/json.
func jsonGlue(b *block, f function) (*value.Sig, string) {
	text := value.Type{Kind: value.TypeString}
	sig := &value.Sig{Name: f.name, Results: []value.Param{{Type: value.Type{Kind: value.TypeResult, Args: []value.Type{text, text}}}}}
	var code strings.Builder
	fmt.Fprintf(&code, "package %s\n\nimport (\n\twbjson \"encoding/json\"\n\t\"unsafe\"\n)\n%s\n", b.pkg, glueRuntime)
	code.WriteString("//go:wasmexport wb_call\nfunc wbCall(args, result uint32) {\n\tv, err := wbTry(args)\n\t*wbAt[bool](result) = err != nil\n\tif err != nil {\n\t\tv = []byte(err.Error())\n\t}\n\twbPutText(result+4, string(v))\n}\n\n")
	code.WriteString("func wbTry(args uint32) ([]byte, error) {\n\t_ = args\n")
	call := make([]string, len(f.params))
	for i, p := range f.params {
		name := f.inputName(b.src, i)
		if name == "" || name == "_" {
			name = fmt.Sprintf("input%d", i+1)
		}
		sig.Params = append(sig.Params, value.Param{Name: name, Type: text})
		fmt.Fprintf(&code, "\tvar a%d %s\n\tif err := wbjson.Unmarshal([]byte(wbText(*wbAt[uint32](args + %d))), &a%d); err != nil {\n\t\treturn nil, wbInput{%q, err}\n\t}\n", i, p.typ.text, 4*i, i, name)
		call[i] = fmt.Sprintf("a%d", i)
	}
	if f.variadic {
		call[len(call)-1] += "..."
	}
	var results []string
	for i := range f.results {
		results = append(results, fmt.Sprintf("r%d", i))
	}
	names := results
	if f.fails {
		names = append(slices.Clone(results), "err")
	}
	assign := ""
	if len(names) > 0 {
		assign = strings.Join(names, ", ") + " := "
	}
	fmt.Fprintf(&code, "\t%s%s(%s)\n", assign, f.name, strings.Join(call, ", "))
	if f.fails {
		code.WriteString("\tif err != nil {\n\t\treturn nil, err\n\t}\n")
	}
	switch outs := b.src.Outs; {
	case len(results) == 0:
		code.WriteString("\treturn []byte(\"null\"), nil\n")
	case len(results) == 1:
		code.WriteString("\treturn wbjson.Marshal(r0)\n")
	case len(outs) == len(results):
		var members []string
		for i, o := range outs {
			members = append(members, fmt.Sprintf("%q: r%d", o, i))
		}
		fmt.Fprintf(&code, "\treturn wbjson.Marshal(map[string]any{%s})\n", strings.Join(members, ", "))
	default:
		fmt.Fprintf(&code, "\treturn wbjson.Marshal([]any{%s})\n", strings.Join(results, ", "))
	}
	code.WriteString("}\n\ntype wbInput struct {\n\tname string\n\terr  error\n}\n\nfunc (e wbInput) Error() string { return \"input \" + e.name + \": \" + e.err.Error() }\n")
	return sig, code.String()
}

// runComponent checks the inputs, calls the function and reads its result.
func (l lane) runComponent(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	sig, err := value.ParseSig(art.Meta[metaSig])
	if err != nil {
		return nil, err
	}
	inputs := job.Inputs
	if art.Meta[metaJSON] != "" {
		inputs = make([]value.Field, len(job.Inputs))
		for i, in := range job.Inputs {
			inputs[i] = value.Field{Name: in.Name, Value: value.OfString(string(in.Value.AppendJSON(nil)))}
		}
	}
	args, err := abi.Arguments(sig, inputs)
	if err != nil {
		return nil, err
	}
	var stdout bytes.Buffer
	stderr := newStderr(job)
	command, err := l.command(ctx, art, job, nil, compile.Tee(&stdout, job.Stdout), stderr)
	if err != nil {
		return nil, err
	}
	running, cancel := stderr.stoppable(ctx)
	defer cancel()
	in, err := l.env.Engine.Start(running, command)
	if err != nil {
		return nil, l.ended(stderr, job, err)
	}
	defer in.Close(ctx)
	v, err := abi.Call(running, in, sig, args)
	out := &compile.Outcome{Value: v, Stdout: stdout.Bytes(), Usage: in.Usage()}
	var exit *sandbox.ExitError
	if err = l.ended(stderr, job, err); errors.As(err, &exit) {
		out.Exit, err = max(1, exit.Code), nil
	}
	if failure, failed := v.Get("err"); err == nil && out.Exit == 0 && (art.Meta[metaFails] != "" || art.Meta[metaJSON] != "") {
		if failed {
			out.Exit = 1
			_ = stderr.pass([]byte(failurePlace(job.Source) + ": " + art.Meta[metaFails] + art.Meta[metaJSON] + ": " + failure.Text() + "\n")) // the writer has failed, so the error is dropped
		}
		out.Value, err = unwrapped(v, art.Meta[metaJSON] != "")
	}
	out.Stderr = stderr.kept.Bytes()
	return out, err
}

// unwrapped is the value in {"ok": value}.
func unwrapped(v value.Value, isJSON bool) (value.Value, error) {
	ok, _ := v.Get("ok")
	if !isJSON || ok.IsNull() {
		return ok, nil
	}
	text := ok.Text()
	if !json.Valid([]byte(text)) {
		return value.Nil(), fmt.Errorf("the function returned bytes that are not JSON")
	}
	return value.ParseJSON([]byte(text))
}

func failurePlace(src *compile.Source) string {
	if src == nil {
		return bodyFile
	}
	return src.At(1, 1).String()
}

// ended finishes standard error and says why a call ended early: what the
// crash report tells counts for more than the bare exit.
func (l lane) ended(s *stderr, job *compile.Job, err error) error {
	c := s.finish()
	var trap *sandbox.TrapError
	switch {
	case c == nil || err == nil:
	case c.outOfMemory:
		return c.limit(job)
	case c.overflow, errors.As(err, &trap): // a trap is what exit does where there is no main
		return &sandbox.ExitError{Code: crashExit}
	}
	return err
}
