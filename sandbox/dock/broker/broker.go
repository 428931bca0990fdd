// Package broker performs what guests ask of the dock, one broker a file: kv,
// queue, vfs, vars and secrets over a [store.Store], net and browse over a
// [netbroker.Broker], llm and commands over functions that the host provides.
//
// The dock has checked grant, rate and sizes before a broker is called; a
// broker checks what only it knows, such as whether a name is within the
// narrowing of the grant.
package broker

import (
	"context"
	"encoding/json"
	"errors"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// operations is a broker that finds the operation by its name.
type operations map[string]operation

// Do implements dock.Broker.
func (o operations) Do(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	do := o[call.Operation.Name]
	if do == nil {
		return dock.Reply{}, dock.Errorf(dock.CodeNotFound, "%s is not served here", call.Operation)
	}
	return do(ctx, call)
}

// operation is one of them.
type operation = func(ctx context.Context, call *dock.Call) (dock.Reply, error)

// within is an operation that a grant may be narrowed for to names: the first
// argument is one.
func within(do operation) operation {
	return func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
		if err := outside(call, call.Text(0)); err != nil {
			return dock.Reply{}, err
		}
		return do(ctx, call)
	}
}

// fault is an error of the store as guests may see it: limits and names are
// their affair, what the host's disk does is not.
func fault(call *dock.Call, err error) error {
	var limit *store.LimitError
	var name *store.NameError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return dock.Errorf(dock.CodeLimit, "%s: %v", call.Operation, limit)
	case errors.As(err, &name):
		return dock.Errorf(dock.CodeInvalid, "%s: %v", call.Operation, name)
	}
	return dock.Errorf(dock.CodeFailed, "%s: the store did not answer", call.Operation)
}

// value answers with bytes, or with their absence.
func value(call *dock.Call, body []byte, found bool, err error) (dock.Reply, error) {
	if err != nil || !found {
		return dock.Reply{}, fault(call, err)
	}
	return dock.Found(body), nil
}

// done answers that it happened.
func done(call *dock.Call, err error) (dock.Reply, error) {
	if err != nil {
		return dock.Reply{}, fault(call, err)
	}
	return dock.Found(nil), nil
}

// answer answers with a JSON value.
func answer(call *dock.Call, v any, err error) (dock.Reply, error) {
	if err != nil {
		return dock.Reply{}, fault(call, err)
	}
	body, err := json.Marshal(v)
	if err != nil {
		return dock.Reply{}, dock.Errorf(dock.CodeFailed, "%s: the answer is not JSON", call.Operation)
	}
	return dock.Found(body), nil
}

// outside refuses a name that the grant does not reach.
func outside(call *dock.Call, name string) error {
	if call.Within(name) {
		return nil
	}
	e := dock.Errorf(dock.CodeDenied, "%s is granted, but not for %s", call.Operation.Capability, name)
	e.Help = "wb run --grant " + call.Operation.Capability + ":" + name
	return e
}
