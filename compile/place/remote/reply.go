package remote

import (
	"bytes"
	"context"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/sha"
	"wb/sandbox"
)

// Reply is the result of a request.
type Reply struct {
	// Built says that the program compiled; Warnings and Build are of that.
	Built    bool
	Warnings []diag.Finding
	Build    time.Duration
	// Outcome is the program's outcome, nil when Failure says why there is none.
	Outcome *compile.Outcome
	Failure *Failure
	// Artifact is what a request to build asked for.
	Artifact *compile.Artifact
	// Changes are the program's changes to its tree.
	Changes sandbox.Changes
	// Reads are the questions about files that were asked, with the digests of
	// the answers, in order of asking.
	Reads []Read
}

// Read is a question about files and the SHA-256 of its answer, in hex. When a
// file was changed does not count.
type Read struct {
	Question []byte
	Answer   string
}

// Holds reports whether a reply that was made for somebody else holds for this
// caller: whether its files give the same answers.
func (r *Reply) Holds(ctx context.Context, a *Answerer) bool {
	for _, read := range r.Reads {
		if a.Digest(ctx, read.Question) != read.Answer {
			return false
		}
	}
	return true
}

// Digest is what a [Read] of a question would say for this caller, "" for a
// question that is not about files.
func (a *Answerer) Digest(ctx context.Context, question []byte) string {
	if len(question) == 0 || AsksDock(question) {
		return ""
	}
	return sha.Hex(timeless(question, a.Answer(ctx, question)))
}

// AsksDock reports whether a question is a call of the dock, whose answer
// depends on more than the caller's files.
func AsksDock(question []byte) bool { return len(question) > 0 && question[0] == askDock }

// Encode is the reply as bytes.
func (r *Reply) Encode() ([]byte, error) { return encode(kindReply, r) }

// DecodeReply reads what Encode wrote.
func DecodeReply(message []byte) (*Reply, error) {
	r := &Reply{}
	if err := decode(kindReply, message, r); err != nil {
		return nil, err
	}
	held := 0
	for _, there := range []bool{r.Outcome != nil, r.Failure != nil, r.Artifact != nil} {
		if there {
			held++
		}
	}
	if held != 1 {
		return nil, &FormatError{"a reply holds one of an outcome, an artifact and a failure"}
	}
	return r, nil
}

// reads remembers what was asked, each question once.
type reads struct {
	seen map[string]bool
	list []Read
}

func (r *reads) note(question, answer []byte) {
	if len(question) == 0 || question[0] == askDock || r.seen[string(question)] {
		return
	}
	r.seen[string(question)] = true
	r.list = append(r.list, Read{Question: bytes.Clone(question), Answer: sha.Hex(timeless(question, answer))})
}
