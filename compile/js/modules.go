package js

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// BlockFile is what stack traces call the block.
const BlockFile = "block.js"

// builtinScheme marks the modules of node that the guest has itself.
const builtinScheme = "node:"

// dockModule is the module through which capabilities will be imported.
const dockModule = "wb"

// moduleName resolves an import for QuickJS: the result is the name by which
// the module is loaded and cached.
func (m *machine) moduleName(ctx context.Context, stack []uint64) error {
	base, name := m.cstring(uint32(stack[0])), m.cstring(uint32(stack[1]))
	file := builtinScheme + strings.TrimPrefix(name, builtinScheme)
	if m.image.Builtins[file[len(builtinScheme):]] == nil {
		var err error
		if file, err = m.world.resolve(base, name, "import"); err != nil {
			return m.throw(ctx, err, stack)
		}
	}
	p, err := m.alloc(ctx, file)
	stack[0] = uint64(p)
	return err
}

// moduleSource gives QuickJS the source of a module that moduleName found.
func (m *machine) moduleSource(ctx context.Context, stack []uint64) error {
	name, lengthAt := m.cstring(uint32(stack[0])), uint32(stack[1])
	source, ok := m.esSource(name)
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

// esSource is a file as an ES module: modules of node and JSON are wrapped.
func (m *machine) esSource(file string) (string, bool) {
	if name, ok := strings.CutPrefix(file, builtinScheme); ok {
		names, ok := m.image.Builtins[name]
		return fmt.Sprintf("const m = require(%q);\nexport default m;\nexport const {%s} = m;\n", name, strings.Join(names, ", ")), ok
	}
	data, ok := m.world.sources.get(file)
	if !ok {
		return "", false
	}
	switch path.Ext(file) {
	case ".json":
		text, _ := json.Marshal(strings.TrimPrefix(string(data), "\uFEFF"))
		return fmt.Sprintf("export default JSON.parse(%s);", text), true
	case ".cjs":
		return fmt.Sprintf("export default require(%q);", "./"+file), true
	}
	return string(data), true
}

// extensions are tried in order when a name says none.
var extensions = []string{"", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.mjs", "/index.cjs"}

// resolve finds the file that base means by name. verb is import or require.
func (w *world) resolve(base, name, verb string) (string, error) {
	switch {
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"), name == ".", name == "..":
		return w.file(path.Join("/", path.Dir(base), name), name, verb)
	case strings.HasPrefix(name, "/"):
		return w.file(path.Clean(name), name, verb)
	case name == dockModule || strings.HasPrefix(name, dockModule+"/"):
		return "", &guestError{Code: "ERR_DOCK", Message: fmt.Sprintf("%s %q: this block was granted no capabilities of the host", verb, name)}
	case strings.Contains(name, "://") || strings.HasPrefix(name, "data:"):
		return "", &guestError{Code: "ERR_NETWORK_IMPORT_DISALLOWED", Message: fmt.Sprintf("%s %q: modules are not fetched over the network", verb, name)}
	}
	return w.packageFile(base, name, verb)
}

// file completes a path without extension.
func (w *world) file(p, name, verb string) (string, error) {
	for _, ext := range extensions {
		file := strings.TrimPrefix(p+ext, "/")
		if _, ok := w.sources.get(file); ok {
			return file, nil
		}
	}
	text := fmt.Sprintf("%s %q: no such file", verb, name)
	if w.sources.empty() {
		text += "; a block sees the files of the directory that :dir names"
	}
	return "", &guestError{Code: "MODULE_NOT_FOUND", Message: text}
}

// packageFile finds a package in the node_modules directories above base.
func (w *world) packageFile(base, name, verb string) (string, error) {
	parts := strings.SplitN(name, "/", 3)
	count := 1
	if strings.HasPrefix(name, "@") {
		count = 2
	}
	pkg := strings.Join(parts[:min(count, len(parts))], "/")
	below := strings.TrimPrefix(strings.TrimPrefix(name, pkg), "/")
	for dir := path.Dir("/" + base); ; dir = path.Dir(dir) {
		home := path.Join(dir, "node_modules", pkg)
		if manifest, ok := w.sources.get(strings.TrimPrefix(home, "/") + "/package.json"); ok {
			return w.file(path.Join(home, entryOf(manifest, below)), name, verb)
		}
		if dir == "/" {
			break
		}
	}
	return "", &guestError{Code: "MODULE_NOT_FOUND", Message: fmt.Sprintf("%s %q: no such package; put it into node_modules below the directory that :dir names", verb, name)}
}

// entryOf reads a package.json: which file of the package name means, "" being
// the package itself.
func entryOf(manifest []byte, name string) string {
	var p struct {
		Exports json.RawMessage
		Module  string
		Main    string
	}
	if json.Unmarshal(manifest, &p) != nil {
		return name
	}
	var exports map[string]json.RawMessage
	switch err := json.Unmarshal(p.Exports, &exports); {
	case err == nil && exports["."] == nil && name == "":
		if file := conditional(p.Exports); file != "" {
			return file
		}
	case err == nil:
		key := "."
		if name != "" {
			key = "./" + name
		}
		if file := conditional(exports[key]); file != "" {
			return file
		}
	case name == "" && conditional(p.Exports) != "":
		return conditional(p.Exports)
	}
	if name != "" {
		return name
	}
	for _, main := range []string{p.Module, p.Main} {
		if main != "" {
			return main
		}
	}
	return "index"
}

// conditional reads a target of package.json's exports: a file, or files by
// condition.
func conditional(target json.RawMessage) string {
	var file string
	if json.Unmarshal(target, &file) == nil {
		return file
	}
	var by map[string]json.RawMessage
	if json.Unmarshal(target, &by) != nil {
		return ""
	}
	for _, condition := range []string{"import", "module", "node", "require", "default"} {
		if file := conditional(by[condition]); file != "" {
			return file
		}
	}
	return ""
}
