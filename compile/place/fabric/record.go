package fabric

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// LogKind says what the log keeps about a key.
type LogKind string

// The kinds of record.
const (
	LogTries    LogKind = "tries"    // a []Try
	LogConflict LogKind = "conflict" // a Conflict
)

// Try is one attempt at a piece of work that did not bring a result.
type Try struct {
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
	// Why it ended, "" when unknown: the worker fell silent.
	Why string `json:"why,omitempty"`
	// Declined says that the worker did not begin, so that it does not count.
	Declined bool `json:"declined,omitempty"`
}

func (t Try) String() string {
	worker := t.Worker
	if worker == "" {
		worker = "a worker"
	}
	switch {
	case t.Why == "":
		return worker + " fell silent"
	case t.Declined:
		return worker + " declined: " + t.Why
	}
	return worker + ": " + t.Why
}

// counted are the tries that failed and those whose worker fell silent; who
// declined did not try.
func counted(tries []Try) (failed, silent int) {
	for _, t := range tries {
		switch {
		case t.Declined:
		case t.Why == "":
			silent++
		default:
			failed++
		}
	}
	return failed, silent
}

// failure is the end of work without a result.
type failure struct {
	Kind  failureKind `json:"kind"`
	Tries []Try       `json:"tries,omitempty"`
	Why   string      `json:"why,omitempty"`
	// Sequence is where the message stood in the queue that ended so: callers
	// tell by it whether that was theirs.
	Sequence uint64 `json:"sequence"`
}

type failureKind string

const (
	// failedPoison: it failed too often.
	failedPoison failureKind = "poison"
	// failedDeclined: no worker can do it.
	failedDeclined failureKind = "declined"
	// failedWithdrawn: who asked for it is gone or wants it no more; others that
	// wait for the same ask again.
	failedWithdrawn failureKind = "withdrawn"
	// failedQuota: what came of it is more than the tenant may keep.
	failedQuota failureKind = "quota"
)

// PoisonError says that work failed, or took its workers with it, too often.
type PoisonError struct {
	Key   string
	Tries []Try
}

func (e *PoisonError) Error() string {
	failed, silent := counted(e.Tries)
	return fmt.Sprintf("gave up after %d tries: %s", failed+silent, sayTries(e.Tries))
}

// DeclinedError says that every worker that was offered the work declined it.
type DeclinedError struct {
	Key   string
	Tries []Try
}

func (e *DeclinedError) Error() string { return "no worker accepts it: " + sayTries(e.Tries) }

// sayTries names the tries, equal ones once.
func sayTries(tries []Try) string {
	var said []string
	times := map[string]int{}
	for _, t := range tries {
		s := t.String()
		if times[s]++; times[s] == 1 {
			said = append(said, s)
		}
	}
	for i, s := range said {
		if times[s] > 1 {
			said[i] = fmt.Sprintf("%s (%d times)", s, times[s])
		}
	}
	return strings.Join(said, "; ")
}

// Conflict says that two workers made different replies of the same work, which
// should not be possible: the work is not deterministic, or one of them is
// broken or lies.
type Conflict struct {
	Key    string `json:"key"`
	First  string `json:"first"` // the worker whose result stands
	Second string `json:"second"`
	// The digests of their replies.
	FirstSHA256  string `json:"first_sha256"`
	SecondSHA256 string `json:"second_sha256"`
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("work %.12s is not deterministic: %s computed %.12s, %s computed %.12s; the first result is kept",
		c.Key, c.First, c.FirstSHA256, c.Second, c.SecondSHA256)
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notice.
const (
	NoticeStarted  NoticeKind = "started"  // a worker has begun
	NoticeRetry    NoticeKind = "retry"    // it is tried again; Text says why
	NoticeDeclined NoticeKind = "declined" // a worker does not take it; Text says why
	NoticeConflict NoticeKind = "conflict" // two results differ
	NoticeRefused  NoticeKind = "refused"  // a result was no good and is gone
	NoticeFull     NoticeKind = "full"     // the queue is full, callers wait
)

// Notice is something that callers may tell their users.
type Notice struct {
	Kind   NoticeKind `json:"kind"`
	Key    string     `json:"key"`
	Tag    string     `json:"tag,omitempty"`
	Worker string     `json:"worker,omitempty"`
	Text   string     `json:"text,omitempty"`
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // of types of this package, which all have an encoding
	}
	return data
}
