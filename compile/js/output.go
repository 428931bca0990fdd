package js

import (
	"bytes"
	"cmp"
	"io"

	"wb/compile"
	"wb/sandbox"
)

// output bounds what a job prints on both streams together.
type output struct {
	left, limit int64 // bytes; a negative limit is none
}

func newOutput(job *compile.Job) *output {
	limit := cmp.Or(job.Limits.Output, sandbox.DefaultLimits.Output)
	return &output{limit, limit}
}

// stream keeps what is written and passes it on to who listens.
func (o *output) stream(keep *bytes.Buffer, listener io.Writer) io.Writer {
	return &stream{o, keep, listener}
}

type stream struct {
	*output
	keep     *bytes.Buffer
	listener io.Writer
}

// Write keeps what the limit allows and ends the program beyond it.
func (s *stream) Write(p []byte) (int, error) {
	var err error
	if s.limit >= 0 && int64(len(p)) > s.left {
		p, err = p[:max(s.left, 0)], &sandbox.LimitError{Kind: sandbox.LimitOutput, Limit: s.limit}
	}
	s.left -= int64(len(p))
	s.keep.Write(p)
	if s.listener != nil {
		if _, failed := s.listener.Write(p); failed != nil {
			return 0, failed
		}
	}
	return len(p), err
}
