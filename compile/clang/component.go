package clang

import (
	"bytes"
	"context"

	"wb/compile"
	"wb/compile/abi"
	"wb/sandbox"
)

// metaSig is the entry of Artifact.Meta with the signature of a component.
const metaSig = "sig"

// buildComponent builds a module that calls one function of the block.
func (l *lane) buildComponent(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	f, err := chooseFunction(src)
	if err != nil {
		return nil, err
	}
	sig := src.Sig
	if sig == nil {
		if sig, err = infer(src, f); err != nil {
			return nil, err
		}
	}
	cpp := l.lang.ext == langCPP.ext
	g, err := makeGlue(src, sig, f, cpp)
	if err != nil {
		return nil, err
	}
	lines, variables, _, err := head(src, src.Body)
	if err != nil {
		return nil, err
	}
	u := &unit{}
	u.add(originGlue, g.before)
	u.append(lines)
	u.append(variables)
	u.append(bodyWithLogues(src))
	u.add(originGlue, g.after)
	wasm, warnings, err := l.build(ctx, src, u, program{start: "crt1-reactor.o", flags: []string{"--entry=_initialize"}})
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm, warnings)
	art.Meta[metaSig] = sig.String()
	return art, nil
}

// runComponent checks the inputs, calls the function and reads its result.
func (l *lane) runComponent(ctx context.Context, module *sandbox.Module, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var stdout, stderr bytes.Buffer
	words := &lastWords{to: compile.Tee(&stderr, job.Stderr)}
	command := job.Command(module, []string{"block"}, compile.Tee(&stdout, job.Stdout), words)
	out, err := abi.Run(ctx, l.env.Engine, command, art.Meta[metaSig], job.Inputs)
	if out == nil {
		return nil, err
	}
	if c := crash(job.Source, stderr.String(), words.said, err); c != nil {
		err = c
	}
	out.Stdout, out.Stderr = stdout.Bytes(), stderr.Bytes()
	return out, err
}
