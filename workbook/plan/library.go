package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/tangle/elisp"
)

// maxLibrary bounds the size of another document.
const maxLibrary = 16 << 20

// library reads another document, once. It must lie in the workbook's
// directory or below.
func (b finder) library(file string) *library {
	if l, ok := b.libraries[file]; ok {
		return l
	}
	l := &library{file: file}
	if b.libraries == nil {
		b.libraries = map[string]*library{}
	}
	b.libraries[file] = l
	src, err := readBeside(b.plan.File, file)
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		l.err = fmt.Errorf("%s: %w", file, err)
		return l
	}
	l.doc = org.Parse(src)
	return l
}

// readBeside reads a file in the directory of a workbook, or below it.
func readBeside(workbook, name string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(workbook))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("not a regular file")}
	case info.Size() > maxLibrary:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("larger than %d MiB", maxLibrary>>20)}
	}
	return root.ReadFile(filepath.FromSlash(name))
}

// connectLibraries reports #+LOB: lines that name no document.
func (b connector) connectLibraries() {
	for k := range b.doc.Keywords("LOB") {
		if l := finding(b.builder).library(k.Value.Text); l.err != nil {
			b.problem("missing-library", k.Value.Start, "it is looked for in the workbook's directory", "#+LOB: %v", l.err)
		} else {
			b.lob = append(b.lob, l)
		}
	}
}

// inLibraries finds a name in the documents that #+LOB: lines name.
func (b finder) inLibraries(name string) *Component {
	for _, l := range b.lob {
		if c := b.foreign(l, name); c != nil {
			return c
		}
	}
	return nil
}

// foreign makes a block, table, list or text of another document a component
// of this plan; nil when that document has no such component.
func (b finder) foreign(l *library, name string) *Component {
	if l.doc == nil {
		return nil
	}
	n, ok := l.doc.Named(name)
	if !ok || l.doc.Commented(n) {
		return nil
	}
	if c := b.elements[n]; c != nil {
		return c
	}
	line, col := l.doc.Position(n.Start())
	c := &Component{ID: b.newID(l.file + ":" + name), Kind: KindData, Dialect: DialectBabel, Name: name, Out: []string{name},
		Pos: diag.Position{File: filepath.Join(filepath.Dir(b.plan.File), filepath.FromSlash(l.file)), Line: line, Col: col}, library: true}
	b.elements[n] = c
	block, isBlock := n.Block()
	if !isBlock || n.Kind() != org.KindSrcBlock {
		c.node, c.Lang = n, dataLang(n)
		return b.add(c)
	}
	c.Lang, c.Body, c.Args = block.Lang.Text, block.Code(), l.args(n, block.Lang.Text)
	c.Pos.Line, c.Pos.Col = l.doc.Position(block.Body.Start)
	c.Uses = b.usesIn(l.doc, n, c.Args)
	if isData(c.Lang) {
		c.node = n
		return b.add(c)
	}
	c.Kind = KindBlock
	c.Shape = c.defaultShape()
	b.add(c)
	connecting(b.builder).connectVars(c)
	connecting(b.builder).connectStdin(c)
	return c
}

// args are the header arguments of a block of another document. What its
// variables refer to stands there, too.
func (l *library) args(n *org.Node, lang string) org.Args {
	args := l.doc.HeaderArgs(n, DefaultsFor(lang)...)
	for i, a := range args {
		name, expr, ok := strings.Cut(a.Value, "=")
		if a.Key != ":var" || !ok {
			continue
		}
		expr = strings.TrimSpace(expr)
		if _, isLiteral, err := Literal(expr, &elisp.Env{}); isLiteral || err != nil {
			continue
		}
		ref := ParseReference(expr)
		if _, ok := l.doc.Named(ref.Name); ok && ref.File == "" {
			args[i].Value = strings.TrimSpace(name) + "=" + l.file + ":" + expr
		}
	}
	return args
}

// callArgs are the header arguments of a call of a block of another document:
// the block's, and its own.
func (b connector) callArgs(c *Component, callee *Component) org.Args {
	call, ok := c.node.Call()
	if !ok {
		return c.Args
	}
	levels := [][]org.Arg{callee.Args, {{Key: ":exports", Value: "results"}}}
	return org.MergeArgs(append(levels, b.doc.CallLevels(call, callee.Lang)...)...)
}

// elsewhere finds what a reference to another document means.
func (b finder) elsewhere(c *Component, ref Reference, at int, what string) *Component {
	l := b.library(ref.File)
	if l.err != nil {
		b.fault(c, "dangling-var", at, "it is looked for in the workbook's directory", "%s refers to another file: %v", what, l.err)
		return nil
	}
	from := b.foreign(l, ref.Name)
	if from == nil {
		b.fault(c, "dangling-var", at, "", "%s refers to %q, which names nothing in %s", what, ref.Name, ref.File)
	}
	return from
}

// Key is the name under which a plan keeps what a reference means.
func (r *Reference) Key() string {
	if r.File == "" {
		return r.Name
	}
	return r.File + ":" + r.Name
}

// remoteTarget parts the target of a call into a file and a name.
func remoteTarget(target string) (file, name string, ok bool) {
	i := strings.LastIndexByte(target, ':')
	if i <= 0 || i == len(target)-1 {
		return "", "", false
	}
	return target[:i], target[i+1:], true
}
