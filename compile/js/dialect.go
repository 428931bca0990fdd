package js

import (
	"context"
	"errors"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// Dialect is a language that is JavaScript when it runs.
type Dialect interface {
	Info() compile.Info
	// Fingerprint names everything that decides what Translate makes.
	Fingerprint() string
	// Annotation is what stands behind a variable's name where it is declared:
	// its type, or nothing.
	Annotation(v compile.Var) string
	// FunctionHead begins the function that a block of babel shape is.
	FunctionHead() string
	// Translate makes JavaScript of a block. The readings are the ways to
	// understand it, likeliest first, their text still as the author wrote it;
	// Translate answers with those that are to be tried, in that order.
	// Mistakes are a *diag.FindingsError.
	Translate(ctx context.Context, src *compile.Source, readings []*Unit) ([]*Unit, error)
}

// javaScript is the dialect that needs no translation.
type javaScript struct{}

func (javaScript) Info() compile.Info {
	return compile.Info{
		Name: "js", Aliases: []string{"javascript", "node", "ecmascript", "mjs"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{ToolName}, Summary: "JavaScript (ES2023 on QuickJS-ng): modules, promises, console, fs",
	}
}

func (javaScript) Fingerprint() string           { return "js" }
func (javaScript) Annotation(compile.Var) string { return "" }
func (javaScript) FunctionHead() string {
	return "(function (exports, require, module, __filename, __dirname) {"
}

func (javaScript) Translate(_ context.Context, _ *compile.Source, readings []*Unit) ([]*Unit, error) {
	return readings, nil
}

// firstSound is the first reading of a block that compiles. When none does, the
// error is that of the first, or of the module where the text is one.
func (r *Runtime) firstSound(ctx context.Context, src *compile.Source, readings []*Unit) (*Unit, error) {
	var first *thrown
	var reading *Unit
	for _, u := range readings {
		err := r.compiles(ctx, u)
		if err == nil {
			return u, nil
		}
		var t *thrown
		if !errors.As(err, &t) {
			return nil, err
		}
		if first == nil || u.Module && esStatement.MatchString(src.Body) {
			first, reading = t, u
		}
	}
	d := reading.diagnostic(src, first)
	if d.Hint == "" && !reading.Module && src.Shape == compile.ShapeBabel && esStatement.MatchString(src.Body) {
		d.Hint = HintModule
	}
	if src.Shape == compile.ShapeComponent && strings.Contains(d.Message, "return not in a function") {
		d.Hint = HintComponent
	}
	return nil, &diag.FindingsError{Findings: []diag.Finding{d}}
}

// HintComponent is for blocks that return what only their function can.
const HintComponent = "a component with outputs exports a function that returns them: export const f = (INPUTS) => …"

// HintModule is for blocks that import but are no modules.
const HintModule = "a block whose value is wanted is a function, which cannot import: use require, or :results output"

// compiles reports the first mistake in a unit as a *thrown.
func (r *Runtime) compiles(ctx context.Context, u *Unit) error {
	sources, err := r.sourcesOf(ctx, u)
	if err != nil {
		return err
	}
	img, err := r.boot(ctx)
	if err != nil {
		return err
	}
	m, err := r.restore(ctx, img, world{sources: sources, checking: true})
	if err != nil {
		return err
	}
	defer r.pool.give(ctx, m)
	flags := uint64(evalScript)
	if u.Module {
		flags = evalModule
	}
	for _, code := range []string{u.Vars, u.Script} {
		if _, err := m.eval(ctx, code, BlockFile, flags|compileOnly); err != nil {
			return err
		}
	}
	return nil
}
