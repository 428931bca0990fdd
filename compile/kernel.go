package compile

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// KernelLayout says where a kernel's input and output lie in its memory, in
// bytes from the start.
type KernelLayout struct {
	In, Out uint32
}

// DefaultKernelLayout is where kernels have always had them: room for 64,512
// bytes of input.
var DefaultKernelLayout = KernelLayout{In: 1024, Out: 65536}

// Names of the header arguments, and of the entries of Artifact.Meta, that set
// a kernel's layout.
const (
	KernelIn  = "in_off"
	KernelOut = "out_off"
)

// KernelLayout is the layout that the block's header arguments ask for.
func (s *Source) KernelLayout() (KernelLayout, error) {
	layout, err := kernelLayout(s.Arg)
	if err != nil {
		err = diag.Errorf(s.At(1, 1), "%v", err)
	}
	return layout, err
}

// KernelLayout is the layout that the artifact's Meta keeps.
func (a *Artifact) KernelLayout() (KernelLayout, error) {
	return kernelLayout(func(name string) (string, bool) { text, ok := a.Meta[name]; return text, ok })
}

// SetKernelLayout keeps it.
func (a *Artifact) SetKernelLayout(layout KernelLayout) {
	a.Meta[KernelIn], a.Meta[KernelOut] = strconv.Itoa(int(layout.In)), strconv.Itoa(int(layout.Out))
}

func kernelLayout(get func(name string) (string, bool)) (KernelLayout, error) {
	layout := DefaultKernelLayout
	for name, to := range map[string]*uint32{KernelIn: &layout.In, KernelOut: &layout.Out} {
		text, ok := get(name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(text, 0, 31)
		if err != nil {
			return layout, fmt.Errorf(":%s %s is not an offset in bytes", name, text)
		}
		*to = uint32(n)
	}
	return layout, layout.check()
}

func (l KernelLayout) check() error {
	if l.In >= l.Out {
		return fmt.Errorf("kernel input at %d must lie before its output at %d", l.In, l.Out)
	}
	return nil
}

// Kernel is a started program of kernel shape: it exports its memory and
// process(in_len) -> out_len. It is started once and called many times, by one
// goroutine at a time.
type Kernel struct {
	instance *sandbox.Instance
	process  *sandbox.Func
	layout   KernelLayout
	stack    [1]uint64
}

// kernelFunc is the function a kernel exports.
const kernelFunc = "process"

// StartKernel starts an artifact that keeps its layout; name is what messages
// call it.
func StartKernel(ctx context.Context, engine *sandbox.Engine, name string, art *Artifact, job *Job) (*Kernel, error) {
	module, err := engine.Compile(ctx, name, art.Wasm)
	if err != nil {
		return nil, err
	}
	layout, err := art.KernelLayout()
	if err != nil {
		return nil, err
	}
	command := job.Command(module, []string{"kernel"}, job.Stdout, job.Stderr)
	command.Stdin = nil
	return startKernel(ctx, engine, command, func(*sandbox.Instance) (KernelLayout, error) { return layout, nil })
}

func startKernel(ctx context.Context, engine *sandbox.Engine, command sandbox.Command, layout func(*sandbox.Instance) (KernelLayout, error)) (*Kernel, error) {
	in, err := engine.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	k := &Kernel{instance: in, process: in.Func(kernelFunc)}
	if k.layout, err = layout(in); err == nil && k.process == nil {
		err = fmt.Errorf("%s: no exported function %s(in_len) -> out_len", command.Module.Name(), kernelFunc)
	}
	if err != nil {
		in.Close(ctx)
		return nil, err
	}
	return k, nil
}

// Functions that a program exports to say where a kernel's input and output
// lie, for languages whose compilers decide that.
const (
	KernelInFunc  = "wb_in"
	KernelOutFunc = "wb_out"
)

// StartPlacedKernel starts a program that exports [KernelInFunc] and
// [KernelOutFunc].
func StartPlacedKernel(ctx context.Context, engine *sandbox.Engine, command sandbox.Command) (*Kernel, error) {
	return startKernel(ctx, engine, command, func(in *sandbox.Instance) (layout KernelLayout, err error) {
		for name, to := range map[string]*uint32{KernelInFunc: &layout.In, KernelOutFunc: &layout.Out} {
			at, err := in.Call(ctx, name)
			if err != nil {
				return layout, err
			}
			*to = uint32(at[0])
		}
		return layout, layout.check()
	})
}

// Call gives the kernel in and returns its output, a view that is valid until
// the next call.
func (k *Kernel) Call(ctx context.Context, in []byte) ([]byte, error) {
	if room := k.layout.Out - k.layout.In; uint64(len(in)) > uint64(room) {
		return nil, fmt.Errorf("kernel: input of %d bytes does not fit before the output, there is room for %d", len(in), room)
	}
	if !k.instance.Memory().Write(k.layout.In, in) {
		return nil, fmt.Errorf("kernel: its memory of %d bytes ends before the input at %d", k.instance.Memory().Size(), k.layout.In)
	}
	k.stack[0] = uint64(len(in))
	if err := k.process.Call(ctx, k.stack[:]); err != nil {
		return nil, err
	}
	n := uint32(k.stack[0])
	out, ok := k.instance.Memory().Read(k.layout.Out, n)
	if int32(n) < 0 || !ok {
		return nil, fmt.Errorf("kernel: %s returned %d, its memory has %d bytes", kernelFunc, int32(n), k.instance.Memory().Size())
	}
	return out, nil
}

// Once calls the kernel for a job of its own, and closes it.
func (k *Kernel) Once(ctx context.Context, in []byte) (*Outcome, error) {
	defer k.Close(ctx)
	out, err := k.Call(ctx, in)
	return &Outcome{Value: value.OfString(string(out)), Stdout: bytes.Clone(out), Usage: k.Usage()}, err
}

// Renew gives the kernel fresh limits for what follows.
func (k *Kernel) Renew(limits sandbox.Limits) { k.instance.Renew(limits) }

// Usage returns the kernel's usage since it started or was renewed.
func (k *Kernel) Usage() sandbox.Usage { return k.instance.Usage() }

// Close frees the kernel.
func (k *Kernel) Close(ctx context.Context) error { return k.instance.Close(ctx) }

// KernelOpener is a lane whose kernels can stay open between calls.
type KernelOpener interface {
	OpenKernel(ctx context.Context, art *Artifact, job *Job) (*Kernel, error)
}
