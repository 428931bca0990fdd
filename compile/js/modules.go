package js

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"wb/internal/lazyregexp"
)

// BlockFile is the block's name in stack traces.
const BlockFile = "block.js"

// builtinScheme marks the modules of node that the guest has itself.
const builtinScheme = "node:"

// dockModule is the module through which capabilities are imported.
const dockModule = "wb"

// moduleName resolves an import for QuickJS: the result is the name by which
// the module is loaded and cached.
func (m *machine) moduleName(ctx context.Context, stack []uint64) error {
	base, name := m.cstring(uint32(stack[0])), m.cstring(uint32(stack[1]))
	file, err := m.locate(base, name, "import")
	if err != nil {
		return m.throw(ctx, err, stack)
	}
	p, err := m.alloc(ctx, file)
	stack[0] = uint64(p)
	return err
}

// locate finds what base means by name: a module of node or a file.
func (m *machine) locate(base, name, verb string) (string, error) {
	bare := strings.TrimPrefix(name, builtinScheme)
	if m.image.Builtins[bare] != nil {
		return builtinScheme + bare, nil
	}
	if reason, ok := m.image.Refused[bare]; ok {
		return "", &guestError{Code: notFound, Message: fmt.Sprintf("%s %q: %s%s", verb, name, reason, importedBy(base))}
	}
	if bare != name {
		return "", &guestError{Code: "ERR_UNKNOWN_BUILTIN_MODULE", Message: fmt.Sprintf("%s %q: node has no such module", verb, name)}
	}
	return m.world.resolve(base, name, verb)
}

// importedBy names the file of a package that asks, since its author is not the
// block's.
func importedBy(base string) string {
	if strings.Contains(base, packageDir) {
		return fmt.Sprintf(" (asked for by %s)", base)
	}
	return ""
}

// moduleSource gives QuickJS the source of a module that moduleName found.
func (m *machine) moduleSource(ctx context.Context, stack []uint64) error {
	name, lengthAt := m.cstring(uint32(stack[0])), uint32(stack[1])
	source, ok, err := m.esSource(ctx, name)
	if err != nil {
		return m.throw(ctx, err, stack)
	}
	if !ok {
		return m.throw(ctx, &guestError{Message: fmt.Sprintf("import %q: no such module", name)}, stack)
	}
	m.charge(ctx, len(source))
	p, err := m.alloc(ctx, source)
	if err != nil {
		return err
	}
	m.in.Memory().WriteU32(lengthAt, uint32(len(source)))
	stack[0] = uint64(p)
	return nil
}

// esSource is a file as an ES module: modules of node, JSON and CommonJS files
// are wrapped.
func (m *machine) esSource(ctx context.Context, file string) (string, bool, error) {
	if name, ok := strings.CutPrefix(file, builtinScheme); ok {
		names, ok := m.image.Builtins[name]
		return fmt.Sprintf("const m = require(%q);\nexport default m;\nexport const {%s} = m;\n", name, strings.Join(names, ", ")), ok, nil
	}
	data, ok := m.world.sources.get(file)
	if !ok {
		return "", false, nil
	}
	switch m.world.format(file, data) {
	case formatJSON:
		text, _ := json.Marshal(strings.TrimPrefix(string(data), "\uFEFF"))
		return fmt.Sprintf("export default JSON.parse(%s);", text), true, nil
	case formatCommonJS:
		source, err := m.commonSource(ctx, file)
		return source, true, err
	}
	return string(data), true, nil
}

// commonSource wraps a CommonJS file as an ES module. Its exports are known
// only after it has run, so it runs now. Where nothing is to run yet, the
// wrapper exports nothing by name.
func (m *machine) commonSource(ctx context.Context, file string) (string, error) {
	if m.world.checking {
		return "export default undefined;", nil
	}
	v, err := m.newString(ctx, "/"+file)
	if err != nil {
		return "", err
	}
	text, err := m.controlText(ctx, "exports", v)
	if err != nil {
		return "", err
	}
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "const m = require(%q);\nexport default m !== null && m !== undefined && m.__esModule && 'default' in m ? m.default : m;\n", "/"+file)
	for i, name := range names {
		fmt.Fprintf(&b, "const v%d = m.%s; export { v%d as %s };\n", i, name, i, name)
	}
	return b.String(), nil
}

// The formats of a file's text.
type format int

const (
	formatModule format = iota
	formatCommonJS
	formatJSON
)

// esStatement matches what only an ES module begins a line with, and
// commonMark what only a CommonJS file contains.
var (
	esStatement = lazyregexp.New(`(?m)(?:^|[;}])\s*(?:import(?:\s*["'{*]|\s+[\w$]+\s*(?:,|from\b))|export(?:\s*[{*]|\s+(?:default|const|let|var|function|class|async)\b))|\bimport\.meta\b`)
	commonMark  = lazyregexp.New(`\bmodule\.exports\b|\bexports\.\w|\brequire\s*\(|\bexports\s*,`)
)

// format tells ES modules from CommonJS as node does: by the ending, by what
// the package says, else by the text. A file without a package that gives no
// sign is a module.
func (w *world) format(file string, data []byte) format {
	switch path.Ext(file) {
	case ".json":
		return formatJSON
	case ".cjs":
		return formatCommonJS
	case ".mjs", ".ts", ".mts":
		return formatModule
	}
	manifest := w.manifestAbove(file)
	switch {
	case manifest.text("type") == "module":
		return formatModule
	case esStatement.Match(data):
		return formatModule
	case manifest.text("type") == "commonjs", strings.Contains(file, packageDir), commonMark.Match(data):
		return formatCommonJS
	}
	return formatModule
}

// hostModule(file) is the namespace of the ES module that a file is, undefined
// when it is none. It must not wait for anything at its top level.
func (m *machine) hostModule(ctx context.Context, file string, _ []handle) (handle, error) {
	data, ok := m.world.sources.get(file)
	if !ok || m.world.format(file, data) != formatModule {
		return 0, nil
	}
	promise, err := m.eval(ctx, fmt.Sprintf("import * as ns from %q; export { ns }", "/"+file), "wb:require.js", evalModule)
	if err != nil {
		return 0, err
	}
	state, err := m.call(ctx, "qjs_promise_state", uint64(promise))
	if err != nil {
		return 0, err
	}
	if state == pending {
		return 0, &guestError{Code: "ERR_REQUIRE_ASYNC_MODULE", Message: fmt.Sprintf("require %q: the module waits at its top level; import it", file)}
	}
	v, err := m.call(ctx, "qjs_promise_result", uint64(promise))
	if err != nil {
		return 0, err
	}
	if state == rejected {
		return 0, m.describe(ctx, v)
	}
	return m.property(ctx, v, "ns")
}
