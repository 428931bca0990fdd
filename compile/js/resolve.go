package js

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"wb/internal/value"
)

// packageDir is where packages lie.
const packageDir = "node_modules/"

// notFound is node's code for a module that is not there.
const notFound = "MODULE_NOT_FOUND"

// extensions are tried in order when a name says none.
var extensions = []string{"", ".js", ".mjs", ".cjs", ".json", "/index.js", "/index.mjs", "/index.cjs", "/index.json"}

// resolve finds the file that base means by name. verb is import or require.
func (w *world) resolve(base, name, verb string) (string, error) {
	switch {
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"), name == ".", name == "..":
		return w.file(path.Join("/", path.Dir(base), name), name, verb, base)
	case strings.HasPrefix(name, "/"):
		return w.file(path.Clean(name), name, verb, base)
	case strings.HasPrefix(name, dockModule+"/"):
		return "", &guestError{Code: "ERR_DOCK", Message: fmt.Sprintf("%s %q: the host has the module %q alone", verb, name, dockModule)}
	case strings.Contains(name, "://") || strings.HasPrefix(name, "data:"):
		return "", &guestError{Code: "ERR_NETWORK_IMPORT_DISALLOWED", Message: fmt.Sprintf("%s %q: modules are not fetched over the network", verb, name)}
	case strings.HasPrefix(name, "#"):
		return w.internal(base, name, verb)
	}
	return w.packageFile(base, name, verb)
}

// file completes a path without extension. A directory is what the main member
// of its package.json says, else its index.
func (w *world) file(p, name, verb, base string) (string, error) {
	tries := []string{p}
	if main := w.manifest(strings.TrimPrefix(p, "/")).text("main"); main != "" {
		tries = append(tries, path.Join("/", p, main))
	}
	for _, p := range tries {
		for _, ext := range extensions {
			file := strings.TrimPrefix(p+ext, "/")
			if _, ok := w.sources.get(file); ok && (p == tries[len(tries)-1] || !strings.HasPrefix(ext, "/")) {
				return file, w.runnable(file, name, verb, base)
			}
		}
	}
	if len(tries) > 1 { // what main names is not there
		if file := strings.TrimPrefix(path.Join(p, "index.js"), "/"); w.sources.has(file) {
			return file, nil
		}
	}
	text := fmt.Sprintf("%s %q: no such file", verb, name)
	if w.sources.has(strings.TrimPrefix(p, "/") + ".ts") {
		text += "; there is one in TypeScript, which blocks in typescript can import"
	} else if w.sources.empty() && !strings.Contains(base, packageDir) {
		text += "; a block sees the files of the directory that :dir names"
	}
	return "", &guestError{Code: notFound, Message: text + importedBy(base)}
}

// runnable refuses files that no wasm machine can run.
func (w *world) runnable(file, name, verb, base string) error {
	switch path.Ext(file) {
	case ".node":
		return &guestError{Code: "ERR_DLOPEN_FAILED", Message: fmt.Sprintf("%s %q: a native addon: machine code does not run in the sandbox%s", verb, name, importedBy(base))}
	case ".wasm":
		return &guestError{Code: "ERR_UNKNOWN_FILE_EXTENSION", Message: fmt.Sprintf("%s %q: WebAssembly is not there inside JavaScript blocks%s", verb, name, importedBy(base))}
	}
	return nil
}

// packageFile finds a package in the node_modules directories above base.
func (w *world) packageFile(base, name, verb string) (string, error) {
	pkg, below := splitPackage(name)
	if home, manifest := w.manifestOf(base); manifest.text("name") == pkg && manifest.has("exports") {
		return w.entry(home, manifest, below, name, verb, base)
	}
	for dir := path.Dir("/" + base); ; dir = path.Dir(dir) {
		home := strings.TrimPrefix(path.Join(dir, packageDir, pkg), "/")
		if manifest := w.manifest(home); manifest != nil {
			return w.entry(home, manifest, below, name, verb, base)
		}
		if w.sources.isDir(home) {
			return w.file("/"+path.Join(home, below), name, verb, base)
		}
		if dir == "/" {
			break
		}
	}
	if nativeLoaders[pkg] {
		return "", &guestError{Code: notFound, Message: fmt.Sprintf("%s %q: a native addon is loaded by it: machine code does not run in the sandbox%s", verb, name, importedBy(base))}
	}
	return "", &guestError{Code: notFound, Message: fmt.Sprintf("%s %q: no such package; ask for it with :deps %s on the block, or put it into node_modules below the directory that :dir names%s", verb, name, pkg, importedBy(base))}
}

// nativeLoaders are packages whose only use is to load native addons.
var nativeLoaders = map[string]bool{"bindings": true, "node-gyp-build": true, "node-pre-gyp": true, "@mapbox/node-pre-gyp": true, "prebuild-install": true}

// splitPackage takes a name apart: "@scope/pkg/a/b" is "@scope/pkg" and "a/b".
func splitPackage(name string) (pkg, below string) {
	count := 1
	if strings.HasPrefix(name, "@") {
		count = 2
	}
	parts := strings.SplitN(name, "/", count+1)
	if len(parts) <= count {
		return name, ""
	}
	return strings.Join(parts[:count], "/"), parts[count]
}

// entry is the file that name means in the package at home: "" below is the
// package itself.
func (w *world) entry(home string, manifest *manifest, below, name, verb, base string) (string, error) {
	if exports, ok := manifest.Get("exports"); ok {
		key := "."
		if below != "" {
			key = "./" + below
		}
		target := exportTarget(exports, key, conditionsOf(verb))
		if target == "" {
			return "", &guestError{Code: "ERR_PACKAGE_PATH_NOT_EXPORTED", Message: fmt.Sprintf("%s %q: the package does not export it%s", verb, name, importedBy(base))}
		}
		return w.file("/"+path.Join(home, target), name, verb, base)
	}
	if below != "" {
		return w.file("/"+path.Join(home, below), name, verb, base)
	}
	mains := []string{manifest.text("main"), "index"}
	if verb == "import" {
		mains = append([]string{manifest.text("module")}, mains...)
	}
	var err error
	for _, main := range mains {
		if main == "" {
			continue
		}
		file, failed := w.file("/"+path.Join(home, main), name, verb, base)
		var missing *guestError
		if failed == nil || errors.As(failed, &missing) && missing.Code != notFound {
			return file, failed
		}
		err = failed
	}
	return "", err
}

// internal finds what the package that base is in calls "#name".
func (w *world) internal(base, name, verb string) (string, error) {
	home, manifest := w.manifestOf(base)
	imports, _ := manifest.Get("imports")
	target := exportTarget(imports, name, conditionsOf(verb))
	switch {
	case target == "":
		return "", &guestError{Code: "ERR_PACKAGE_IMPORT_NOT_DEFINED", Message: fmt.Sprintf("%s %q: no package.json defines it%s", verb, name, importedBy(base))}
	case strings.HasPrefix(target, "./"):
		return w.file("/"+path.Join(home, target), name, verb, base)
	}
	return w.packageFile(base, target, verb)
}

func conditionsOf(verb string) []string {
	return []string{"node", verb, "module-sync", "default"}
}

// exportTarget finds key in the exports or imports of a package.json: exactly,
// else by the longest pattern with a star. "" is none.
func exportTarget(exports value.Value, key string, conditions []string) string {
	if exports.Kind() != value.Object || !hasPaths(exports) {
		if key != "." {
			return ""
		}
		return conditional(exports, conditions)
	}
	if target, ok := exports.Get(key); ok {
		return conditional(target, conditions)
	}
	best, star, target := -1, "", value.Nil()
	for _, f := range exports.Fields() {
		before, after, ok := strings.Cut(f.Name, "*")
		if ok && len(before) > best && len(key) >= len(before)+len(after) && strings.HasPrefix(key, before) && strings.HasSuffix(key, after) {
			best, star, target = len(before), key[len(before):len(key)-len(after)], f.Value
		}
	}
	return strings.ReplaceAll(conditional(target, conditions), "*", star)
}

// hasPaths reports whether the members of exports are paths, not conditions.
func hasPaths(exports value.Value) bool {
	for _, f := range exports.Fields() {
		return strings.HasPrefix(f.Name, ".") || strings.HasPrefix(f.Name, "#")
	}
	return false
}

// conditional reads a target: a file, the first usable of several, or files by
// condition in the package's order.
func conditional(target value.Value, conditions []string) string {
	switch target.Kind() {
	case value.String:
		return target.Text()
	case value.List:
		for _, item := range target.Items() {
			if file := conditional(item, conditions); file != "" {
				return file
			}
		}
	case value.Object:
		for _, f := range target.Fields() {
			for _, c := range conditions {
				if f.Name != c {
					continue
				}
				if file := conditional(f.Value, conditions); file != "" {
					return file
				}
			}
		}
	}
	return ""
}

// manifest is a package.json, its members in order; nil is none.
type manifest struct{ value.Value }

func (m *manifest) Get(name string) (value.Value, bool) {
	if m == nil {
		return value.Nil(), false
	}
	return m.Value.Get(name)
}

func (m *manifest) has(name string) bool { _, ok := m.Get(name); return ok }

// text is a member that is a string, "" otherwise.
func (m *manifest) text(name string) string {
	if v, ok := m.Get(name); ok && v.Kind() == value.String {
		return v.Text()
	}
	return ""
}

// manifest reads the package.json of a directory.
func (w *world) manifest(home string) *manifest {
	file := strings.TrimPrefix(path.Join(home, "package.json"), "/")
	if m, ok := w.manifests[file]; ok {
		return m
	}
	var m *manifest
	if data, ok := w.sources.get(file); ok {
		if v, err := value.ParseJSON(data); err == nil && v.Kind() == value.Object {
			m = &manifest{v}
		}
	}
	if w.manifests == nil {
		w.manifests = make(map[string]*manifest)
	}
	w.manifests[file] = m
	return m
}

// manifestOf finds the package.json that governs a file, and its directory.
func (w *world) manifestOf(file string) (home string, m *manifest) {
	for dir := path.Dir("/" + file); ; dir = path.Dir(dir) {
		home = strings.TrimPrefix(dir, "/")
		if m := w.manifest(home); m != nil {
			return home, m
		}
		if dir == "/" || path.Base(path.Dir(dir))+"/" == packageDir {
			return home, nil
		}
	}
}

func (w *world) manifestAbove(file string) *manifest {
	_, m := w.manifestOf(file)
	return m
}
