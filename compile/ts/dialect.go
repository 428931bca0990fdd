package ts

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"wb/compile"
	"wb/compile/js"
	"wb/internal/diag"
	"wb/sandbox"
)

// New makes the TypeScript lane on the machine of the JavaScript lane and
// registers its toolchain.
func New(env *compile.Env, runtime *js.Runtime) *js.Lane {
	return runtime.Lane(&dialect{newCompiler(env, runtime)})
}

// dialect is TypeScript as the JavaScript machine sees it.
type dialect struct{ *compiler }

func (*dialect) Info() compile.Info {
	return compile.Info{
		Name: "typescript", Compiles: true, Aliases: []string{"ts", "mts"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{js.ToolName, ToolName}, Summary: "TypeScript 5.9: checked strictly, then run as JavaScript",
		KnowsSession: true,
	}
}

func (d *dialect) Fingerprint() string { return d.fingerprint() }

// Annotation gives a variable the type of its value.
func (*dialect) Annotation(v compile.Var) string { return ": " + typeOf(v.Value) }

func (*dialect) FunctionHead() string {
	return "(function (this: any, exports: any, require: (name: string) => any, module: any, __filename: string, __dirname: string) {"
}

// Translate checks the block and what it imports and makes JavaScript of it.
func (d *dialect) Translate(ctx context.Context, src *compile.Source, units []*js.Unit) ([]*js.Unit, error) {
	req := &request{Body: src.Body, Func: src.Func, Readings: make([]reading, len(units))}
	for i, u := range units {
		req.Readings[i] = readingOf(u)
	}
	for _, before := range src.Session {
		declared, err := d.earlier(before, src.Vars)
		if err != nil {
			return nil, err
		}
		req.Session = append(req.Session, declared)
	}
	if src.Shape == compile.ShapeComponent && src.Sig != nil {
		req.Type, req.Prelude = callType(src.Sig, src.Outs), prelude
	}
	var answer reply
	if err := d.tool.Call(ctx, src.Files, src.Packages, req, &answer); err != nil {
		return nil, gaveUp(src, err)
	}
	u := units[answer.Reading]
	if len(answer.Diagnostics) > 0 {
		refused, err := d.runtime.Refused(ctx)
		if err != nil {
			return nil, err
		}
		return nil, diagnose(src, u, answer.Diagnostics, refused)
	}
	translate(u, answer.Files)
	return []*js.Unit{u}, nil
}

// gaveUp explains why the compiler has no answer to a block that is beyond it.
func gaveUp(src *compile.Source, err error) error {
	var limit *sandbox.LimitError
	var failed *js.ToolError
	switch {
	case errors.As(err, &limit):
		return diag.Errorf(src.At(1, 1), "the compiler cannot check this block: %v", limit).WithHint("simplify its types, or split it into several blocks")
	case errors.As(err, &failed):
		return diag.Errorf(src.At(1, 1), "the compiler cannot check this block: %s", failed.Reason).WithHint("simplify it, or split it into several blocks")
	}
	return err
}

// readingOf is a unit as the driver takes it.
func readingOf(u *js.Unit) reading {
	r := reading{Kind: kindFunction, Text: u.Script, Vars: u.Vars}
	switch {
	case u.Module:
		r.Kind = kindModule
	case u.Session && u.Lead == 0:
		r.Kind = kindScript
	}
	return r
}

// earlier holds the declarations of a block of the session. Variables that are set
// anew have their new type.
func (d *dialect) earlier(before *compile.Source, anew []compile.Var) (earlier, error) {
	kept := *before
	kept.Vars = slices.DeleteFunc(slices.Clone(before.Vars), func(v compile.Var) bool {
		return slices.ContainsFunc(anew, func(n compile.Var) bool { return n.Name == v.Name })
	})
	u, err := js.SessionScript(&kept, d)
	if err != nil {
		return earlier{}, err
	}
	return earlier{Vars: u.Vars, Text: u.Script}, nil
}

// translate puts the translations into the unit in place of what they were made
// of.
func translate(u *js.Unit, files []output) {
	written := u.Script
	u.Maps = make(map[string]*js.SourceMap)
	sources := maps.Clone(u.Sources)
	for _, f := range files {
		switch f.File {
		case blockFile:
			u.Script = f.Text
			u.Maps[js.BlockFile] = js.NewSourceMap(f.Mappings, f.Text, written)
		case varsFile:
			u.Vars = f.Text
		default:
			name := path.Clean(f.Out)
			u.Maps[name] = js.NewSourceMap(f.Mappings, f.Text, string(u.Sources[f.File]))
			u.Maps[name].File = f.File
			sources[name] = []byte(f.Text)
		}
	}
	u.Sources = sources
}
