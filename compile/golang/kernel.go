package golang

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox"
)

// kernelOutput is how many bytes a kernel may write.
const kernelOutput = 1 << 20

// metaRoom is the entry of Artifact.Meta with the bytes a kernel's input has.
const metaRoom = "room"

// kernelHint says what a kernel looks like.
const kernelHint = "write func process(in, out []byte) int: it reads in, writes out and returns how many bytes it wrote"

// kernelGlue exports process to the host. A Go program's memory is Go's own,
// so the buffers are its variables and it says where they are.
const kernelGlue = `package main

import "unsafe"

// The output follows the input, as the host wants it.
var wbBuffers struct {
	in  [%d]byte
	out [%d]byte
}

func main() {}

//go:wasmexport wb_in
func wbInAt() uint32 { return uint32(uintptr(unsafe.Pointer(&wbBuffers.in))) }

//go:wasmexport wb_out
func wbOutAt() uint32 { return uint32(uintptr(unsafe.Pointer(&wbBuffers.out))) }

//go:wasmexport process
func wbProcess(n int32) int32 { return int32(%s) }
`

// buildKernel builds a module that is started once and called many times.
func (l lane) buildKernel(ctx context.Context, t *tool, src *compile.Source) (*compile.Artifact, error) {
	layout, err := src.KernelLayout()
	if err != nil {
		return nil, err
	}
	b, err := newBlock(src, t.std, false)
	if err != nil {
		return nil, err
	}
	call, err := kernelCall(b)
	if errors.Is(err, errUnparsed) {
		_, err = l.make(ctx, t, b, nil, modeReactor)
	}
	if err != nil {
		return nil, err
	}
	room := int(layout.Out - layout.In)
	code := fmt.Sprintf(kernelGlue, room, kernelOutput, call)
	wasm, err := l.make(ctx, t, b, []file{{glueFile, []byte(code)}}, modeReactor)
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm)
	art.Meta[metaRoom] = fmt.Sprint(room)
	return art, nil
}

// kernelCall is how the author's process is called.
func kernelCall(b *block) (string, error) {
	if b.file == nil {
		return "", errUnparsed
	}
	if b.pkg != "main" {
		return "", diag.Errorf(b.src.At(1, 1), "a kernel is package main")
	}
	isBytes := func(t goType) bool { return t.kind == "slice" && t.elem.kind == "uint8" }
	for _, decl := range b.functions() {
		if decl.Recv != nil || decl.Name.Name != "process" && decl.Name.Name != "Process" {
			continue
		}
		f := b.function(decl)
		switch {
		case f.fails || len(f.results) != 1:
		case len(f.params) == 2 && isBytes(f.params[0].typ) && isBytes(f.params[1].typ) && holds("int int32 int64 uint32", f.results[0].kind):
			return f.name + "(wbBuffers.in[:n:n], wbBuffers.out[:])", nil
		case len(f.params) == 1 && isBytes(f.params[0].typ) && isBytes(f.results[0]):
			return "copy(wbBuffers.out[:], " + f.name + "(wbBuffers.in[:n:n]))", nil
		}
		return "", diag.Errorf(b.at(f.line, f.col), "process takes and returns something else than a kernel does").WithHint(kernelHint)
	}
	return "", diag.Errorf(b.src.At(1, 1), "a kernel defines process").WithHint(kernelHint)
}

// OpenKernel implements [compile.KernelOpener].
func (l lane) OpenKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	return l.openKernel(ctx, art, job, newStderr(job))
}

func (l lane) openKernel(ctx context.Context, art *compile.Artifact, job *compile.Job, s *stderr) (*compile.Kernel, error) {
	var stdout bytes.Buffer
	command, err := l.command(ctx, art, job, nil, compile.Tee(&stdout, job.Stdout), s)
	if err != nil {
		return nil, err
	}
	k, err := compile.StartPlacedKernel(ctx, l.env.Engine, command)
	if err != nil {
		return nil, l.ended(s, job, err)
	}
	return k, nil
}

// runKernel calls a kernel once, with the job's standard input.
func (l lane) runKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	s := newStderr(job)
	k, err := l.openKernel(ctx, art, job, s)
	if err != nil {
		return nil, err
	}
	out, err := k.Once(ctx, job.Stdin)
	var exit *sandbox.ExitError
	if err = l.ended(s, job, err); errors.As(err, &exit) {
		out.Exit, err = max(1, exit.Code), nil
	}
	out.Stderr = s.kept.Bytes()
	return out, err
}
