package js

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"
	"io"
	"maps"
	"slices"

	"wb/sandbox"
)

// hashes are the algorithms of node's crypto that the guest has.
var hashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New,
	"sha384": sha512.New384, "sha512": sha512.New, "sha512-224": sha512.New512_224, "sha512-256": sha512.New512_256,
	"sha3-224": func() hash.Hash { return sha3.New224() }, "sha3-256": func() hash.Hash { return sha3.New256() },
	"sha3-384": func() hash.Hash { return sha3.New384() }, "sha3-512": func() hash.Hash { return sha3.New512() },
}

// hostHash(algorithm, data, key) is the digest of bytes, with a key their HMAC.
// Without an algorithm it lists those there are.
func (m *machine) hostHash(ctx context.Context, args []handle) (handle, error) {
	if args[0] == 0 {
		return m.answer(ctx, slices.Sorted(maps.Keys(hashes)))
	}
	name, err := m.text(ctx, args[0])
	if err != nil {
		return 0, err
	}
	make := hashes[name]
	if make == nil {
		return 0, &guestError{Code: "ERR_OSSL_EVP_UNSUPPORTED", Message: "Digest method not supported"}
	}
	data, err := m.bytes(ctx, args[1])
	if err != nil {
		return 0, err
	}
	h := make()
	if args[2] != 0 && !m.is(ctx, args[2], "undefined") {
		key, err := m.bytes(ctx, args[2])
		if err != nil {
			return 0, err
		}
		h = hmac.New(make, key)
	}
	m.charge(ctx, 32*len(data)) // about what it would cost the guest
	h.Write(data)
	return m.newBytes(ctx, h.Sum(nil))
}

// hostPack(format, bytes) compresses, as gzip, deflate or deflate-raw.
func (m *machine) hostPack(ctx context.Context, name string, more []handle) (handle, error) {
	data, err := m.bytes(ctx, more[0])
	if err != nil {
		return 0, err
	}
	m.charge(ctx, 64*len(data))
	var out bytes.Buffer
	var w io.WriteCloser
	switch name {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	default:
		if w, err = flate.NewWriter(&out, flate.DefaultCompression); err != nil {
			return 0, err
		}
	}
	if _, err := w.Write(data); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return m.newBytes(ctx, out.Bytes())
}

// hostUnpack(format, bytes) is the inverse of hostPack. What comes out may not
// be larger than the guest's memory.
func (m *machine) hostUnpack(ctx context.Context, name string, more []handle) (handle, error) {
	data, err := m.bytes(ctx, more[0])
	if err != nil {
		return 0, err
	}
	var r io.Reader
	switch name {
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(data))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(data))
	default:
		r = flate.NewReader(bytes.NewReader(data))
	}
	limit := cmp.Or(m.world.limits.Memory, sandbox.DefaultLimits.Memory)
	var out []byte
	if err == nil {
		out, err = io.ReadAll(io.LimitReader(r, limit+1))
	}
	m.charge(ctx, 8*len(out)+8*len(data))
	switch {
	case err != nil:
		return 0, &guestError{Code: "Z_DATA_ERROR", Message: "unexpected data: this is no " + name}
	case int64(len(out)) > limit:
		return 0, &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: limit}
	}
	return m.newBytes(ctx, out)
}
