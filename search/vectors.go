package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
)

// vectorCache keeps embeddings in a file that only grows: records of a key, the
// number of floats, and these. Each is written at once, so several processes may
// add to it; what a killed one left half is skipped.
type vectorCache struct {
	path   string
	known  map[string][]float32
	loaded bool
}

// recordMark starts a record, so that reading finds the next one after damage.
const recordMark = "wb-vector:"

func (c *vectorCache) load() error {
	if c.loaded {
		return nil
	}
	data, err := os.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.known, c.loaded = map[string][]float32{}, true
	for {
		at := bytes.Index(data, []byte(recordMark))
		if at < 0 {
			return nil
		}
		data = data[at+len(recordMark):]
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			continue
		}
		key := string(data[size : size+int(n)])
		rest := data[size+int(n):]
		n, size = binary.Uvarint(rest)
		if size <= 0 || 4*n > uint64(len(rest)-size) {
			continue
		}
		vector := make([]float32, n)
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[size+4*i:]))
		}
		c.known[key] = vector
		data = rest[size+4*int(n):]
	}
}

func (c *vectorCache) get(key string) ([]float32, bool, error) {
	if err := c.load(); err != nil {
		return nil, false, err
	}
	v, ok := c.known[key]
	return v, ok, nil
}

func (c *vectorCache) set(vectors map[string][]float32) error {
	if err := c.load(); err != nil {
		return err
	}
	var b []byte
	for key, vector := range vectors {
		c.known[key] = vector
		b = append(b, recordMark...)
		b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
		b = binary.AppendUvarint(b, uint64(len(vector)))
		for _, x := range vector {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
