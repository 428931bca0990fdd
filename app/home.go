package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"wb/agent/toolkit"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/internal/trace"
	"wb/org/oql"
	"wb/sandbox/dock/store"
	"wb/search/federate"
	"wb/workbook"
)

// Home is where verbs work: what a door lets them see, run and tell. A door fills
// one; fields that are nil are not served.
type Home struct {
	// Root bounds what is read to the directory Dir: neither ".." nor a link leads
	// out of it. Without a root, names are those of the operating system and
	// relative to the working directory.
	Root *os.Root
	Dir  string
	// Hidden says which names are kept back; nil keeps none.
	Hidden func(name string) bool
	// Outside is the error about a name that leads out of Root; nil is a usual one.
	Outside func(name string) error
	// Stdin is the text that the name - stands for.
	Stdin io.Reader
	// StdinName is the name that positions in that text carry.
	StdinName string
	// Languages are the lanes, made when a verb first needs them.
	Languages func(context.Context) (*compile.Registry, error)
	// State is where runs are registered; nil knows only what is recorded in Dir.
	State *trace.State
	// Files receives the files that a verb writes; nil is the file system.
	Files FileSink
	// Note tells a person what happens beside the answer; nil is silent.
	Note func(text string)
	// Verbose asks for more notes.
	Verbose bool
	// Follow shows a person how far something has come, until it is called off, which
	// may be said twice; nil shows nothing.
	Follow func(what, units string) (tell func(done, of int), off func())

	// Later does what need not be waited for, when the answer was given; nil does it
	// at once.
	Later func(func())
	// Tables opens the tables that are not org files; nil has none.
	Tables func(flags TableFlags, given []string) (*federate.Catalog, error)

	// Write lets runs write results into workbooks.
	Write bool
	// Prepare gives a run what it was granted, and what serves it. Finish is called
	// when the run is over.
	Prepare func(ctx context.Context, opts *workbook.Options) (finish func(context.Context) error, err error)
	// Record opens the record of a run; a nil record records nothing.
	Record func(file string, src []byte) (*trace.Run, error)
	// Hear is told of a run's events besides its record.
	Hear func(record trace.Sink) trace.Sink
	// Cache keeps results between runs; nil is beside the workbook.
	Cache func(file string) *workbook.Cache
	// Options adds what a door wants of each run, such as to hear its progress.
	Options func(*workbook.Options)
	// Execute runs a prepared workbook; nil is [workbook.Run].
	Execute func(context.Context, workbook.Options) (*workbook.Report, error)
	// Variables are those of a tenant, and its name; nil is the user's own, or none
	// in a bounded home.
	Variables func() (s *store.Store, tenant string)
	// Toolkits are those that are known; nil is those of the working directory, or
	// none in a bounded home. Command gives a command of one its files, its
	// capabilities and what serves them; nil is as the user grants them.
	Toolkits func() toolkit.Root
	Command  func(ctx context.Context, t *toolkit.Toolkit, in *ToolkitRunIn) (call toolkit.Call, finish func(context.Context) error, err error)
	// Env builds programs, made when a verb first needs it.
	Env func(context.Context) (*compile.Env, error)
	// Stderr takes what programs write to standard error, as it is.
	Stderr io.Writer
	// Version is told to tools that read what wb writes.
	Version string
}

// FileSink takes the files that a verb writes into a bounded directory. Names have
// slashes and are relative to it.
type FileSink interface {
	// Target is the name of a file in the sink by its path, or why it may not be
	// written.
	Target(path string) (name string, err error)
	Write(name string, content []byte) error
}

func (h *Home) notef(format string, args ...any) {
	if h.Note != nil {
		h.Note(fmt.Sprintf(format, args...))
	}
}

func (h *Home) hint(text string) {
	if text != "" {
		h.notef("hint: %s", text)
	}
}

func (h *Home) warn(err error) {
	if err != nil {
		h.notef("wb: warning: %v", err)
	}
}

func (h *Home) follow(what, units string) (tell func(done, of int), off func()) {
	if h.Follow == nil {
		return nil, func() {}
	}
	return h.Follow(what, units)
}

func (h *Home) later(do func()) {
	if h.Later == nil {
		do()
		return
	}
	h.Later(do)
}

// lanes are the languages of this home.
func (h *Home) lanes(ctx context.Context) (*compile.Registry, error) {
	if h.Languages == nil {
		return nil, nil
	}
	return h.Languages(ctx)
}

// book is a workbook in this home, whose outcomes are kept beside it.
func (h *Home) book(ctx context.Context, file string, src []byte) (workbook.Book, error) {
	lanes, err := h.lanes(ctx)
	return workbook.BookAt(file, src, lanes), err
}

// Path is the path of a file or directory that exists.
func (h *Home) Path(name string) (string, error) {
	if h.Root == nil {
		return name, nil
	}
	name = strings.TrimPrefix(filepath.ToSlash(name), "./")
	if name == "" {
		name = "."
	}
	if h.Hidden != nil && h.Hidden(name) {
		return "", fmt.Errorf("%s is reserved for the host", name)
	}
	if _, err := h.Root.Stat(filepath.FromSlash(name)); err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", diag.NotFoundf("", "no such file: %s", name)
		case h.Outside != nil:
			return "", h.Outside(name)
		}
		return "", fmt.Errorf("%s is not inside the directory of this server", name)
	}
	return filepath.Join(h.Dir, filepath.FromSlash(name)), nil
}

// Read reads a file; - is the text on standard input. The name is what its
// positions carry, the path where it lies.
func (h *Home) Read(file string) (name, path string, src []byte, err error) {
	if h.Root != nil {
		if path, err = h.Path(file); err != nil {
			return "", "", nil, err
		}
		src, err = h.Root.ReadFile(filepath.FromSlash(strings.TrimPrefix(file, "./")))
		return filepath.ToSlash(filepath.Clean(file)), path, src, err
	}
	if file == "-" && h.Stdin != nil {
		name = h.StdinName
		if name == "" {
			name = "stdin.org"
		}
		src, err = io.ReadAll(h.Stdin)
		return name, name, src, err
	}
	src, err = os.ReadFile(file)
	if os.IsNotExist(err) {
		err = MissingFile(file)
	}
	return file, file, src, err
}

// text reads a file of whatever kind.
func (h *Home) text(file string) ([]byte, error) {
	_, _, src, err := h.Read(file)
	return src, err
}

// paths are the paths of files and directories; all of a bounded home when none
// is named.
func (h *Home) paths(names []string) ([]string, error) {
	if h.Root == nil {
		return names, nil
	}
	if len(names) == 0 {
		return []string{h.Dir}, nil
	}
	all := make([]string, len(names))
	for i, name := range names {
		path, err := h.Path(name)
		if err != nil {
			return nil, err
		}
		all[i] = path
	}
	return all, nil
}

// orgPaths are the paths of org files and directories, without files that are kept
// back.
func (h *Home) orgPaths(names []string) ([]string, error) {
	paths, err := h.paths(names)
	if err != nil || h.Root == nil || h.Hidden == nil {
		return paths, err
	}
	all, err := oql.Files(paths)
	if err != nil {
		return nil, Plainly(err)
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(path string) bool {
		name, err := filepath.Rel(h.Dir, path)
		return err != nil || h.Hidden(filepath.ToSlash(name))
	})
	switch {
	case len(shown) == len(all):
		return paths, nil
	case len(shown) == 0: // nothing named would mean everything
		return nil, diag.NotFoundf("", "there are no org files here")
	}
	return shown, nil
}

// Inside is text in which files of a bounded home are named as its users name
// them.
func (h *Home) Inside(text string) string {
	if h.Root == nil {
		return text
	}
	return Inside(text, h.Dir)
}

// Inside is text in which what lies in a directory is named as seen from there.
func Inside(text, dir string) string {
	if dir == "" || filepath.Dir(dir) == dir { // nothing lies outside of it
		return text
	}
	var b strings.Builder
	for at := 0; ; {
		n := strings.Index(text[at:], dir)
		if n < 0 {
			b.WriteString(text[at:])
			return b.String()
		}
		begin, end := at+n, at+n+len(dir)
		b.WriteString(text[at:begin])
		rest, below := strings.CutPrefix(text[end:], string(filepath.Separator))
		switch {
		case begin > 0 && inName(text[begin-1:begin]), !below && inName(strings.TrimPrefix(rest, ".")):
			b.WriteString(dir) // the end of another path, or another name that begins like it
		case below && inName(strings.TrimPrefix(rest, ".")):
			end++
		default:
			b.WriteString(".")
		}
		at = end
	}
}

// inName reports whether text begins with what goes on with the name of a file.
func inName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/.", r))
}

// InsideJSON is data as JSON, with names as [Home.Inside] has them.
func (h *Home) InsideJSON(data any) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := diag.WriteJSON(&b, data); err != nil {
		return nil, err
	}
	return json.RawMessage(h.Inside(strings.TrimSuffix(b.String(), "\n"))), nil
}

// MissingFile is the error about a file that does not exist, which names the
// nearest one beside it.
func MissingFile(name string) error {
	if to, err := os.Readlink(name); err == nil {
		return diag.NotFoundf("", "%s: the link leads to %s, which does not exist", name, to)
	}
	siblings, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*"+filepath.Ext(name)))
	siblings = slices.DeleteFunc(siblings, func(s string) bool { return s == name })
	hint := ""
	if near := nearest.Word(name, siblings); near != "" {
		hint = "did you mean " + near + "?"
	} else if _, err := os.Stat(filepath.Dir(name)); errors.Is(err, fs.ErrNotExist) {
		hint = "there is no directory " + filepath.Dir(name)
	}
	return diag.NotFoundf(hint, "%s: no such file", name)
}

// Plainly says in the words of all verbs that a file does not exist or is a
// directory, which verbs learn from the system in different words.
func Plainly(err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok, err.Error() != path.Error(): // somebody has explained it
		return err
	case errors.Is(path.Err, fs.ErrNotExist):
		return MissingFile(path.Path)
	case errors.Is(path.Err, syscall.EISDIR):
		return diag.Usagef("name the files, such as "+filepath.Join(path.Path, "*.org"), "%s: a directory, not a file", path.Path)
	}
	return err
}
