package upstream

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wb/compile/clang"
	"wb/compile/toolchain"
)

//go:embed posix gnulib gawk tar
var guest embed.FS

// Package is one source archive and the programs that are built from it.
type Package struct {
	Name    string // of the toolchain
	Version string
	Summary string
	Archive toolchain.Debian
	// Files are the patterns of what is taken of the archive; see
	// [toolchain.Source].
	Files    []string
	Flags    []string // of the compiler, for all its files
	GNU      bool     // it is made with gnulib: add gnulib/
	Guest    string   // a directory of this package's own C, "" for none
	Programs []Binary
	// Generate writes files that the package's own build would make, from those
	// of the archive; nil for none.
	Generate func(files map[string][]byte) error
	// Revision changes when Generate does.
	Revision int
}

// Binary is one wasm file with the commands it answers to.
type Binary struct {
	File     string   // "sed.wasm"
	Commands []string // the names it is called by
	Main     []string // the files that are compiled
	Flags    []string // of the compiler, for this program alone
	// Try is a command line that proves the program: on Input it prints what begins with Says.
	Try         []string
	Input, Says string
}

// all are the packages, sorted by name.
var all = []*Package{&awk, &bc, &bzip2, &coreutils, &diffutils, &findutils, &grep, &gzip, &patch, &sed, &tar, &tree, &unzip, &xz, &zip}

// Packages lists the packages.
func Packages() []*Package { return slices.Clone(all) }

// Identity names what decides the result beside the archive: the recipe and the
// embedded files.
func (p *Package) Identity() string {
	var sums []string
	for _, dir := range p.guests() {
		tree, _ := fs.Sub(guest, dir) // the names are those of the embedding
		sum, _ := toolchain.HashFS(tree)
		sums = append(sums, sum)
	}
	return fmt.Sprintf("%d %q %q %q %q", p.Revision, flags, p.Flags, p.Programs, sums)
}

// guests are the embedded directories that the package is compiled with.
func (p *Package) guests() []string {
	list := []string{"posix"}
	if p.GNU {
		list = append(list, "gnulib")
	}
	if p.Guest != "" {
		list = append(list, p.Guest)
	}
	return list
}

// Prepare adds to the files of the archive what its configure would have made.
func (p *Package) Prepare(files map[string][]byte) error {
	if p.GNU {
		headers(files)
	}
	if p.Generate != nil {
		if err := p.Generate(files); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return toolchain.AddFS(files, guest)
}

// flags are the compiler's for all packages. The directory posix comes after
// the package's own.
var flags = []string{"-O2", "-w", "-D_GNU_SOURCE", "-include", "/work/posix/posix.h"}

// Options are what the compiler is told for one of the programs.
func (p *Package) Options(program Binary) clang.Options {
	main := append(slices.Clone(program.Main), "posix/shim.c", "posix/command.c")
	told := flags
	if p.GNU {
		main = append(main, "gnulib/support.c")
		told = append(slices.Clone(flags), "-DPACKAGE=\""+p.Name+"\"", "-DPACKAGE_NAME=\"GNU "+p.Name+"\"", "-DVERSION=\""+p.Version+"\"",
			"-DHAVE_CONFIG_H", "-DPACKAGE_BUGREPORT=\"bug-"+p.Name+"@gnu.org\"", "-DPACKAGE_URL=\"https://www.gnu.org/software/"+p.Name+"/\"",
			"-I/work/gnulib", "-I/work", "-I/work/lib")
	}
	return clang.Options{
		Flags:     slices.Concat(told, p.Flags, program.Flags, []string{"-I/work/posix"}),
		Main:      main,
		LinkFlags: []string{"-z", "stack-size=1048576"},
	}
}

// edit changes the one place of a source that a recipe adapts.
func edit(files map[string][]byte, name, from, to string) error {
	if bytes.Count(files[name], []byte(from)) != 1 {
		return fmt.Errorf("%s is not the source that this recipe knows: no single %q", name, from)
	}
	files[name] = bytes.Replace(files[name], []byte(from), []byte(to), 1)
	return nil
}

// in puts a directory before names separated by blanks: in("lib", "a b") is
// lib/a.c and lib/b.c.
func in(dir, names string) []string {
	var list []string
	for _, name := range strings.Fields(names) {
		list = append(list, path.Join(dir, name+".c"))
	}
	return list
}
