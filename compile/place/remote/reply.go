package remote

import (
	"bytes"
	"context"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/sha"
	"wb/internal/value"
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
	Question []byte `json:"question"`
	Answer   string `json:"answer"`
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

// wireReply is the header of a reply.
type wireReply struct {
	Built    bool           `json:"built,omitempty"`
	Warnings []diag.Finding `json:"warnings,omitempty"`
	Build    time.Duration  `json:"build,omitempty"`
	Outcome  *wireOutcome   `json:"outcome,omitempty"`
	Failure  *Failure       `json:"failure,omitempty"`
	Artifact *wireArtifact  `json:"artifact,omitempty"`
	Removed  []text         `json:"removed,omitempty"`
	Entries  []wireEntry    `json:"entries,omitempty"`
	Reads    []Read         `json:"reads,omitempty"`
}

// wireArtifact is an artifact, whose program is a blob.
type wireArtifact struct {
	*compile.Artifact
	Program int `json:"program,omitempty"`
}

type wireOutcome struct {
	Value  value.Value `json:"value"`
	Stdout int         `json:"stdout,omitempty"`
	Stderr int         `json:"stderr,omitempty"`
	Exit   int         `json:"exit,omitempty"`
	Usage  usage       `json:"usage"`
}

// Encode is the reply as bytes.
func (r *Reply) Encode() ([]byte, error) {
	b := &blobs{}
	head := wireReply{Built: r.Built, Warnings: r.Warnings, Build: r.Build, Failure: r.Failure,
		Removed: texts(r.Changes.Removed), Entries: packEntries(r.Changes.Entries, b), Reads: r.Reads}
	if o := r.Outcome; o != nil {
		head.Outcome = &wireOutcome{Value: o.Value, Stdout: b.add(o.Stdout), Stderr: b.add(o.Stderr), Exit: o.Exit, Usage: usage(o.Usage)}
	}
	if r.Artifact != nil {
		bare := *r.Artifact
		bare.Wasm = nil
		head.Artifact = &wireArtifact{&bare, b.add(r.Artifact.Wasm)}
	}
	return encode(kindReply, head, b)
}

// DecodeReply reads what Encode wrote.
func DecodeReply(message []byte) (*Reply, error) {
	var head wireReply
	b, err := decode(kindReply, message, &head)
	if err != nil {
		return nil, err
	}
	held := 0
	for _, there := range []bool{head.Outcome != nil, head.Failure != nil, head.Artifact != nil && head.Artifact.Artifact != nil} {
		if there {
			held++
		}
	}
	if held != 1 {
		return nil, &FormatError{"a reply holds one of an outcome, an artifact and a failure"}
	}
	r := &Reply{Built: head.Built, Warnings: head.Warnings, Build: head.Build, Failure: head.Failure, Reads: head.Reads,
		Changes: sandbox.Changes{Removed: plain(head.Removed)}}
	if r.Changes.Entries, err = unpackEntries(head.Entries, b); err != nil {
		return nil, err
	}
	if w := head.Artifact; w != nil {
		r.Artifact = w.Artifact
		if r.Artifact.Wasm, err = b.get(w.Program); err != nil {
			return nil, err
		}
	}
	if w := head.Outcome; w != nil {
		r.Outcome = &compile.Outcome{Value: w.Value, Exit: w.Exit, Usage: sandbox.Usage(w.Usage)}
		if r.Outcome.Stdout, err = b.get(w.Stdout); err != nil {
			return nil, err
		}
		if r.Outcome.Stderr, err = b.get(w.Stderr); err != nil {
			return nil, err
		}
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
