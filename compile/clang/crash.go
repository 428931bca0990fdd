package clang

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// Crash says what a C program did that ended it. Pos is the function it
// happened in, as far as the block has it.
type Crash struct {
	Pos     diag.Position
	Message string
	// Exit is the code a shell would show for it: 134 for abort, 136 for
	// arithmetic, 139 for memory.
	Exit int
	Err  error // the trap
}

func (e *Crash) Error() string { return fmt.Sprintf("%s: error: %s", e.Pos, e.Message) }

// Unwrap gives the trap.
func (e *Crash) Unwrap() error { return e.Err }

// assertion matches the output of a failed assert.
var assertion = lazyregexp.New(`(?m)^Assertion failed: (.*) \(` + string(originBody) + `\.\w+: [^:]*: (\d+)\)$`)

// uncaught matches the last output of the exception runtime: the line of the
// throw, if it is known, the type and what it says.
var uncaught = lazyregexp.New(`^(?:line (\d+): )?(uncaught exception: .*|std::terminate was called)\n$`)

// lastWords passes on what a program writes to standard error but the line about
// an uncaught exception, which the crash message describes better.
type lastWords struct {
	to   io.Writer
	said []string // what uncaught finds in that line
}

func (w *lastWords) Write(b []byte) (int, error) {
	if m := uncaught.FindStringSubmatch(string(b)); m != nil {
		w.said = m
		return len(b), nil
	}
	return w.to.Write(b)
}

// crash explains a trap by what the program has printed and said last; it is nil
// for every other error.
func crash(src *compile.Source, stderr string, said []string, err error) *Crash {
	var trap *sandbox.TrapError
	if !errors.As(err, &trap) {
		return nil
	}
	if src == nil {
		src = &compile.Source{Pos: diag.Position{File: string(originBody), Line: 1, Col: 1}}
	}
	names := frameNames(trap.Frames)
	c := &Crash{Err: err}
	where := ""
	c.Pos, where = innermost(src, names)
	switch reason := trap.Reason; {
	case said != nil:
		c.Exit, c.Message = 134, said[2]
		if line, err := strconv.Atoi(said[1]); err == nil {
			c.Pos = src.At(line, 1)
		}
	case slices.Contains(names, "abort"):
		c.Exit, c.Message = 134, "the program called abort"+where
		if m := assertion.FindStringSubmatch(stderr); m != nil {
			line, _ := strconv.Atoi(m[2])
			c.Pos, c.Message = src.At(line, 1), "assertion failed: "+m[1]
		}
	case strings.HasPrefix(reason, "integer"):
		c.Exit, c.Message = 136, reason+where
	case strings.HasPrefix(reason, "out of bounds memory"):
		c.Exit, c.Message = 139, "access outside of memory"+where
	case strings.HasPrefix(reason, "invalid table access"), strings.HasPrefix(reason, "indirect call type mismatch"):
		c.Exit, c.Message = 139, "call through an invalid function pointer"+where
	case reason == "unreachable":
		c.Exit, c.Message = 134, "the program reached an unreachable instruction"+where
	default:
		c.Exit, c.Message = 134, reason+where
	}
	return c
}

// frameNames takes what the engine puts around a function's name off.
func frameNames(frames []string) []string {
	names := make([]string, len(frames))
	for i, frame := range frames {
		name, _, _ := strings.Cut(frame, "(")
		name = name[strings.LastIndexByte(name, '.')+1:]
		if name == "__original_main" || name == "__main_argc_argv" || name == "__main_void" {
			name = "main"
		}
		names[i] = name
	}
	return names
}

// innermost finds the first active function that the block defines.
func innermost(src *compile.Source, names []string) (diag.Position, string) {
	own := functions(src.Body)
	for _, name := range names {
		if i := slices.IndexFunc(own, func(f function) bool { return f.name == name && f.defined }); i >= 0 {
			return src.At(own[i].line, own[i].col), " in " + name
		}
	}
	return src.At(1, 1), ""
}
