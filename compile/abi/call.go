package abi

import (
	"context"
	"fmt"
	"slices"

	"wb/compile"
	"wb/internal/value"
	"wb/sandbox"
)

// Arguments orders a component's inputs as the signature does and checks each
// against its type. Inputs are matched by name when all names are those of the
// signature, else by position. Errors name the input, what it is and what is
// expected.
func Arguments(sig *value.Sig, inputs []value.Field) ([]value.Value, error) {
	byName := true
	for _, in := range inputs {
		byName = byName && slices.ContainsFunc(sig.Params, func(p value.Param) bool { return p.Name == in.Name })
	}
	if !byName && len(inputs) != len(sig.Params) {
		return nil, fmt.Errorf("%s takes %d inputs, got %d", sig.Name, len(sig.Params), len(inputs))
	}
	args := make([]value.Value, len(sig.Params))
	for i, p := range sig.Params {
		at := i
		if byName {
			at = slices.IndexFunc(inputs, func(in value.Field) bool { return in.Name == p.Name })
		}
		var given value.Value
		switch {
		case at >= 0:
			given = inputs[at].Value
		case p.Type.Kind != value.TypeOption:
			return nil, fmt.Errorf("%s: input %s is missing", sig.Name, p.Name)
		}
		fitted, err := value.Fit(p.Name, p.Type, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sig.Name, err)
		}
		args[i] = fitted
	}
	return args, nil
}

// Call calls the author's function in a started instance with arguments from
// [Arguments].
func Call(ctx context.Context, in *sandbox.Instance, sig *value.Sig, args []value.Value) (value.Value, error) {
	f, err := lower(sig, args)
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", sig.Name, err)
	}
	base, err := in.Call(ctx, AllocFunc, uint64(len(f.bytes)))
	if err != nil {
		return value.Value{}, err
	}
	at := uint32(base[0])
	f.relocate(at)
	if at == 0 || !in.Memory().Write(at, f.bytes) {
		return value.Value{}, fmt.Errorf("%s: no memory for %d bytes of arguments", sig.Name, len(f.bytes))
	}
	if _, err := in.Call(ctx, CallFunc, uint64(at), uint64(at+f.result)); err != nil {
		return value.Value{}, err
	}
	v, err := lift(in.Memory(), sig, at+f.result)
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", sig.Name, err)
	}
	return v, nil
}

// Run starts a component, whose signature is given in writing, and calls it. The
// outcome is nil when it did not come to the call.
func Run(ctx context.Context, engine *sandbox.Engine, command sandbox.Command, signature string, inputs []value.Field) (*compile.Outcome, error) {
	sig, err := value.ParseSig(signature)
	if err != nil {
		return nil, err
	}
	args, err := Arguments(sig, inputs)
	if err != nil {
		return nil, err
	}
	in, err := engine.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	defer in.Close(ctx)
	v, err := Call(ctx, in, sig, args)
	return &compile.Outcome{Value: v, Usage: in.Usage()}, err
}
