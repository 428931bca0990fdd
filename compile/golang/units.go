package golang

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox/dock"
)

// sourceDir is where files of :dir lie below workDir, moduleDir where those of
// modules do.
const (
	sourceDir = "src/"
	moduleDir = "mod/"
)

// dockPackage is the package through which programs ask the host, unless they
// have one of that name.
const dockPackage = "wb"

// sources finds the packages that a program imports among the files of :dir:
// by the module path of its go.mod, by its own directories' names, or below
// vendor. It lists them so that each comes after those it imports.
type sources struct {
	src     *compile.Source
	std     *stdFS
	shift   int      // lines added before the body
	module  string   // of :dir's go.mod, "" without one
	modules []module // of :deps

	state map[string]int // 1 while a package is visited, 2 after
	units []unit
}

var modulePattern = lazyregexp.New(`(?m)^module[ \t]+"?([^\s"]+)"?`)

func newSources(src *compile.Source, std *stdFS, shift int) *sources {
	s := &sources{src: src, std: std, shift: shift, state: make(map[string]int)}
	if m := modulePattern.FindSubmatch(src.Files["go.mod"]); m != nil {
		s.module = string(m[1])
	}
	return s
}

// beside are the files of :dir itself that belong to the block's package.
func (s *sources) beside(pkg string) []file {
	return slices.DeleteFunc(goFiles(s.src.Files, "."), func(f file) bool {
		tree, err := parser.ParseFile(token.NewFileSet(), "", f.text, parser.PackageClauseOnly)
		return err == nil && tree.Name.Name != pkg
	})
}

// goFiles are the Go files in one directory that a wasip1 program is made of.
func goFiles(files map[string][]byte, dir string) []file {
	var found []file
	for name, text := range files {
		if path.Dir(name) == dir && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && wanted(name, text) {
			found = append(found, file{sourceDir + name, text})
		}
	}
	slices.SortFunc(found, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return found
}

// systems and architectures that Go knows as ends of file names.
var (
	systems       = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")
	architectures = strings.Fields("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x sparc64 wasm")
)

// wanted applies build constraints, those in a file's name and its //go:build
// line.
func wanted(name string, text []byte) bool {
	base := strings.TrimSuffix(path.Base(name), ".go")
	if strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
		return false
	}
	parts := strings.Split(base, "_")
	for i := max(1, len(parts)-2); i < len(parts); i++ {
		if slices.Contains(systems, parts[i]) && parts[i] != "wasip1" || slices.Contains(architectures, parts[i]) && parts[i] != "wasm" {
			return false
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			expr, err := constraint.Parse(line)
			return err != nil || expr.Eval(hasTag)
		}
	}
	return true
}

// hasTag reports whether a build tag holds: the target's, and every release of
// Go up to the one at hand.
func hasTag(tag string) bool {
	release, isRelease := strings.CutPrefix(tag, "go1.")
	if n, err := strconv.Atoi(release); isRelease && err == nil {
		own, _ := strconv.Atoi(strings.TrimPrefix(goVersion(), "1."))
		return n <= own
	}
	return slices.Contains([]string{"wasip1", "wasm", "gc", "purego", "appengine", "noasm"}, tag)
}

// add compiles u's imports before u.
func (s *sources) add(u unit) error {
	s.state[u.path] = 1
	for _, f := range u.files {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f.name, f.text, parser.ImportsOnly)
		if err != nil {
			continue // the compiler says it better
		}
		for _, spec := range tree.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if err := s.resolve(name, s.at(f.name, set.Position(spec.Path.Pos()), spec)); err != nil {
				return err
			}
		}
	}
	s.state[u.path] = 2
	s.units = append(s.units, u)
	return nil
}

// at is the place of an import for messages.
func (s *sources) at(name string, p token.Position, _ *ast.ImportSpec) diag.Position {
	if name != bodyFile {
		return diag.Position{File: strings.TrimPrefix(name, sourceDir), Line: p.Line, Col: p.Column}
	}
	return s.src.At(p.Line-s.shift, p.Column)
}

// resolve makes sure that an imported package will be there.
func (s *sources) resolve(name string, at diag.Position) error {
	switch {
	case name == "unsafe" || s.std.offers(name) || s.state[name] == 2:
		return nil
	case s.state[name] == 1:
		return diag.Errorf(at, "import cycle: %s imports itself through others", name)
	case name == "C":
		return diag.Errorf(at, "there is no cgo in the sandbox").WithHint("write a C block and pass its result on")
	case name == "embed":
		return diag.Errorf(at, "go:embed is not supported").WithHint("read the file when the block runs, or pass it with :var")
	}
	if u := s.find(name); len(u.files) > 0 {
		return s.add(u)
	}
	if name == dockPackage {
		return s.add(unit{path: name, files: []file{{dockPackage + ".go", []byte(dock.GoPackage())}}})
	}
	return s.missing(name, at)
}

// find are the files of a package that is not of the standard library.
func (s *sources) find(name string) unit {
	own := unit{path: name, lang: language(s.src.Files)}
	if dir, ok := inModule(s.module, name); ok {
		own.files = goFiles(s.src.Files, dir)
		return own
	}
	for _, dir := range []string{name, "vendor/" + name} {
		if own.files = goFiles(s.src.Files, path.Clean(dir)); len(own.files) > 0 {
			return own
		}
	}
	found, longest := unit{}, "" // modules may lie within others
	for _, m := range s.modules {
		dir, ok := inModule(m.path, name)
		if !ok || len(m.path) < len(longest) {
			continue
		}
		if files := goFiles(m.files, dir); len(files) > 0 {
			found, longest = unit{path: name, files: inModuleDir(m.path, files), lang: language(m.files)}, m.path
		}
	}
	return found
}

// inModuleDir names files of different modules apart.
func inModuleDir(module string, files []file) []file {
	named := slices.Clone(files)
	for i := range named {
		named[i].name = moduleDir + module + "/" + strings.TrimPrefix(named[i].name, sourceDir)
	}
	return named
}

// inModule is the directory of a package within its module.
func inModule(module, name string) (dir string, ok bool) {
	if module == "" {
		return "", false
	}
	if name == module {
		return ".", true
	}
	dir, ok = strings.CutPrefix(name, module+"/")
	return dir, ok
}

// missing is the error for an import that leads nowhere.
func (s *sources) missing(name string, at diag.Position) error {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case slices.Contains(strings.Fields("net net/http net/rpc net/smtp os/exec os/signal os/user plugin"), name) || strings.HasPrefix(name, "net/http/"):
		return diag.Errorf(at, "package %s is not in the sandbox: programs have no network, processes or users", name).WithHint("the rest of the standard library is available; see docs/lanes.org")
	case strings.Contains(first, "."):
		return diag.Errorf(at, "there is no package %s", name).WithHint("name its module with :deps, as in :deps " + name + "@v1.2.3")
	}
	hint := "nearest: " + strings.Join(s.nearest(name), " ")
	return diag.Errorf(at, "package %s is not in the Go standard library of the sandbox, nor in :dir", name).WithHint(hint)
}

// nearest are up to three packages that may have been meant.
func (s *sources) nearest(name string) []string {
	var list []string
	if n := compile.Nearest(name, s.std.paths); n != "" {
		list = append(list, n)
	}
	for _, p := range s.std.paths {
		if len(list) < 3 && !slices.Contains(list, p) && (path.Base(p) == path.Base(name) || path.Dir(p) == path.Dir(name) && path.Dir(p) != ".") {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		list = append(list, fmt.Sprintf("one of the %d packages of the sandbox, such as fmt strings slices", len(s.std.paths)))
	}
	return list
}
