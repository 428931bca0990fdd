// Package frozen is the file that a live session travels in, *.wbfreeze: what
// language VMs have in their memory, which blocks brought them there, and the
// values and files that the document keeps.
//
//	magic [length of the head, u32 little-endian][head, JSON] ([length, u64][blob])* [SHA-256]
//	[length, u32][did:key of the signer, newline, Ed25519 signature]
//
// The SHA-256 covers all before it, and is the signed text; a file that nobody
// signed ends with a length of 0. A file is read whole and checked before
// anything in it is believed; what is then believed becomes memory of a guest,
// files of a sandbox and values of a store, never code of the host. Whether to
// believe its signer is for the reader to decide (see [File.Signer]).
//
// What belongs to the host is not in it: no secret and no variable of the
// user's, no grant, no key, no environment, no open file or connection, no clock.
package frozen

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"wb/internal/identity"
)

const (
	magicPrefix = "wb-freeze "
	magic       = magicPrefix + "2\n"
	// MaxFile bounds a file, in bytes.
	MaxFile = 2 << 30
	maxHead = 64 << 20
)

// File is a frozen document.
type File struct {
	// Document is the base name of the workbook, for people.
	Document string    `json:"document"`
	Sessions []Session `json:"sessions"`
	// KV and Files are the kept data of the components of the document's directory.
	KV    []Item `json:"kv,omitempty"`
	Files []Item `json:"files,omitempty"` // by volume:path

	// Signer is the did:key of the signer of the file it was read from, "" without one.
	Signer string `json:"-"`
}

// Session is one of the document's.
type Session struct {
	Name        string `json:"name"`
	Lang        string `json:"lang"`
	Fingerprint string `json:"fingerprint"`
	Meta        []byte `json:"meta,omitempty"`
	// State is the content of a compile.FrozenSession.
	State Blob `json:"state"`
	// Files are the sandbox.Changes that its blocks made to their files, as JSON.
	Files *Blob `json:"files,omitempty"`
	// Ran are the blocks that brought the session to this state, in order.
	Ran []Ran `json:"ran"`
}

// Ran is a block that ran, and what came of it.
type Ran struct {
	Component string `json:"component"`
	// Key names the block's program and inputs, and those before it.
	Key     string          `json:"key"`
	Outcome json.RawMessage `json:"outcome"`
	Made    []Item          `json:"made,omitempty"` // files that stay, by name
}

// Item is bytes under a name.
type Item struct {
	Name string `json:"name"`
	Data Blob   `json:"data"`
}

// Blob is bytes that stand behind the head; in it is their place, counted from 0.
type Blob struct {
	Bytes []byte
	index int
}

// MarshalJSON writes the blob's place.
func (b Blob) MarshalJSON() ([]byte, error) { return json.Marshal(b.index) }

// UnmarshalJSON reads the blob's place.
func (b *Blob) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &b.index) }

// blobs visits the blobs of a file, in one order.
func (f *File) blobs(visit func(b *Blob) error) error {
	items := func(list []Item) error {
		for i := range list {
			if err := visit(&list[i].Data); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if err := visit(&s.State); err != nil {
			return err
		}
		if s.Files != nil {
			if err := visit(s.Files); err != nil {
				return err
			}
		}
		for j := range s.Ran {
			if err := items(s.Ran[j].Made); err != nil {
				return err
			}
		}
	}
	if err := items(f.KV); err != nil {
		return err
	}
	return items(f.Files)
}

// Write writes a file, signed if by is not nil.
func (f *File) Write(w io.Writer, by identity.Signer) error {
	n := 0
	_ = f.blobs(func(b *Blob) error { b.index = n; n++; return nil })
	head, err := json.Marshal(f)
	if err != nil {
		return err
	}
	sum := sha256.New()
	out := io.MultiWriter(w, sum)
	write := func(b []byte) {
		if err == nil {
			_, err = out.Write(b)
		}
	}
	write([]byte(magic))
	write(binary.LittleEndian.AppendUint32(nil, uint32(len(head))))
	write(head)
	_ = f.blobs(func(b *Blob) error {
		write(binary.LittleEndian.AppendUint64(nil, uint64(len(b.Bytes))))
		write(b.Bytes)
		return nil
	})
	if err == nil {
		digest := sum.Sum(nil)
		_, err = w.Write(append(digest, signed(digest, by)...))
	}
	return err
}

// Read reads and checks a file. Errors are *[Error], or those of r.
func Read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Parse is Read for bytes, which it shares.
func Parse(data []byte) (*File, error) {
	switch {
	case !bytes.HasPrefix(data, []byte(magicPrefix)):
		return nil, Errorf(CodeFormat, "this is not a frozen session")
	case !bytes.HasPrefix(data, []byte(magic)):
		line, _, _ := bytes.Cut(data[len(magicPrefix):min(len(data), 64)], []byte("\n"))
		return nil, &Error{CodeVersion, fmt.Sprintf("it has version %.20q, this wb reads 2", line), "resume it with the wb that froze it"}
	case len(data) > MaxFile:
		return nil, Errorf(CodeFormat, "it has more than %d bytes", MaxFile)
	}
	f, rest, err := parse(data)
	if err != nil {
		return nil, err
	}
	if len(rest) < sha256.Size {
		return nil, Errorf(CodeTruncated, "its end is missing")
	}
	digest, end := rest[:sha256.Size], rest[sha256.Size:]
	if sum := sha256.Sum256(data[:len(data)-len(rest)]); !bytes.Equal(sum[:], digest) {
		return nil, &Error{CodeDigest, "its content was changed: the digest differs", "copy it again"}
	}
	if f.Signer, err = signerOf(digest, end); err != nil {
		return nil, err
	}
	return f, nil
}

// parse reads all but the digest and the signature, which are the rest.
func parse(data []byte) (*File, []byte, error) {
	rest := data[len(magic):]
	take := func(n uint64) ([]byte, bool) {
		if n > uint64(len(rest)) {
			return nil, false
		}
		part := rest[:n:n]
		rest = rest[n:]
		return part, true
	}
	truncated := Errorf(CodeTruncated, "its end is missing")
	size, ok := take(4)
	if !ok {
		return nil, nil, truncated
	}
	n := binary.LittleEndian.Uint32(size)
	if n > maxHead {
		return nil, nil, Errorf(CodeDigest, "its head claims %d bytes", n)
	}
	head, ok := take(uint64(n))
	if !ok {
		return nil, nil, truncated
	}
	f := &File{}
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return nil, nil, Errorf(CodeDigest, "its head is damaged: %v", err)
	}
	next := 0
	err := f.blobs(func(b *Blob) error {
		if b.index != next {
			return Errorf(CodeDigest, "its parts are out of order")
		}
		next++
		size, ok := take(8)
		if !ok {
			return truncated
		}
		if b.Bytes, ok = take(binary.LittleEndian.Uint64(size)); !ok {
			return truncated
		}
		return nil
	})
	return f, rest, err
}
