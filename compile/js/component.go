package js

import (
	"context"
	"math"
	"slices"

	"wb/internal/value"
)

// component calls the block's function with one argument per input and reads
// what it returns.
func (r *run) component(ctx context.Context) error {
	module, err := r.eval(ctx, r.unit.Script, BlockFile, evalModule)
	if err != nil {
		return err
	}
	namespace, err := r.settle(ctx, module)
	if err != nil {
		return err
	}
	request, err := r.newString(ctx, r.request().String())
	if err != nil {
		return err
	}
	promise, err := r.control(ctx, "call", namespace, request)
	if err != nil {
		return err
	}
	result, err := r.settle(ctx, promise)
	if err != nil {
		return err
	}
	text, err := r.text(ctx, result)
	if err != nil {
		return err
	}
	r.out.Value, err = value.ParseJSON([]byte(text))
	return err
}

// request is the call as the guest's bridge reads it.
func (r *run) request() value.Value {
	args := make([]value.Value, len(r.job.Inputs))
	for i, in := range r.job.Inputs {
		args[i] = in.Value
	}
	outs := make([]value.Value, len(r.unit.Outs))
	for i, name := range r.unit.Outs {
		outs[i] = value.OfString(name)
	}
	all := value.OfList(args...)
	big := holdsBig(all)
	if big {
		all = markBig(all)
	}
	return value.OfObject(
		value.Field{Name: "func", Value: value.OfString(r.unit.Func)},
		value.Field{Name: "outs", Value: value.OfList(outs...)},
		value.Field{Name: "args", Value: all},
		value.Field{Name: "big", Value: value.OfBool(big)})
}

// maxExact is the largest whole number up to which doubles hold all others.
const maxExact = 1<<53 - 1

// holdsBig reports whether a value has numbers that JSON.parse does not read as
// they are: whole ones that a double cannot hold, NaN and the infinities.
func holdsBig(v value.Value) bool {
	switch v.Kind() {
	case value.Int:
		return v.Int() > maxExact || v.Int() < -maxExact
	case value.Float:
		return math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)
	}
	if slices.ContainsFunc(v.Items(), holdsBig) {
		return true
	}
	for _, f := range v.Fields() {
		if holdsBig(f.Value) {
			return true
		}
	}
	return false
}

// bigKey marks such numbers for the guest, which makes a BigInt of them.
const bigKey = "$int"

// markBig marks the big numbers of a value, and what looks like such a mark.
func markBig(v value.Value) value.Value {
	switch v.Kind() {
	case value.Int:
		if holdsBig(v) {
			return value.OfObject(value.Field{Name: bigKey, Value: value.OfString(v.String())})
		}
	case value.List:
		items := make([]value.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = markBig(item)
		}
		return value.OfList(items...)
	case value.Object:
		fields := make([]value.Field, len(v.Fields()))
		for i, f := range v.Fields() {
			fields[i] = value.Field{Name: f.Name, Value: markBig(f.Value)}
		}
		if len(fields) == 1 && fields[0].Name == bigKey {
			return value.OfObject(value.Field{Name: bigKey, Value: value.OfObject(fields...)})
		}
		return value.OfObject(fields...)
	}
	return v
}
