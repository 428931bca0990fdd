package sandbox

import (
	"fmt"
	"time"
)

// LimitKind names the resource a guest ran out of.
type LimitKind string

// The kinds of limit.
const (
	LimitFuel   LimitKind = "fuel"
	LimitTime   LimitKind = "time"
	LimitMemory LimitKind = "memory"
	LimitOutput LimitKind = "output"
	LimitStack  LimitKind = "stack"
	LimitFiles  LimitKind = "files"
)

// LimitError says that a guest was ended, or failed, because it reached one of
// its limits. Limit is in units of fuel, nanoseconds or bytes; it is 0 for the
// stack, whose size is the engine's.
type LimitError struct {
	Kind  LimitKind
	Limit int64
}

func (e *LimitError) Error() string {
	switch e.Kind {
	case LimitFuel:
		return fmt.Sprintf("fuel limit %d exceeded", e.Limit)
	case LimitTime:
		return fmt.Sprintf("time limit %s exceeded", time.Duration(e.Limit))
	case LimitStack:
		return "stack limit exceeded (recursion too deep)"
	}
	return fmt.Sprintf("%s limit %s exceeded", e.Kind, byteSize(e.Limit))
}

// Hint says how the author can ask for more.
func (e *LimitError) Hint() string {
	switch e.Kind {
	case LimitFuel, LimitMemory:
		return fmt.Sprintf("ask for more with :%s on the block", e.Kind)
	case LimitTime:
		return "ask for more with :timeout on the block"
	}
	return ""
}

// TrapError says that the program did something undefined. Reason is the
// engine's word for it, Frames are the functions that were active, innermost
// first, as far as the module names them.
type TrapError struct {
	Module string
	Reason string
	Frames []string
}

func (e *TrapError) Error() string {
	if len(e.Frames) > 0 {
		return fmt.Sprintf("%s: trap: %s in %s", e.Module, e.Reason, e.Frames[0])
	}
	return fmt.Sprintf("%s: trap: %s", e.Module, e.Reason)
}

// ExitError is the error of a call into a guest that ended itself by
// proc_exit, with whatever code. [Engine.Run] reports that as an [Exit].
type ExitError struct {
	Module string
	Code   int
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s: exited with code %d", e.Module, e.Code)
}

// CapError says that a program needs a capability that was not granted.
type CapError struct {
	Capability string // "llm", "net", …
	Import     string // the import that needs it: "env.host_llm_complete"
}

func (e *CapError) Error() string {
	return fmt.Sprintf("capability %s not granted (needed by import %s)", e.Capability, e.Import)
}

// Hint is the line that would grant the capability.
func (e *CapError) Hint() string { return "grant it with --grant " + e.Capability }

// LoadError says that bytes are not a program this sandbox runs: malformed,
// using a feature that is refused, or importing a function that no module provides.
type LoadError struct {
	Module string
	Reason string
	Err    error  // the cause, may be nil
	Help   string // what to do about it, may be empty
}

// Hint says what to do about it.
func (e *LoadError) Hint() string { return e.Help }

func (e *LoadError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Module, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Module, e.Reason)
}

func (e *LoadError) Unwrap() error { return e.Err }
