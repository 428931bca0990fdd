package fabric

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"wb/internal/sha"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The headers of messages.
const (
	headSHA256  = "Wb-Sha256"  // of the body, in hex
	headSize    = "Wb-Size"    // of the body, where it is an object
	headObject  = "Wb-Object"  // name of the object that holds the body
	headCaller  = "Wb-Caller"  // who answers questions
	headStarted = "Wb-Started" // the caller wants to hear of the beginning
	headTag     = "Wb-Tag"     // what callers call the work
	headWorker  = "Wb-Worker"  // who made the result
	headTook    = "Wb-Took"    // how long that took, in microseconds
	headCall    = "Wb-Call"    // which of a caller's work a question is about
	headError   = "Wb-Error"   // why a question has no answer
)

// inlineMost is the size up to which a body is in its message: larger ones are
// objects, so that queues stay small and messages short.
const inlineMost = 32 << 10

// ErrDigest says that a body is not what its digest says.
var ErrDigest = errors.New("the bytes do not have the digest that came with them")

// pack puts a body into a message, or stores it as an object named by its
// digest and refers to that.
func (l *Link) pack(ctx context.Context, m *nats.Msg, body []byte) error {
	digest := sha.Hex(body)
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	m.Header.Set(headSHA256, digest)
	if len(body) <= inlineMost {
		m.Data = body
		return nil
	}
	if err := l.PutObject(ctx, digest, body); err != nil {
		return err
	}
	m.Header.Set(headObject, digest)
	m.Header.Set(headSize, strconv.Itoa(len(body)))
	return nil
}

// unpack is the body of a message, checked against its digest. An error that is
// not ErrDigest may pass.
func (l *Link) unpack(ctx context.Context, header nats.Header, data []byte) ([]byte, error) {
	body := data
	if name := header.Get(headObject); name != "" {
		var err error
		if body, err = l.Object(ctx, name); err != nil {
			return nil, err
		}
	}
	if sha.Hex(body) != header.Get(headSHA256) {
		return nil, ErrDigest
	}
	return body, nil
}

// PutObject stores data under a name that its content gives it. What already
// exists stays.
func (l *Link) PutObject(ctx context.Context, name string, data []byte) error {
	if info, err := l.objects.GetInfo(ctx, name); err == nil && info.Size == uint64(len(data)) {
		return nil
	}
	if err := l.putObject(ctx, name, bytes.NewReader(data)); err != nil {
		return fmt.Errorf("object %.12s of %d bytes: %w", name, len(data), err)
	}
	return nil
}

// putObject stores what r gives. The client library sends an object's parts and
// then its name without waiting in between: when parts are refused the name may
// have been taken, and would stand for an object that is not whole.
func (l *Link) putObject(ctx context.Context, name string, r io.Reader) error {
	_, err := l.objects.Put(ctx, jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: 256 << 10}}, r)
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	_ = l.objects.Delete(ctx, name) // mostly it is not there
	return quotaError(err)
}

// Object is the object stored under a name.
func (l *Link) Object(ctx context.Context, name string) ([]byte, error) {
	data, err := l.objects.GetBytes(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("object %.12s: %w", name, err)
	}
	return data, nil
}

// HasObject reports whether something is stored under a name.
func (l *Link) HasObject(ctx context.Context, name string) bool {
	_, err := l.objects.GetInfo(ctx, name)
	return err == nil
}

// QuotaError says that a tenant has no room left.
type QuotaError struct{ Err error }

func (e *QuotaError) Error() string { return "the tenant's quota is used up: " + e.Err.Error() }
func (e *QuotaError) Unwrap() error { return e.Err }

// Codes of the server that mean a full stream or account.
const (
	codeStoreFailed   = 10077 // the stream is at a limit; the text says which
	codeNoStorage     = 10047 // the server's disk
	codeAccountLimits = 10002 // the account's
)

func quotaError(err error) error {
	if api := new(jetstream.APIError); errors.As(err, &api) {
		switch int(api.ErrorCode) {
		case codeStoreFailed, codeNoStorage, codeAccountLimits:
			return &QuotaError{err}
		}
	}
	return err
}

// StreamObject stores what r gives under a name, whatever its size.
func (l *Link) StreamObject(ctx context.Context, name string, r io.Reader) error {
	if err := l.putObject(ctx, name, r); err != nil {
		return fmt.Errorf("object %s: %w", name, err)
	}
	return nil
}

// OpenObject reads what was stored under a name; its digest is checked at the
// end.
func (l *Link) OpenObject(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := l.objects.Get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", name, err)
	}
	return r, nil
}
