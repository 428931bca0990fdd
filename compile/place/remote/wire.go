package remote

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"wb/internal/value"
)

// A message is
//
//	magic  kind [length, u32 little-endian][header, JSON] ([length, u64][blob])*
//
// The header says how many blobs there are; nothing may follow the last. JSON
// is written by encoding/json, which sorts the keys of maps, so a value has one
// encoding.
const magic = "wb-remote-1"

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

// blobs gathers the byte strings of a message. A reference counts from 1; 0 is
// nil.
type blobs struct{ list [][]byte }

func (b *blobs) add(data []byte) int {
	if data == nil {
		return 0
	}
	b.list = append(b.list, data)
	return len(b.list)
}

func (b *blobs) get(ref int) ([]byte, error) {
	switch {
	case ref == 0:
		return nil, nil
	case ref < 0 || ref > len(b.list):
		return nil, &FormatError{fmt.Sprintf("there is no blob %d", ref)}
	}
	return b.list[ref-1], nil
}

func encode(kind byte, head any, b *blobs) ([]byte, error) {
	header, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	size := len(magic) + 9 + len(header)
	for _, data := range b.list {
		size += 8 + len(data)
	}
	if size > MaxMessage {
		return nil, fmt.Errorf("a message of %d bytes is larger than %d", size, MaxMessage)
	}
	out := make([]byte, 0, size)
	out = append(append(out, magic...), kind)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(header))), header...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b.list)))
	for _, data := range b.list {
		out = append(binary.LittleEndian.AppendUint64(out, uint64(len(data))), data...)
	}
	return out, nil
}

// decode reads a message into head. The blobs share memory with it.
func decode(kind byte, message []byte, head any) (*blobs, error) {
	rest, ok := bytes.CutPrefix(message, []byte(magic+string(kind)))
	if !ok {
		return nil, &FormatError{"it begins with other bytes"}
	}
	r := reader{rest: rest}
	header := r.take(uint64(r.u32()))
	b := &blobs{}
	for range r.u32() {
		data := r.take(r.u64())
		if r.short {
			break
		}
		b.list = append(b.list, data)
	}
	switch {
	case r.short:
		return nil, &FormatError{"it ends early"}
	case len(r.rest) > 0:
		return nil, &FormatError{"bytes follow its end"}
	}
	d := json.NewDecoder(bytes.NewReader(header))
	d.DisallowUnknownFields()
	if err := d.Decode(head); err != nil {
		return nil, &FormatError{err.Error()}
	}
	return b, nil
}

// reader takes bytes off the front, until there are none.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n uint64) []byte {
	if r.short || n > uint64(len(r.rest)) {
		r.short = true
		return nil
	}
	part := r.rest[:n:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text is a string that may hold any bytes: JSON has only UTF-8.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return value.OfString(string(t)).MarshalJSON()
}

func (t *text) UnmarshalJSON(data []byte) error {
	var v value.Value
	if err := v.UnmarshalJSON(data); err != nil {
		return err
	}
	if v.Kind() != value.String {
		return fmt.Errorf("expected text, got %.40s", data)
	}
	*t = text(v.Text())
	return nil
}

func texts(list []string) []text {
	if list == nil {
		return nil
	}
	all := make([]text, len(list))
	for i, s := range list {
		all[i] = text(s)
	}
	return all
}

func plain(list []text) []string {
	if list == nil {
		return nil
	}
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = string(s)
	}
	return all
}
