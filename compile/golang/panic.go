package golang

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// stderr passes on what a program writes to standard error and holds back the
// report of a crash, which finish puts in terms of the org file.
type stderr struct {
	job    *compile.Job
	kept   bytes.Buffer
	line   []byte // the line under way, while it may begin a report
	report []byte // the crash report, once it has begun
	enough func() // ends the program, see overflowed
}

func newStderr(job *compile.Job) *stderr { return &stderr{job: job, enough: func() {}} }

// stoppable is a context for a run that standard error may end.
func (s *stderr) stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	s.enough = cancel
	return ctx, cancel
}

// overflowed reports whether a report about a stack overflow has come to the
// author's code. To print the outermost frames as well, Go would walk the whole
// stack, which takes seconds.
func (s *stderr) overflowed() bool {
	_, trace, ok := bytes.Cut(s.report, []byte("\nfatal error: stack overflow"))
	return ok && bytes.Contains(trace, []byte("\n\t"+bodyFile+":"))
}

// reportStarts are how Go's runtime begins to report a crash.
var reportStarts = []string{"panic: ", "fatal error: ", "runtime: ", "SIGSEGV: ", "unexpected fault address "}

// Write passes lines on until one begins a crash report.
func (s *stderr) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && s.report == nil {
		end := bytes.IndexByte(p, '\n') + 1
		piece := p
		if end > 0 {
			piece = p[:end]
		}
		p = p[len(piece):]
		s.line = append(s.line, piece...)
		if begins(s.line) {
			s.report = bytes.Clone(s.line)
			s.line = nil
			break
		}
		if end > 0 || !mayBegin(s.line) {
			if err := s.pass(s.line); err != nil {
				return 0, err
			}
			s.line = nil
		}
	}
	if s.report != nil {
		s.report = append(s.report, p...)
		if s.overflowed() {
			s.enough()
		}
	}
	return n, nil
}

func begins(line []byte) bool {
	for _, start := range reportStarts {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	return false
}

func mayBegin(line []byte) bool {
	for _, start := range reportStarts {
		if strings.HasPrefix(start, string(line)) {
			return true
		}
	}
	return false
}

func (s *stderr) pass(text []byte) error {
	s.kept.Write(text)
	if s.job.Stderr == nil {
		return nil
	}
	_, err := s.job.Stderr.Write(text)
	return err
}

var _ io.Writer = (*stderr)(nil)

// crashed is a rewritten crash report.
type crashed struct {
	pos         diag.Position
	message     string
	outOfMemory bool
	overflow    bool
}

func (c *crashed) Error() string { return c.pos.String() + ": " + c.message }

// limit is the error for a program that ran out of memory.
func (c *crashed) limit(job *compile.Job) error {
	return &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: cmp.Or(job.Limits.Memory, sandbox.DefaultLimits.Memory)}
}

// finish writes what is left: a line without end, and a crash report as
//
//	file.org:12:1: panic: runtime error: index out of range [5] with length 3
//	  in average, file.org:12
//	  in main, file.org:20
func (s *stderr) finish() *crashed {
	if len(s.line) > 0 {
		_ = s.pass(s.line) // the writer has failed, so the error is dropped
		s.line = nil
	}
	if s.report == nil {
		return nil
	}
	c, text := readReport(s.job.Source, string(s.report))
	s.report = nil
	_ = s.pass([]byte(text))
	return c
}

var (
	frameFunction = lazyregexp.New(`^([^\s(]+(?:\(\*?[\w.]+\)[^\s(]*)?)\(.*\)$`)
	framePlace    = lazyregexp.New(`^\t(\S+):(\d+)(?: \+0x[0-9a-f]+)?$`)
	exitNoise     = lazyregexp.New(`^(goroutine \d+|\[signal |exit status|created by |panic: .*\[recovered\]$)`)
)

// own reports whether a file is the author's, by its name as compiled.
func own(name string) bool {
	return name == bodyFile || strings.HasPrefix(name, sourceDir) || strings.HasPrefix(name, moduleDir)
}

// readReport reads the report of a panic or fatal error. Frames of the
// runtime and of our own glue are left out.
func readReport(src *compile.Source, report string) (*crashed, string) {
	if src == nil {
		src = &compile.Source{Pos: diag.Position{File: bodyFile, Line: 1, Col: 1}}
	}
	shift := 0
	if text, ok := src.Arg("prologue"); ok {
		shift = strings.Count(compile.Unquoted(text), "\n") + 1
	}
	var head, frames []string
	c := &crashed{pos: src.At(1, 1), outOfMemory: strings.Contains(report, "out of memory")}
	placed, function, inFrames := false, "", false
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "goroutine ") {
			if inFrames {
				break // only the goroutine that crashed
			}
			inFrames = true
			continue
		}
		if !inFrames {
			if line != "" && !exitNoise.MatchString(line) {
				head = append(head, line)
			}
			continue
		}
		if m := framePlace.FindStringSubmatch(line); m != nil {
			name := strings.TrimPrefix(m[1], workDir+"/")
			if !own(name) || function == "" {
				continue
			}
			pos := diag.Position{File: strings.TrimPrefix(name, sourceDir), Line: number(m[2])}
			if name == bodyFile {
				pos = src.At(number(m[2])-shift, 1)
			}
			if !placed && name == bodyFile {
				c.pos, placed = pos, true
			}
			pos.Col = 0
			frames = append(frames, "  in "+function+", "+pos.String()+"\n")
			continue
		}
		if m := frameFunction.FindStringSubmatch(line); m != nil {
			function = strings.TrimPrefix(m[1], "main.")
		}
	}
	c.message = strings.Join(head, "\n")
	if strings.Contains(report, "fatal error: stack overflow") {
		c.message, c.overflow = "panic: stack overflow: the recursion goes too deep", true
		frames = frames[:min(3, len(frames))]
	}
	return c, c.Error() + "\n" + strings.Join(frames, "")
}
