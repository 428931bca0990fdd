package remote

import (
	"io/fs"

	"wb/sandbox"
)

// wireEntry is a [sandbox.Entry].
type wireEntry struct {
	Name text        `json:"name"`
	Mode fs.FileMode `json:"mode"`
	Data int         `json:"data,omitempty"`
}

func packEntries(list []sandbox.Entry, b *blobs) []wireEntry {
	var all []wireEntry
	for _, e := range list {
		all = append(all, wireEntry{text(e.Name), e.Mode, b.add(e.Data)})
	}
	return all
}

func unpackEntries(list []wireEntry, b *blobs) ([]sandbox.Entry, error) {
	var all []sandbox.Entry
	for _, e := range list {
		data, err := b.get(e.Data)
		if err != nil {
			return nil, err
		}
		all = append(all, sandbox.Entry{Name: string(e.Name), Mode: e.Mode, Data: data})
	}
	return all, nil
}
