// Package tomlfile reads TOML files that people write, so that every mistake in them
// has a place: file, line and column, and where a word is misspelt, the one that was
// probably meant.
package tomlfile

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// File is a file that was read.
type File struct {
	path, text string
	meta       toml.MetaData
	into       any
}

// Read reads a file into a struct with toml tags. A file that is not there is the
// error of [os.ReadFile].
func Read(path string, into any) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, text: string(text), into: into}
	f.meta, err = toml.Decode(f.text, into)
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		message := strings.ReplaceAll(parse.Message, `'\x00'`, "the end of the file")
		return nil, diag.Usagef("", "%s:%d:%d: %s", path, parse.Position.Line, parse.Position.Col, message)
	}
	if err != nil {
		return nil, f.mismatch(err)
	}
	return f, nil
}

// mismatch is a value of a kind that the setting does not have.
func (f *File) mismatch(err error) error {
	m := regexp.MustCompile(`\(last key "(.*?)"\): (.*)$`).FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	kinds := regexp.MustCompile(`has type (\S+); destination has type (\S+)`).FindStringSubmatch(m[2])
	if kinds == nil {
		return f.Errorf("", m[1], "%s", m[2])
	}
	return f.Errorf("", m[1], "this is %s, and has to be %s", kind(kinds[1]), kind(kinds[2]))
}

// kind is a Go type's name for people.
func kind(name string) string {
	switch {
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"):
		return "a number"
	case strings.HasPrefix(name, "[]"), name == "slice":
		return "a list"
	case strings.HasPrefix(name, "map"), name == "struct":
		return "a table"
	case name == "bool", name == "boolean":
		return "true or false"
	case name == "string":
		return "a string in quotes"
	}
	return name
}

// Unknown reports a setting in one of these tables, or anywhere without tables, that
// the struct does not have.
func (f *File) Unknown(tables ...string) error {
	for _, key := range f.meta.Undecoded() {
		near := nearest.Word(key[0], tables)
		if len(tables) > 0 && !slices.Contains(tables, key[0]) && (near == "" || nearest.Distance(key[0], near) > 1) {
			continue // of somebody else
		}
		hint, last := "", len(key)-1
		known := names(reflect.TypeOf(f.into), key[:last])
		if near = nearest.Word(key[last], known); near != "" {
			hint = "did you mean " + near + "?"
		} else if len(known) > 0 {
			hint = "settings there are " + strings.Join(known, ", ")
		}
		return f.errorf(hint, key, "there is no setting %s", key)
	}
	return nil
}

// names are the settings that a struct has below a key.
func names(t reflect.Type, below toml.Key) (list []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(below) > 0 && t.Kind() == reflect.Map {
		return names(t.Elem(), below[1:])
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("toml"), ",")
		switch {
		case name == "" || name == "-":
		case len(below) == 0:
			list = append(list, name)
		case name == below[0]:
			return names(t.Field(i).Type, below[1:])
		}
	}
	return list
}

// Errorf is a mistake in a setting, such as org.todo.
func (f *File) Errorf(hint, key, format string, args ...any) error {
	return f.errorf(hint, strings.Split(key, "."), key+": "+format, args...)
}

func (f *File) errorf(hint string, key []string, format string, args ...any) error {
	line, col := f.place(key)
	return diag.Usagef(hint, "%s:%d:%d: %w", f.path, line, col, fmt.Errorf(format, args...))
}

// place is where a key, or else the table that it is in, stands.
func (f *File) place(key []string) (line, col int) {
	line, col = 1, 1
	wanted := strings.Join(key, ".")
	table := ""
	n := 0
	for text := range strings.Lines(f.text) {
		n++
		trimmed := strings.TrimSpace(text)
		name := ""
		if strings.HasPrefix(trimmed, "[") && !strings.Contains(trimmed, "=") {
			table, _, _ = strings.Cut(strings.TrimLeft(trimmed, "["), "]")
			table = plain(table)
			name = table
		} else if left, _, ok := strings.Cut(trimmed, "="); ok {
			name = plain(left)
			if table != "" {
				name = table + "." + name
			}
		}
		if name == wanted || name != "" && strings.HasPrefix(wanted, name+".") {
			line, col = n, 1+strings.Index(text, trimmed)
			if name == wanted {
				return line, col
			}
		}
	}
	return line, col
}

// plain is a dotted key without blanks and quotes.
func plain(key string) string {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(p), `"'`)
	}
	return strings.Join(parts, ".")
}
