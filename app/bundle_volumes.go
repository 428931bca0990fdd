package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/leak"
	"wb/publish/pack"
	"wb/workbook"
	"wb/workbook/frozen"
)

// volumesPath is the file of a bundle with what components keep, where the sender
// wanted it in.
const volumesPath = "volumes.json"

// volumesFormat is the version of that file.
const volumesFormat = "wb-volumes/1"

// volumes are the keys and files that components of a directory keep.
type volumes struct {
	Format string       `json:"format"`
	Keys   []volumeItem `json:"keys,omitempty"`
	Files  []volumeItem `json:"files,omitempty"` // by VOLUME:PATH
}

// volumeItem is text, or bytes that are none.
type volumeItem struct {
	Name  string `json:"name"`
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"base64,omitempty"`
}

func volumeItems(items []frozen.Item) []volumeItem {
	list := make([]volumeItem, len(items))
	for i, item := range items {
		if list[i].Name = item.Name; utf8.Valid(item.Data.Bytes) {
			list[i].Text = string(item.Data.Bytes)
		} else {
			list[i].Bytes = item.Data.Bytes
		}
	}
	return list
}

func frozenItems(items []volumeItem) []frozen.Item {
	list := make([]frozen.Item, len(items))
	for i, item := range items {
		data := item.Bytes
		if data == nil {
			data = []byte(item.Text)
		}
		list[i] = frozen.Item{Name: item.Name, Data: frozen.Blob{Bytes: data}}
	}
	return list
}

// addVolumes adds what components of the document's directory keep to a bundle: the
// keys if the document uses kv, the files if it uses vfs. Nothing goes along that
// looks like a secret.
func addVolumes(ctx context.Context, p *pack.Packed, book workbook.Book, allow []string) (*volumes, error) {
	host, err := Capabilities()
	if err != nil {
		return nil, err
	}
	defer host.Close()
	file, err := filepath.Abs(book.File)
	if err != nil {
		return nil, err
	}
	var kept frozen.File
	if err := host.Pack(ctx, filepath.Dir(file), &kept); err != nil {
		return nil, err
	}
	asks := workbook.Asks(workbook.NewPlan(book.File, p.Files[p.Name]))
	uses := func(capability string) bool {
		return slices.ContainsFunc(asks, func(ask string) bool { return workbook.Capability(ask) == capability })
	}
	if !uses("kv") {
		kept.KV = nil
	}
	if !uses("vfs") {
		kept.Files = nil
	}
	looked := manifest.Files{}
	for _, item := range kept.KV {
		looked["keys/"+item.Name] = item.Data.Bytes
	}
	for _, item := range kept.Files {
		looked["volumes/"+strings.Replace(item.Name, ":", "/", 1)] = item.Data.Bytes
	}
	secrets, err := secretsOf(ctx)
	if err != nil {
		return nil, err
	}
	if err := leak.Check(looked, leak.Rules{Secrets: secrets, Allow: allow}); err != nil {
		return nil, err
	}
	if _, taken := p.Files[volumesPath]; taken {
		return nil, diag.Failedf("", "the document leads to a file %s, which is where a bundle has its volumes", volumesPath)
	}
	v := &volumes{volumesFormat, volumeItems(kept.KV), volumeItems(kept.Files)}
	p.Files[volumesPath], err = json.MarshalIndent(v, "", " ")
	return v, err
}

// volumesOf are those in a bundle, nil for none.
func volumesOf(files manifest.Files) (*volumes, error) {
	text, has := files[volumesPath]
	var v volumes
	if !has || json.Unmarshal(text, &v) != nil || !strings.HasPrefix(v.Format, "wb-volumes/") {
		return nil, nil // a file of that name
	}
	if v.Format != volumesFormat {
		return nil, diag.Failedf("", "its volumes have the format %.40q, this wb reads %s", v.Format, volumesFormat)
	}
	return &v, nil
}

// keep gives components of a directory what a bundle holds. What is there already and
// differs is an error, and then nothing is changed.
func (v *volumes) keep(ctx context.Context, dir string) error {
	host, err := Capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	return host.Unpack(ctx, dir, &frozen.File{KV: frozenItems(v.Keys), Files: frozenItems(v.Files)})
}
