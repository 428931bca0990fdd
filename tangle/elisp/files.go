package elisp

import (
	"path"
	"strings"
)

// fileFuncs work on names only; none of them looks at the disk. Those that
// need to know the current directory get it from the Env (see [FileEnv]).
var fileFuncs = map[Symbol]builtin{
	"file-name-directory": name1(func(s string) Value {
		slash := strings.LastIndexByte(s, '/')
		if slash < 0 {
			return Nil
		}
		return String(s[:slash+1])
	}),
	"file-name-nondirectory":   name1(func(s string) Value { return String(base(s)) }),
	"file-name-sans-extension": name1(func(s string) Value { return String(SansExtension(s)) }),
	"file-name-base":           name1(func(s string) Value { return String(SansExtension(base(s))) }),
	"file-name-as-directory": name1(func(s string) Value {
		if s == "" {
			return String("./")
		}
		return String(asDirectory(s))
	}),
	"directory-file-name":  name1(func(s string) Value { return String(directoryFile(s)) }),
	"file-name-absolute-p": name1(func(s string) Value { return boolean(absolute(s)) }),
	"file-name-extension": between(1, 2, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a file name", a[0])
		}
		extension := string(s)[len(SansExtension(string(s))):]
		period := len(a) == 2 && !IsNil(a[1])
		switch {
		case period:
			return String(extension), nil
		case extension == "":
			return Nil, nil
		}
		return String(extension[1:]), nil
	}),
	"file-name-concat": between(1, -1, func(a []Value) (Value, error) {
		joined := ""
		for _, arg := range a {
			s, ok := arg.(String)
			if !ok && !IsNil(arg) {
				return nil, wrongType("a file name", arg)
			}
			if s == "" {
				continue
			}
			if joined != "" && !strings.HasSuffix(joined, "/") {
				joined += "/"
			}
			joined += string(s)
		}
		return String(joined), nil
	}),
	"file-name-with-extension": fixed(2, func(a []Value) (Value, error) {
		s, err := texts(a)
		if err != nil {
			return nil, err
		}
		extension := strings.TrimPrefix(s[1], ".")
		if extension == "" {
			return nil, failf("file-name-with-extension: the extension is empty")
		}
		return String(SansExtension(s[0]) + "." + extension), nil
	}),
}

func name1(fn func(string) Value) builtin {
	return fixed(1, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a file name", a[0])
		}
		return fn(string(s)), nil
	})
}

func base(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// SansExtension removes the last extension of a file name as Emacs does: a dot
// at the start of the name does not begin one.
func SansExtension(s string) string {
	name := base(s)
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return s
	}
	return s[:len(s)-len(name)+dot]
}

func asDirectory(s string) string {
	if strings.HasSuffix(s, "/") {
		return s
	}
	return s + "/"
}

func directoryFile(s string) string {
	if trimmed := strings.TrimRight(s, "/"); trimmed != "" {
		return trimmed
	}
	if s == "" {
		return ""
	}
	return "/"
}

func absolute(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~")
}

// Expand is expand-file-name: the absolute form of name relative to dir, with
// ~ replaced by home. A trailing slash stays.
func Expand(name, dir, home string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		name = home + name[1:]
	}
	if !strings.HasPrefix(name, "/") {
		if dir == "~" || strings.HasPrefix(dir, "~/") {
			dir = home + dir[1:]
		}
		name = asDirectory(dir) + name
	}
	clean := path.Clean(name)
	if clean != "/" && strings.HasSuffix(name, "/") {
		clean += "/"
	}
	return clean
}

// Relative is file-relative-name: name as seen from the directory dir; both
// must be absolute.
func Relative(name, dir string) string {
	dir = asDirectory(dir)
	up := ""
	for {
		if strings.HasPrefix(asDirectory(name), dir) {
			rest := strings.TrimPrefix(name, dir)
			if len(name) < len(dir) { // the directory itself
				rest = ""
			}
			if up+rest == "" {
				return "."
			}
			if rest == "" {
				return strings.TrimSuffix(up, "/")
			}
			return up + rest
		}
		up += "../"
		dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
	}
}

// FileEnv returns the variables and functions that know where the document
// lies: default-directory, buffer-file-name, (buffer-file-name), (buffer-name),
// (expand-file-name …), (file-relative-name …). file is its absolute path, home
// what ~ stands for ("" leaves ~ undefined).
func FileEnv(file, home string) *Env {
	dir := file[:strings.LastIndexByte(file, '/')+1]
	expand := func(fn string, args []Value) (string, error) {
		names := []string{"", dir}
		for i, arg := range args {
			if i == 1 && IsNil(arg) {
				continue
			}
			s, ok := arg.(String)
			if !ok {
				return "", wrongType("a file name", arg)
			}
			names[i] = string(s)
		}
		if home == "" && (strings.HasPrefix(names[0], "~") || strings.HasPrefix(names[1], "~")) {
			return "", failf("%s: the home directory is not known here", fn)
		}
		return Expand(names[0], Expand(names[1], dir, home), home), nil
	}
	self := func([]Value) (Value, error) { return String(file), nil }
	return &Env{
		Vars: map[Symbol]Value{
			"default-directory": String(dir),
			"buffer-file-name":  String(file),
		},
		Funcs: map[Symbol]Func{
			"buffer-file-name":          self,
			"buffer-base-buffer":        func([]Value) (Value, error) { return Nil, nil },
			"org-base-buffer-file-name": self,
			"buffer-name":               func([]Value) (Value, error) { return String(base(file)), nil },
			"expand-file-name": func(a []Value) (Value, error) {
				if len(a) < 1 || len(a) > 2 {
					return nil, failf("expand-file-name takes 1 to 2 arguments, given %d", len(a))
				}
				s, err := expand("expand-file-name", a)
				return String(s), err
			},
			"file-relative-name": func(a []Value) (Value, error) {
				if len(a) < 1 || len(a) > 2 {
					return nil, failf("file-relative-name takes 1 to 2 arguments, given %d", len(a))
				}
				name, err := expand("file-relative-name", a[:1])
				if err != nil {
					return nil, err
				}
				from := dir
				if len(a) == 2 && !IsNil(a[1]) {
					if from, err = expand("file-relative-name", a[1:]); err != nil {
						return nil, err
					}
				}
				return String(Relative(name, from)), nil
			},
		},
	}
}
