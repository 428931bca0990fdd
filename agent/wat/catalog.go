package wat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"wb/internal/nearest"
	"wb/sandbox"
)

// Entry is one program of a catalog: a .wat file that begins with TOML behind
// ;;; and goes on with a function body.
type Entry struct {
	Name        string    `toml:"name"`
	Description string    `toml:"description"`
	Args        []ArgSpec `toml:"args"`
	Body        string    `toml:"-"`
	Path        string    `toml:"-"`
}

// ArgSpec is an argument of a program; one with a default may be left out.
type ArgSpec struct {
	Name        string  `toml:"name"`
	TypeHint    string  `toml:"type_hint"`
	Description string  `toml:"description"`
	Default     *string `toml:"default"`
}

// Catalog is programs by name.
type Catalog map[string]*Entry

// ReadProgram reads a program's file.
func ReadProgram(path, text string) (*Entry, error) {
	p := &Entry{Path: path}
	var head strings.Builder
	rest := text
	for strings.HasPrefix(rest, ";;;") {
		line, more, _ := strings.Cut(rest, "\n")
		head.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, ";;;"), " ") + "\n")
		rest = more
	}
	meta, err := toml.Decode(head.String(), p)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, fmt.Errorf("%s:%d:%d: %s", path, parse.Position.Line, parse.Position.Col, parse.Message)
		}
		return nil, fmt.Errorf("%s:1:1: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s:1:1: the head of a program has no %s", path, unknown[0])
	}
	if p.Name == "" || p.Description == "" {
		return nil, fmt.Errorf("%s:1:1: a program must begin with ;;; name = \"…\" and ;;; description = \"…\"", path)
	}
	p.Body = strings.TrimSpace(rest)
	return p, nil
}

// LoadCatalog reads the .wat files of a directory; "" has none.
func LoadCatalog(dir string) (Catalog, error) {
	c := Catalog{}
	if dir == "" {
		return c, nil
	}
	files, err := fs.Glob(os.DirFS(dir), "*.wat")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := ReadProgram(path, string(text))
		if err != nil {
			return nil, err
		}
		if other := c[p.Name]; other != nil {
			return nil, fmt.Errorf("%s:1:1: %s is also in %s", path, p.Name, other.Path)
		}
		c[p.Name] = p
	}
	return c, nil
}

// Prepare compiles every program, so that a call only runs. One that does not
// compile is an error with its file.
func (c Catalog) Prepare(ctx context.Context, programs *Programs, engine *sandbox.Engine) error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if _, err := programs.compile(ctx, engine, c[name].Body); err != nil {
			return fmt.Errorf("%s: %w", c[name].Path, err)
		}
	}
	return nil
}

// Find is a program with its arguments filled up by defaults.
func (c Catalog) Find(name string, args []string) (body string, whole []string, err error) {
	p := c[name]
	if p == nil {
		hint := ""
		if near := nearest.Word(name, slices.Collect(maps.Keys(c))); near != "" {
			hint = fmt.Sprintf(" Did you mean '%s'?", near)
		}
		return "", nil, told("Catalog program '" + name + "' not found." + hint)
	}
	whole = slices.Clone(args)
	for _, spec := range p.Args[min(len(args), len(p.Args)):] {
		if spec.Default == nil {
			return "", nil, fmt.Errorf("%s needs the argument %s", name, spec.Name)
		}
		whole = append(whole, *spec.Default)
	}
	return p.Body, whole, nil
}

// Describe lists the programs for the prompt.
func (c Catalog) Describe() string {
	if len(c) == 0 {
		return "No library programs available.\n"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		p := c[name]
		fmt.Fprintf(&b, "- **%s**: %s\n", p.Name, p.Description)
		for i, a := range p.Args {
			if i == 0 {
				b.WriteString("  Arguments:\n")
			}
			fmt.Fprintf(&b, "  - %s (%s): %s", a.Name, a.TypeHint, a.Description)
			if a.Default != nil {
				fmt.Fprintf(&b, " (default %q)", *a.Default)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
