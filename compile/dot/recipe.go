package dot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/sha"
)

const (
	toolName = "graphviz"
	wasmFile = "graphviz.wasm"
	upstream = "16.1.0"
	// container is the file of the package that has the program, as a string
	// of JavaScript.
	container = "lib/backend.js"
	wasmSHA   = "b113d594ef25f4da9d12e83f7f1550f00aae8e8fa911ebc4c4417ec1293f1451"
)

// recipe takes Graphviz 16.1 with expat (EPL-1.0, MIT), built for WebAssembly by
// Viz.js (npm package @viz-js/viz, MIT), out of its package. The digest of the
// program is pinned like that of the package; what its imports and exports are
// called, which the builder has shortened to letters, belongs to this very
// version (see host.go).
func (l *lane) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: upstream, Summary: "Graphviz: graphs in DOT to SVG, with all layouts",
		Origin: toolchain.Source{
			Archive: toolchain.NPM{Package: "@viz-js/viz", Version: "3.31.0", Size: 1_907_571,
				Integrity: "sha512-r7zlQdRvcwvIpjHGgs+KNWHeE/P5/Dq7k8ZAKaMCbZqomxCBJV78gVuQYaHzFVca+kB0mX0fMW9UFevCOBG50A=="},
			Files: []string{container},
			Of:    "extracted " + wasmSHA,
			Build: func(_ context.Context, job *toolchain.Job, files map[string][]byte) error {
				wasm, err := extract(files[container])
				if err != nil {
					return err
				}
				if got := sha.Hex(wasm); got != wasmSHA {
					return &toolchain.IntegrityError{Tool: toolName, What: wasmFile, Want: wasmSHA, Got: got}
				}
				return job.Write(wasmFile, wasm)
			},
		},
		Check: l.selfTest,
	}
}

// extract reads the program out of the JavaScript around it: an argument of
// binaryDecode in single quotes, whose characters stand for bytes; 256 stands
// for 0.
func extract(script []byte) ([]byte, error) {
	_, text, ok := bytes.Cut(script, []byte("binaryDecode('"))
	if !ok {
		return nil, errors.New(container + " has no program in it")
	}
	var wasm []byte
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		text = text[n:]
		switch c {
		case '\'':
			return wasm, nil
		case '\\':
			if len(text) == 0 {
				continue
			}
			c = rune(text[0])
			text = text[1:]
			if at := strings.IndexRune("nrt0bfv", c); at >= 0 {
				c = rune("\n\r\t\x00\b\f\v"[at])
			} else if c == 'x' && len(text) >= 2 {
				v, err := strconv.ParseUint(string(text[:2]), 16, 8)
				if err != nil {
					return nil, err
				}
				c, text = rune(v), text[2:]
			}
		}
		wasm = append(wasm, byte(^(c>>8)&c))
	}
	return nil, errors.New(container + ": the program has no end")
}

// selfTest lays out a graph with every layout.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	module, err := l.loadFrom(ctx, t)
	if err != nil {
		return err
	}
	for _, layout := range layouts {
		r := &render{engine: l.env.Engine, module: module, options: options{layout: layout, format: "svg"}}
		out, err := r.draw(ctx, "graph { a [label=<<b>x</b>>]; a -- b }", &compile.Job{})
		if err != nil {
			return fmt.Errorf("%s: %w", layout, err)
		}
		if !strings.Contains(out, "</svg>") || !strings.Contains(out, "font-weight=\"bold\"") {
			return fmt.Errorf("%s: drew %q: %s", layout, out, r.messages())
		}
	}
	return nil
}
