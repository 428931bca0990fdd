package remote

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// A message is
//
//	magic  kind  a [Request] or [Reply]
//
// in the one form that RFC 8949 (CBOR, section 4.2.1) gives a value, with the names
// of fields as keys. Text may hold any bytes, as strings in Go may.
const magic = "wb-remote-2"

// The kinds of message.
const (
	kindRequest = 'q'
	kindReply   = 'r'
)

// MaxMessage bounds a message, in bytes.
const MaxMessage = 1 << 30

// FormatError says that bytes are not a message of this version.
type FormatError struct{ Reason string }

func (e *FormatError) Error() string { return "not a message of this version of wb: " + e.Reason }

var encoding = sync.OnceValues(cbor.CoreDetEncOptions().EncMode)

var decoding = sync.OnceValues(cbor.DecOptions{
	DupMapKey: cbor.DupMapKeyEnforcedAPF, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, UTF8: cbor.UTF8DecodeInvalid,
	FieldNameMatching: cbor.FieldNameMatchingCaseSensitive, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
	MaxArrayElements: 1 << 28, MaxMapPairs: 1 << 28, MaxNestedLevels: 256,
}.DecMode)

// pack appends the encoding of a value.
func pack(out []byte, v any) ([]byte, error) {
	mode, err := encoding()
	if err != nil {
		return nil, err
	}
	data, err := mode.Marshal(v)
	return append(out, data...), err
}

// unpack reads a value and returns what follows it.
func unpack(data []byte, v any) (rest []byte, err error) {
	mode, err := decoding()
	if err != nil {
		return nil, err
	}
	rest, err = mode.UnmarshalFirst(data, v)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, &FormatError{"it ends early"}
	case err != nil:
		return nil, &FormatError{err.Error()}
	}
	return rest, nil
}

func encode(kind byte, v any) ([]byte, error) {
	out, err := pack([]byte(magic+string(kind)), v)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	if len(out) > MaxMessage {
		return nil, fmt.Errorf("a message of %d bytes is larger than %d", len(out), MaxMessage)
	}
	return out, nil
}

func decode(kind byte, message []byte, v any) error {
	body, ok := bytes.CutPrefix(message, []byte(magic+string(kind)))
	if !ok {
		return &FormatError{"it begins with other bytes"}
	}
	rest, err := unpack(body, v)
	if err == nil && len(rest) > 0 {
		err = &FormatError{"bytes follow its end"}
	}
	return err
}
