package remote

import (
	"errors"

	"wb/compile"
	"wb/internal/sha"
	"wb/internal/value"
	"wb/sandbox"
)

// Request is a program to be built and run, as data. Nothing in it says who
// wants it or which run it belongs to.
type Request struct {
	// Lang is the language's own name; Fingerprint is the lane's, with the
	// digests of its toolchains: a peer with another lane refuses.
	Lang, Fingerprint string
	Source            *compile.Source
	// The parts of the job that are data; see [compile.Job].
	Inputs  []value.Field
	Stdin   []byte
	Args    []string
	Dir     string
	Limits  sandbox.Limits
	Caps    sandbox.Caps
	Session string
	// Docked says that the caller answers calls of the dock, and Granted what
	// it has been granted there.
	Docked  bool
	Granted []string
	// Tree says that the caller answers questions about files. Without it the
	// program sees Files alone.
	Tree  bool
	Files []sandbox.Entry
	// Build asks for the artifact alone. Nothing is run.
	Build bool
}

// NewRequest is the request for a program. The job's tree of files is not read:
// the peer asks for what the program wants of it.
func NewRequest(p *compile.Program) *Request {
	r := &Request{
		Lang: p.Lane.Info().Name, Fingerprint: p.Lane.Fingerprint(), Source: p.Source,
		Inputs: p.Job.Inputs, Stdin: p.Job.Stdin, Args: p.Job.Args, Dir: p.Job.Dir,
		Limits: p.Job.Limits, Caps: p.Job.Caps, Session: p.Job.Session, Tree: p.Job.Files != nil,
	}
	if p.Job.Dock != nil {
		r.Docked, r.Granted = true, p.Job.Dock.Capabilities()
	}
	return r
}

// Key names the work: the SHA-256 of the request's encoding, in hex. What the
// caller answers while the program runs is not part of it; a reply made under
// the same key holds for a caller whose files say the same (see [Reply.Holds]),
// and never when the request is Docked with anything granted.
func (r *Request) Key() (string, error) {
	data, err := r.Encode()
	if err != nil {
		return "", err
	}
	return sha.Hex(data), nil
}

// Encode is the request as bytes: always the same for the same request.
func (r *Request) Encode() ([]byte, error) {
	if r.Source == nil {
		return nil, errors.New("remote: a request without a source")
	}
	return encode(kindRequest, r)
}

// DecodeRequest reads what Encode wrote.
func DecodeRequest(message []byte) (*Request, error) {
	r := &Request{}
	if err := decode(kindRequest, message, r); err != nil {
		return nil, err
	}
	if r.Source == nil {
		return nil, &FormatError{"it has no source"}
	}
	return r, nil
}
