package clang

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"wb/compile"
	"wb/internal/diag"
)

// kernelOutput is how far behind the start of the output a kernel's own data
// begin, in bytes: the room its output has.
const kernelOutput = 1 << 20

// kernelUnit is a body with the places of its input and output as macros.
func kernelUnit(src *compile.Source, layout compile.KernelLayout) (*unit, error) {
	u, variables, _, err := head(src, src.Body)
	if err != nil {
		return nil, err
	}
	u.add(originGlue, fmt.Sprintf("#define WB_IN ((const unsigned char *)%d)\n#define WB_OUT ((unsigned char *)%d)\n#define WB_OUT_SIZE %d\n", layout.In, layout.Out, kernelOutput))
	u.append(variables)
	u.append(bodyWithLogues(src))
	return u, nil
}

func (l *lane) buildKernel(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	layout, err := src.KernelLayout()
	if err != nil {
		return nil, err
	}
	found := false
	for _, f := range functions(src.Body) {
		found = found || f.name == "process" && f.defined && !f.static
	}
	if !found {
		return nil, diag.Errorf(src.At(1, 1), "a kernel defines int process(int in_len)").
			WithHint("it reads in_len bytes at WB_IN, writes at WB_OUT and returns how many it wrote")
	}
	u, err := kernelUnit(src, layout)
	if err != nil {
		return nil, err
	}
	if l.lang.ext == langCPP.ext {
		u.parts = append([]part{{from: originGlue, text: "extern \"C\" int process(int);\n"}}, u.parts...)
	}
	wasm, warnings, err := l.build(ctx, src, u, program{start: "crt1-reactor.o", exports: []string{"process"}, lowStack: true,
		flags: []string{"--entry=_initialize", "--global-base=" + strconv.Itoa(int(layout.Out)+kernelOutput)}})
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm, warnings)
	art.SetKernelLayout(layout)
	return art, nil
}

// OpenKernel implements [compile.KernelOpener].
func (l *lane) OpenKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	return compile.StartKernel(ctx, l.env.Engine, l.info.Name, art, job)
}

// runKernel calls a kernel once, with the job's standard input.
func (l *lane) runKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	listening := *job
	words := &lastWords{to: compile.Tee(io.Discard, job.Stderr)}
	listening.Stderr = words
	k, err := l.OpenKernel(ctx, art, &listening)
	if err != nil {
		return nil, err
	}
	out, err := k.Once(ctx, job.Stdin)
	if c := crash(job.Source, "", words.said, err); c != nil {
		err = c
	}
	return out, err
}
