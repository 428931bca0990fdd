package tangle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/internal/value"
	"wb/tangle/elisp"
)

// Context is the purpose of expanding a body; :noweb chooses among the three.
type Context int

// The contexts of expansion.
const (
	ForTangle Context = iota // writing source files
	ForEval                  // running the block
	ForExport                // publishing the document
)

// nowebWords are the :noweb values that expand references, by context.
var nowebWords = map[Context][]string{
	ForTangle: {"yes", "tangle", "no-export", "strip-export", "strip-tangle"},
	ForEval:   {"yes", "no-export", "strip-export", "eval", "strip-tangle"},
	ForExport: {"yes", "strip-tangle"},
}

// NowebWanted reports whether a block with this :noweb value has its
// references expanded in the given context.
func NowebWanted(noweb string, c Context) bool {
	for _, word := range strings.Fields(noweb) {
		if slices.Contains(nowebWords[c], word) {
			return true
		}
	}
	return false
}

// Chunk is a source block as noweb sees it: text that may hold references and
// that references may name.
type Chunk struct {
	// Name is the block's #+NAME, Ref its :noweb-ref; either may be empty.
	Name, Ref string
	// Lang is the block's language, which decides how comments are written.
	Lang string
	// Body is the text with its common indentation removed and commas
	// unescaped, without a final newline.
	Body string
	// Noweb is the value of :noweb.
	Noweb string
	// NoPrefix is :noweb-prefix no: what stands before a reference is not
	// repeated on the lines that replace it.
	NoPrefix bool
	// Separator stands between this chunk and the next one of the same
	// :noweb-ref; newline unless :noweb-sep says otherwise.
	Separator string
	// Comments is the value of :comments; with "noweb" every expanded
	// reference is put between comments that name its source.
	Comments string
	// Source is whatever the library wants to find again, such as the block's
	// node; the expander never looks at it.
	Source any
}

// Library knows the blocks of a document. All three methods skip COMMENT
// subtrees.
type Library interface {
	// Headline returns the text of the heading whose CUSTOM_ID or ID is id.
	Headline(id string) (body string, ok bool)
	// Named returns the first block whose #+NAME is id, case ignored.
	Named(id string) (*Chunk, bool)
	// Referenced returns, in document order, all blocks whose :noweb-ref is id.
	Referenced(id string) []*Chunk
}

// Expander replaces the references <<id>> of a body by the blocks they name.
// One Expander serves one document: it remembers what references meant, as
// org-babel does, and that memory decides which of two homonyms wins (a #+NAME,
// until some reference was looked up by :noweb-ref; from then on :noweb-ref).
//
// An Expander is not safe for concurrent use.
type Expander struct {
	Context Context
	Library Library
	Wrap    Wrap

	// Call evaluates `name(args)` for references of the form <<name(args)>>.
	// Without it such a reference is an error.
	Call func(ctx context.Context, call string) (value.Value, error)

	// Delimit returns the comment lines that open and close the expansion of a
	// chunk inside a block with `:comments noweb`; remembered says that the
	// chunk was found before. Without it none are written.
	Delimit func(into, chunk *Chunk, remembered bool) (open, end string, err error)

	// Missing is told of references that name nothing; they expand to nothing,
	// as in Emacs. It may be nil.
	Missing func(id string, in *Chunk)

	// MaxBytes bounds one expansion (64 MiB when zero): references that double
	// themselves would otherwise exhaust memory.
	MaxBytes int

	found   map[string][]*Chunk
	indexed bool // a reference was looked up by :noweb-ref: from now on it wins
	stack   []*Chunk
}

const maxExpansion = 64 << 20

// ErrNowebCycle is wrapped by the error for a block that contains itself.
var ErrNowebCycle = errors.New("noweb reference cycle")

// ErrNowebTooBig is wrapped by the error for an expansion beyond MaxBytes.
var ErrNowebTooBig = errors.New("noweb expansion is too big")

// ErrNowebCall is wrapped by the error for <<name()>> when nothing can run it.
var ErrNowebCall = errors.New("a noweb reference asks for a block to be run")

// Expand returns the body of c with every reference replaced. Whether c wants
// that is the caller's to ask, with [NowebWanted]; for the blocks it refers to,
// Expand asks itself.
//
// What stands on the line before a reference is repeated before every further
// line of its replacement, blank lines included.
func (e *Expander) Expand(ctx context.Context, c *Chunk) (string, error) {
	if !e.Wrap.In(c.Body) {
		return c.Body, nil
	}
	if slices.Contains(e.stack, c) {
		return "", fmt.Errorf("%w: %s", ErrNowebCycle, cycleText(e.stack, c))
	}
	e.stack = append(e.stack, c)
	defer func() { e.stack = e.stack[:len(e.stack)-1] }()

	limit := e.MaxBytes
	if limit == 0 {
		limit = maxExpansion
	}
	var out strings.Builder
	done := 0
	for {
		ref, ok := e.Wrap.next(c.Body, done)
		if !ok {
			break
		}
		out.WriteString(c.Body[done:ref.start])
		text, err := e.resolve(ctx, ref.id, c)
		if err != nil {
			return "", err
		}
		writePrefixed(&out, text, c.Body[ref.line:ref.start], c.NoPrefix)
		if out.Len() > limit {
			return "", fmt.Errorf("%w: <<%s>> in %s passes %d bytes", ErrNowebTooBig, ref.id, c.label(), limit)
		}
		done = ref.end
	}
	out.WriteString(c.Body[done:])
	return out.String(), nil
}

// IsCall reports whether a reference asks for a block to be run: <<name()>>.
func IsCall(id string) bool {
	open := strings.IndexByte(id, '(')
	return open >= 0 && strings.IndexByte(id[open:], ')') > 0
}

// resolve finds what stands for one reference. The order is org-babel's: a
// call, what is remembered, a heading's ID, a #+NAME, and last :noweb-ref.
func (e *Expander) resolve(ctx context.Context, id string, into *Chunk) (string, error) {
	if IsCall(id) {
		return e.call(ctx, id, into)
	}
	if chunks := e.recall(id); len(chunks) > 0 {
		return e.join(ctx, chunks, into, true)
	}
	if body, ok := e.Library.Headline(id); ok {
		return body, nil
	}
	if chunk, ok := e.Library.Named(id); ok {
		e.remember(id, []*Chunk{chunk})
		return e.one(ctx, chunk, into, false)
	}
	if !e.indexed {
		e.indexed = true
		e.found = nil
	}
	chunks := e.recall(id)
	if len(chunks) == 0 && e.Missing != nil {
		e.Missing(id, into)
	}
	return e.join(ctx, chunks, into, true)
}

// recall returns what id was found to mean; once the blocks are indexed by
// :noweb-ref, that index is part of the memory.
func (e *Expander) recall(id string) []*Chunk {
	if chunks, ok := e.found[id]; ok || !e.indexed {
		return chunks
	}
	chunks := e.Library.Referenced(id)
	e.remember(id, chunks)
	return chunks
}

func (e *Expander) remember(id string, chunks []*Chunk) {
	if e.found == nil {
		e.found = map[string][]*Chunk{}
	}
	e.found[id] = chunks
}

func (e *Expander) call(ctx context.Context, id string, into *Chunk) (string, error) {
	if e.Call == nil {
		return "", fmt.Errorf("%w: <<%s>> in %s", ErrNowebCall, id, into.label())
	}
	result, err := e.Call(ctx, id)
	if err != nil {
		return "", fmt.Errorf("<<%s>>: %w", id, err)
	}
	if result.Kind() == value.String {
		return result.Text(), nil
	}
	return elisp.Print(elisp.FromValue(result)), nil
}

// join concatenates the chunks of one :noweb-ref. The separator after a chunk
// is that chunk's own.
func (e *Expander) join(ctx context.Context, chunks []*Chunk, into *Chunk, remembered bool) (string, error) {
	var all strings.Builder
	for i, chunk := range chunks {
		text, err := e.one(ctx, chunk, into, remembered)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
		if i < len(chunks)-1 {
			all.WriteString(chunk.Separator)
		}
	}
	return all.String(), nil
}

// one is the text of a referenced chunk, itself expanded if it wants to be.
func (e *Expander) one(ctx context.Context, chunk, into *Chunk, remembered bool) (string, error) {
	body := chunk.Body
	if NowebWanted(chunk.Noweb, e.Context) {
		expanded, err := e.Expand(ctx, chunk)
		if err != nil {
			return "", err
		}
		body = expanded
	}
	if into.Comments != "noweb" || e.Delimit == nil {
		return body, nil
	}
	open, end, err := e.Delimit(into, chunk, remembered)
	if err != nil {
		return "", err
	}
	return open + "\n" + body + "\n" + end + "\n", nil
}

// writePrefixed writes text, repeating prefix at the start of each line but
// the first.
func writePrefixed(out *strings.Builder, text, prefix string, plain bool) {
	if plain || (prefix == "" && !strings.Contains(text, "\r")) {
		out.WriteString(text)
		return
	}
	for {
		end := strings.IndexAny(text, "\n\r")
		if end < 0 {
			out.WriteString(text)
			return
		}
		out.WriteString(text[:end])
		out.WriteByte('\n')
		out.WriteString(prefix)
		text = text[end+1:]
	}
}

// label names a chunk for messages.
func (c *Chunk) label() string {
	switch {
	case c.Name != "":
		return c.Name
	case c.Ref != "":
		return c.Ref
	}
	return "an unnamed block"
}

func cycleText(stack []*Chunk, again *Chunk) string {
	var b strings.Builder
	for _, c := range stack[slices.Index(stack, again):] {
		b.WriteString(c.label())
		b.WriteString(" → ")
	}
	b.WriteString(again.label())
	return b.String()
}
