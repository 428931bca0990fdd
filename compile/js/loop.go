package js

import (
	"context"
	"slices"
)

// rejection is a rejected promise without a handler so far.
type rejection struct {
	promise uint32 // address of the promise, which names it
	reason  handle
}

// States of a promise.
const (
	pending = iota
	fulfilled
	rejected
)

// turn runs what is due now, as node does: process.nextTick callbacks, then
// promise reactions, until neither is left. A rejection without a handler by
// then is the program's failure.
func (m *machine) turn(ctx context.Context) error {
	for {
		ticked, err := m.controlBool(ctx, "tick")
		if err != nil {
			return err
		}
		ran, err := m.jobs(ctx)
		if err != nil {
			return err
		}
		if !ticked && !ran {
			break
		}
	}
	if len(m.rejected) > 0 {
		return m.describe(ctx, m.rejected[0].reason)
	}
	return nil
}

// jobs runs promise reactions until none is left and says whether any ran.
func (m *machine) jobs(ctx context.Context) (ran bool, err error) {
	for {
		due, err := m.call(ctx, "qjs_is_job_pending")
		if err != nil || due == 0 {
			return ran, err
		}
		status, err := m.call(ctx, "qjs_execute_pending_job")
		if err != nil {
			return ran, err
		}
		if int32(status) < 0 {
			return ran, m.pending(ctx)
		}
		ran = true
	}
}

// drain runs the event loop until nothing is left to do.
func (m *machine) drain(ctx context.Context) error {
	for {
		if err := m.turn(ctx); err != nil {
			return err
		}
		fired, err := m.controlBool(ctx, "fire")
		if err != nil || !fired {
			return err
		}
	}
}

// settle runs the event loop until a promise is settled and returns its value.
func (m *machine) settle(ctx context.Context, promise handle) (handle, error) {
	if _, err := m.call(ctx, "qjs_promise_mark_as_handled", uint64(promise)); err != nil {
		return 0, err
	}
	for {
		if err := m.turn(ctx); err != nil {
			return 0, err
		}
		state, err := m.call(ctx, "qjs_promise_state", uint64(promise))
		if err != nil {
			return 0, err
		}
		if state != pending {
			v, err := m.call(ctx, "qjs_promise_result", uint64(promise))
			if err == nil && state == rejected {
				err = m.describe(ctx, v)
			}
			return v, err
		}
		fired, err := m.controlBool(ctx, "fire")
		if err != nil {
			return 0, err
		}
		if !fired {
			return 0, &thrown{Name: "Error", Message: "a promise that is waited for never settles: nothing is left that could settle it"}
		}
	}
}

// promiseRejection hears from QuickJS about promises that are rejected without
// anybody listening, and about those that find a listener later.
func (m *machine) promiseRejection(ctx context.Context, promise, reason handle, handled bool) error {
	address, err := m.call(ctx, "qjs_get_value_ptr", uint64(promise))
	if err != nil {
		return err
	}
	if handled {
		m.rejected = slices.DeleteFunc(m.rejected, func(r rejection) bool { return r.promise == address })
		if err := m.release(ctx, reason); err != nil {
			return err
		}
	} else {
		m.rejected = append(m.rejected, rejection{address, reason})
	}
	return m.release(ctx, promise)
}
