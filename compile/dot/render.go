package dot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/sandbox"
)

// layouts are Graphviz's programs.
var layouts = []string{"dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage", "patchwork"}

// formats are the formats it writes.
var formats = []string{"svg", "svg_inline", "dot", "gv", "canon", "json", "json0", "dot_json", "xdot", "xdot_json", "plain", "plain-ext", "ps", "ps2", "eps",
	"cmap", "cmapx", "imap", "fig", "pic", "pov", "tk"}

// options are those of the dot command.
type options struct {
	layout  string
	format  string
	yInvert bool
	attrs   []attr
}

// attr is a default for the graph, its nodes or its edges.
type attr struct{ function, name, text string }

// set reads the words of a command line.
func (o *options) set(words []string) error {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if len(word) < 2 || word[0] != '-' {
			return fmt.Errorf("%q is not an option; the graph comes from the block", word)
		}
		arg := word[2:]
		if strings.IndexByte("TKGNEo", word[1]) >= 0 && arg == "" && i+1 < len(words) {
			i++
			arg = words[i]
		}
		switch word[1] {
		case 'T':
			o.format, _, _ = strings.Cut(arg, ":")
		case 'K':
			o.layout = arg
		case 'y':
			o.yInvert = true
		case 'G', 'N', 'E':
			name, text, ok := strings.Cut(arg, "=")
			if !ok {
				text = "true"
			}
			o.attrs = append(o.attrs, attr{map[byte]string{'G': fnGraphAttr, 'N': fnNodeAttr, 'E': fnEdgeAttr}[word[1]], name, text})
		case 'q':
		default:
			return fmt.Errorf("option %s is not supported; there are -T -K -G -N -E -y -q", word)
		}
	}
	if !slices.Contains(layouts, o.layout) {
		return fmt.Errorf("unknown layout %q; known are %s", o.layout, strings.Join(layouts, " "))
	}
	if !slices.Contains(formats, o.format) {
		return fmt.Errorf("unknown format %q; known are %s", o.format, strings.Join(formats, " "))
	}
	return nil
}

// render is one picture being drawn.
type render struct {
	engine *sandbox.Engine
	module *sandbox.Module
	options
	said  strings.Builder // errors and warnings
	usage sandbox.Usage
}

// errNoPicture says that Graphviz has not drawn; said has the reason.
var errNoPicture = errors.New("graphviz drew nothing")

// draw lays out the first graph of a text.
func (r *render) draw(ctx context.Context, text string, job *compile.Job) (string, error) {
	in, err := r.engine.Start(ctx, sandbox.Command{Module: r.module, Limits: job.Limits, Host: r.host()})
	if err != nil {
		return "", err
	}
	defer in.Close(ctx)
	out, err := r.drawIn(ctx, in, text)
	r.usage = in.Usage()
	if _, ok := errors.AsType[*exited](err); ok {
		err = errNoPicture
	}
	return out, err
}

func (r *render) drawIn(ctx context.Context, in *sandbox.Instance, text string) (string, error) {
	c := &caller{ctx: ctx, in: in}
	c.call(fnStart)
	graph := c.call(fnRead, c.text(text))
	if c.err != nil || graph == 0 {
		return "", firstOf(c.err, errNoPicture)
	}
	for _, a := range r.attrs {
		c.call(a.function, graph, c.text(a.name), c.call(fnDup, graph, c.text(a.text)))
	}
	if r.yInvert {
		c.call(fnYInvert, 1)
	}
	gvc := c.call(fnContext)
	c.call(fnResetErrors)
	if status := c.call(fnLayout, gvc, graph, c.text(r.layout)); c.err != nil || status != 0 {
		return "", firstOf(c.err, errNoPicture)
	}
	at := c.call(fnRender, gvc, graph, c.text(r.format))
	if c.err != nil || at == 0 {
		return "", firstOf(c.err, errNoPicture)
	}
	size := in.Memory().Size() - uint32(at)
	out, ok := in.Memory().ReadCString(uint32(at), int(size))
	if !ok {
		return "", errors.New("graphviz: the picture has no end")
	}
	return out, nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// caller calls functions of the program until one fails.
type caller struct {
	ctx context.Context
	in  *sandbox.Instance
	err error
}

func (c *caller) call(name string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	results, err := c.in.Call(c.ctx, name, args...)
	if err != nil || len(results) == 0 {
		c.err = err
		return 0
	}
	return uint64(uint32(results[0]))
}

// text copies a string into the program's memory.
func (c *caller) text(s string) uint64 {
	at := c.call(fnMalloc, uint64(len(s)+1))
	if c.err == nil && (at == 0 || !c.in.Memory().WriteString(uint32(at), s+"\x00")) {
		c.err = &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: int64(c.in.Memory().Size())}
	}
	return at
}

// messages are the errors and warnings, one a line.
func (r *render) messages() string { return strings.TrimSpace(r.said.String()) }
