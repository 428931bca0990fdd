package js

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// Unit is the result of building a block: everything needed to run it. It knows
// nothing of where the block stands in its file, which may change.
type Unit struct {
	// Script is the text QuickJS evaluates. Line Skip+1 of it is the body's
	// first; Lead bytes of glue stand before the script's first line.
	Script string `json:"-"`
	Skip   int    `json:"skip,omitempty"`
	Lead   int    `json:"lead,omitempty"`
	Lines  int    `json:"lines"` // of the body
	// Module says that Script is an ES module.
	Module bool `json:"module,omitempty"`
	// Session says that Script is evaluated at the top of a session, after
	// Vars, the assignments of its variables.
	Session bool   `json:"session,omitempty"`
	Vars    string `json:"vars,omitempty"`
	// Maps lead from places in what was translated to places in what the
	// author wrote, by file; BlockFile is Script. Skip, Lead and Lines are
	// about what the author wrote.
	Maps map[string]*SourceMap `json:"maps,omitempty"`
	// large leads from marks in Script and Vars to what they stand for.
	large map[string]string

	Func    string            `json:"func,omitempty"`
	Outs    []string          `json:"outs,omitempty"`
	Results compile.Results   `json:"results,omitempty"`
	Sources map[string][]byte `json:"sources,omitempty"` // the files of :dir
	// Packages are the packages of :deps; their files come from the cache.
	Packages []compile.Package `json:"packages,omitempty"`
}

// unpack is the unit of an artifact.
func unpack(art *compile.Artifact) (*Unit, error) {
	u := &Unit{Script: art.Script}
	return u, art.Unit(u)
}

// stackFrame is a place as QuickJS writes it in a stack: "at f (file:1:2)", or
// "at file:1:2" for what does not parse. Columns are in bytes.
var stackFrame = lazyregexp.New(`(\(?)([^\s():]*\.[a-z]+):(\d+)(?::(\d+))?(\)?)`)

// guestFrame matches frames of wb's own scripts and of QuickJS itself.
var guestFrame = lazyregexp.New(`\((wb:[a-z]+\.js|native)`)

// place is where in the org file something was thrown: its topmost frame in the
// block or one of its files, else the block itself.
func (u *Unit) place(src *compile.Source, t *thrown) diag.Position {
	for _, line := range frames(t) {
		if m := stackFrame.FindStringSubmatch(line); m != nil {
			return u.position(src, m)
		}
	}
	return at(src, 1, 1)
}

// frames are the lines of t's stack that an author has something to do with:
// without those of wb's own scripts, and without the constructors of the error
// itself.
func frames(t *thrown) []string {
	var lines []string
	making := t.Class != ""
	for line := range strings.Lines(t.Stack) {
		line = strings.TrimRight(line, "\n")
		if making = making && strings.HasPrefix(line, "    at "+t.Class+" ("); making {
			continue
		}
		if !guestFrame.MatchString(line) && strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// at is src.At, or a position relative to the block when src is not known.
func at(src *compile.Source, line, col int) diag.Position {
	if src == nil {
		return diag.Position{File: BlockFile, Line: line, Col: col}
	}
	return src.At(line, col)
}

// position turns a match of stackFrame into a place in the org file, or in a
// file of :dir.
func (u *Unit) position(src *compile.Source, m []string) diag.Position {
	line, _ := strconv.Atoi(m[3])
	col, _ := strconv.Atoi(m[4]) // in bytes, 0 when it is not known
	return u.Position(src, m[2], line, col)
}

// Position is where a place in a file as QuickJS knows it stands for the
// author: in the org file for BlockFile, else in a file of :dir. Line and col
// count from 1, col in bytes, 0 being unknown.
func (u *Unit) Position(src *compile.Source, file string, line, col int) diag.Position {
	if m := u.Maps[file]; m != nil {
		line, col = m.Original(line, col)
		if m.File != "" {
			file = m.File
		}
	}
	return u.written(src, file, line, col)
}

// written is the position of a place in what the author wrote.
func (u *Unit) written(src *compile.Source, file string, line, col int) diag.Position {
	if file != BlockFile {
		if src != nil && u.Sources[file] != nil {
			file = path.Join(src.Dir, file)
		}
		return diag.Position{File: path.Clean(file), Line: line, Col: max(col, 1)}
	}
	if line == 1 {
		col -= u.Lead
	}
	if body := line - u.Skip; body >= 1 && body <= u.Lines {
		return at(src, body, max(col, 1))
	}
	return at(src, 1, 1)
}

// stack is t's stack with places in the org file.
func (u *Unit) stack(src *compile.Source, t *thrown) string {
	var b strings.Builder
	for _, line := range frames(t) {
		b.WriteString(stackFrame.ReplaceAllStringFunc(line, func(text string) string {
			m := stackFrame.FindStringSubmatch(text)
			return m[1] + u.position(src, m).String() + m[5]
		}))
		b.WriteByte('\n')
	}
	if t.Cause != "" {
		fmt.Fprintf(&b, "  [cause]: %s\n", strings.ReplaceAll(t.Cause, "\n", "\n  "))
	}
	return b.String()
}

// diagnostic is t as a compiler's message.
func (u *Unit) diagnostic(src *compile.Source, t *thrown) diag.Finding {
	d := diag.Finding{Pos: u.place(src, t), Severity: diag.Error, Message: t.Message}
	if t.Name != "Error" {
		d.Code = t.Name
	}
	if name, ok := strings.CutPrefix(t.Message, "import "); ok {
		d.Pos = importPosition(src, name)
		d.Hint = hintForImport(name)
	}
	return d
}

// importPosition is where the body names a module, given a message that begins
// with the quoted name.
func importPosition(src *compile.Source, message string) diag.Position {
	name := message
	if q, err := strconv.QuotedPrefix(message); err == nil {
		name, _ = strconv.Unquote(q)
	}
	for i, line := range strings.Split(src.Body, "\n") {
		for _, quote := range []string{`'`, `"`} {
			if col := strings.Index(line, quote+name+quote); col >= 0 {
				return src.At(i+1, col+1)
			}
		}
	}
	return src.At(1, 1)
}

func hintForImport(message string) string {
	if strings.HasPrefix(message, strconv.Quote(dockModule)) {
		return "a block asks for a capability with :uses; the person who runs it grants it with --grant"
	}
	return ""
}
