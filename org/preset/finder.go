package preset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wb/internal/tomlfile"
	"wb/org"
	"wb/org/agenda"
)

// Finder knows the settings of files. It is safe for concurrent use.
type Finder struct {
	// Notes are settings that are there and could not be read.
	Notes []string
	// Init is the path of the init file, "" for none.
	Init string

	user Settings
	root string // above which no .dir-locals.el is looked for; "" is none

	mu   sync.Mutex
	dirs map[string]*local
}

// local is a .dir-locals.el.
type local struct {
	dir, text string
	form      form
}

// config is the table [org] of wb.toml.
type config struct {
	Init          string   `toml:"init"`
	Todo          []string `toml:"todo"`
	AgendaFiles   []string `toml:"agenda_files"`
	InheritTags   *bool    `toml:"inherit_tags"`
	NotInherited  []string `toml:"tags_not_inherited"`
	WarningDays   *int     `toml:"deadline_warning_days"`
	HighestLetter string   `toml:"highest_priority"`
	LowestLetter  string   `toml:"lowest_priority"`
	DefaultLetter string   `toml:"default_priority"`
}

// Load reads the user's settings: wb/wb.toml in the configuration directory, and
// the init file that it names. Files that are not there set nothing.
func Load(getenv func(string) string) (*Finder, error) {
	home := getenv("HOME")
	dir := getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(home, ".config")
	}
	f := &Finder{user: Settings{Agenda: agenda.Defaults()}, dirs: map[string]*local{}}
	path := filepath.Join(dir, "wb", "wb.toml")
	var settings struct {
		Org config `toml:"org"`
	}
	file, err := tomlfile.Read(path, &settings)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = file.Unknown("org")
	}
	if err != nil {
		return nil, err
	}
	if settings.Org.Init != "" {
		f.Init = expand(settings.Org.Init, home, filepath.Dir(path))
		if err := f.init(f.Init, home); err != nil {
			return nil, file.Errorf("", "org.init", "%w", err)
		}
	}
	if key, err := f.user.configure(settings.Org, home); err != nil {
		return nil, file.Errorf("", "org."+key, "%w", err)
	}
	return f, nil
}

// Within knows what .dir-locals.el say in a directory and below, and nothing of
// the user's own settings.
func Within(dir string) *Finder {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Finder{user: Settings{Agenda: agenda.Defaults()}, root: dir, dirs: map[string]*local{}}
}

// init reads an init file, Lisp or an org file with blocks of it.
func (f *Finder) init(path, home string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	forms, errs := readForms(InitLisp(path, src))
	v := &variables{set: map[string]form{}}
	v.read(forms)
	f.user.apply(v, home)
	for _, err := range errs {
		v.notes = append(v.notes, err.Error())
	}
	for _, note := range v.notes {
		f.Notes = append(f.Notes, path+": "+note)
	}
	return nil
}

// InitLisp is the Lisp of an init file, which an org file has in its blocks.
func InitLisp(path string, src []byte) string {
	if filepath.Ext(path) != ".org" {
		return string(src)
	}
	var b strings.Builder
	for block := range org.Parse(src).Blocks(org.KindSrcBlock) {
		if lang := block.Lang.Text; lang == "emacs-lisp" || lang == "elisp" {
			b.WriteString(block.Code() + "\n")
		}
	}
	return b.String()
}

// configure takes over what wb.toml says. A mistake comes with the key that has it.
func (s *Settings) configure(c config, home string) (key string, err error) {
	if c.Todo != nil {
		for _, line := range c.Todo {
			if err := checkSequence(line); err != nil {
				return "todo", err
			}
		}
		s.Todo = c.Todo
	}
	if c.InheritTags != nil {
		s.NoTagInheritance = !*c.InheritTags
	}
	if c.NotInherited != nil {
		s.NotInherited = c.NotInherited
	}
	if c.WarningDays != nil {
		s.Agenda.WarningDays = *c.WarningDays
	}
	for _, p := range []struct {
		name, letter string
		to           *int
	}{{"highest_priority", c.HighestLetter, &s.Agenda.Highest}, {"lowest_priority", c.LowestLetter, &s.Agenda.Lowest}, {"default_priority", c.DefaultLetter, &s.Agenda.Default}} {
		switch {
		case p.letter == "":
		case len(p.letter) == 1 && p.letter[0] >= 'A' && p.letter[0] <= 'Z':
			*p.to = int(p.letter[0])
		default:
			if _, err := fmt.Sscanf(p.letter, "%d", p.to); err != nil || *p.to < 0 || *p.to > 64 {
				return p.name, fmt.Errorf("%q is neither a letter nor a number below 65", p.letter)
			}
		}
	}
	if c.AgendaFiles != nil {
		s.Files = nil
		for _, name := range c.AgendaFiles {
			s.Files = append(s.Files, expand(name, home, home))
		}
	}
	return "", nil
}

// checkSequence finds what is not a sequence of keywords: states that are open, and behind
// at most one bar those that are done.
func checkSequence(line string) error {
	words := strings.Fields(line)
	bars := 0
	for _, w := range words {
		if w == "|" {
			bars++
		}
	}
	switch {
	case bars == len(words):
		return fmt.Errorf("%q has no keywords: write \"TODO NEXT | DONE\"", line)
	case bars > 1:
		return fmt.Errorf("%q has more than one |: write each sequence as a text of its own", line)
	}
	return nil
}

// User are the settings of the user, without those of directories.
func (f *Finder) User() Settings { return f.user }

// For are the settings of a file.
func (f *Finder) For(path string) Settings {
	abs, err := filepath.Abs(path)
	if err != nil {
		return f.user
	}
	l := f.locals(filepath.Dir(abs))
	if l == nil {
		return f.user
	}
	below, _ := filepath.Rel(l.dir, abs)
	v := &variables{set: map[string]form{}}
	v.dirLocals(l.form, filepath.ToSlash(below))
	s := f.user
	s.apply(v, l.dir)
	return s
}

// DirLocals is the text of the nearest .dir-locals.el at or above a directory, "" for
// none.
func (f *Finder) DirLocals(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if l := f.locals(abs); l != nil {
		return l.text
	}
	return ""
}

// Of are the settings with which a file is parsed.
func (f *Finder) Of(path string) org.Presets { return f.For(path).Presets }

// locals is the nearest .dir-locals.el, nil without one. Each directory is asked
// once.
func (f *Finder) locals(dir string) *local {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.localsAt(dir)
}

func (f *Finder) localsAt(dir string) *local {
	if l, ok := f.dirs[dir]; ok {
		return l
	}
	var l *local
	src, err := os.ReadFile(filepath.Join(dir, ".dir-locals.el"))
	switch up := filepath.Dir(dir); {
	case err == nil:
		if forms, _ := readForms(string(src)); len(forms) > 0 {
			l = &local{dir, string(src), forms[0]}
		}
	case up != dir && dir != f.root:
		l = f.localsAt(up)
	}
	f.dirs[dir] = l
	return l
}
