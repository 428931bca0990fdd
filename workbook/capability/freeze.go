package capability

import (
	"bytes"
	"context"

	"wb/workbook/frozen"
)

// Pack adds what components of a directory keep to a frozen document: their
// keys, and the files of the volumes that stay. Variables and secrets are the
// user's, not the document's, and are not touched.
func (h *Host) Pack(ctx context.Context, dir string, f *frozen.File) error {
	s := h.Project(dir)
	keys, err := s.Keys(ctx, h.Tenant, "")
	if err != nil {
		return err
	}
	for _, key := range keys {
		value, found, err := s.Get(ctx, h.Tenant, key)
		if err != nil {
			return err
		}
		if found {
			f.KV = append(f.KV, frozen.Item{Name: key, Data: frozen.Blob{Bytes: value}})
		}
	}
	for _, volume := range kept {
		names, err := s.ListFiles(ctx, volume+":")
		if err != nil {
			return err
		}
		for _, name := range names {
			content, found, err := s.ReadFile(ctx, name)
			if err != nil {
				return err
			}
			if found {
				f.Files = append(f.Files, frozen.Item{Name: name, Data: frozen.Blob{Bytes: content}})
			}
		}
	}
	return nil
}

// kept are the volumes that outlive a run.
var kept = []string{"workspace", "memory"}

// Unpack puts them into a directory's stores. What already exists and differs
// is an error, and then nothing is changed.
func (h *Host) Unpack(ctx context.Context, dir string, f *frozen.File) error {
	s := h.Project(dir)
	for _, part := range []struct {
		what  string
		items []frozen.Item
		get   func(name string) ([]byte, bool, error)
	}{
		{"the key", f.KV, func(name string) ([]byte, bool, error) { return s.Get(ctx, h.Tenant, name) }},
		{"the file", f.Files, func(name string) ([]byte, bool, error) { return s.ReadFile(ctx, name) }},
	} {
		for _, item := range part.items {
			have, found, err := part.get(item.Name)
			if err != nil {
				return err
			}
			if found && !bytes.Equal(have, item.Data.Bytes) {
				return &frozen.Error{Code: frozen.CodeConflict, Message: part.what + " " + item.Name + " already exists here and differs",
					Help: "resume in another directory, or remove it"}
			}
		}
	}
	for _, item := range f.KV {
		if err := s.Put(ctx, h.Tenant, item.Name, item.Data.Bytes); err != nil {
			return err
		}
	}
	for _, item := range f.Files {
		if err := s.WriteFile(ctx, item.Name, item.Data.Bytes); err != nil {
			return err
		}
	}
	return nil
}
