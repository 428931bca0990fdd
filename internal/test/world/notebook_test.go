//go:build long

package world

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
)

// notebook takes a notebook to org and back. Of format 4 it must be the same JSON,
// but for text as one string or as a list of lines, and for line breaks in base64.
func (w *world) notebook(v *verb, file string) string {
	dir := w.t.TempDir()
	before := w.read(filepath.Join(w.dir, file))
	w.write(filepath.Join(dir, "a.ipynb"), before)
	if _, wrong := w.wb(v, dir, "import", "a.ipynb"); wrong != "" {
		return wrong
	}
	if _, wrong := w.wb(v, dir, "export", "a.org", "--to", "ipynb", "-o", "b.ipynb"); wrong != "" {
		return wrong
	}
	var a, b any
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(w.read(filepath.Join(dir, "b.ipynb")), &b) != nil {
		return "is no JSON"
	}
	if format, ok := a.(map[string]any)["nbformat"].(float64); ok && format < 4 {
		return "" // upgraded
	}
	if wrong := differ(plain("", a), plain("", b), ""); wrong != "" {
		return "is another notebook afterwards: " + wrong
	}
	return ""
}

// plain joins lists of lines, and leaves the line breaks out of pictures.
func plain(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(k, v[k])
		}
	case []any:
		var text bytes.Buffer
		for i := range v {
			v[i] = plain(key, v[i])
			line, ok := v[i].(string)
			if !ok {
				for j := range v {
					v[j] = plain(key, v[j])
				}
				return v
			}
			text.WriteString(line)
		}
		return plain(key, text.String())
	case string:
		if strings.HasPrefix(key, "image/") && key != "image/svg+xml" {
			return strings.ReplaceAll(v, "\n", "")
		}
	}
	return v
}

// differ names the first member in which two values differ.
func differ(a, b any, at string) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	x, isObject := a.(map[string]any)
	y, too := b.(map[string]any)
	if !isObject || !too {
		return cmp.Or(at, "all of it")
	}
	for key := range x {
		if wrong := differ(x[key], y[key], key); wrong != "" {
			return wrong
		}
	}
	return cmp.Or(at, "a new member")
}
