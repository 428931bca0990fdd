package python

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/compile/vm"
)

// pack is a toolchain of Python modules that are not in the standard library. A
// block gets it by importing one of them; others do not see it.
type pack struct {
	name    string // of the toolchain, and of the module
	version string
	summary string
	needs   string // another pack that its modules import, "" for none
	kind    string // ".py" when it is one file, "" for a directory
	archive toolchain.Debian
	// program is the wasm file of a Python that has the pack's modules in C, ""
	// when any Python will do.
	program string
	test    string // a program, and what it prints
	want    string
}

// packs are all packs, each behind those that it needs.
var packs = []*pack{
	{
		name: numpyName, version: numpyVersion, summary: "numpy, arrays for Python, with a Python that has it built in", program: numpyFile,
		test: "a = numpy.arange(6).reshape(2, 3)\nprint(a.mean(axis=0), numpy.linalg.inv([[1, 2], [3, 4]])[0], numpy.fft.fft([1, 0, 0])[1], numpy.random.default_rng(1).integers(100))",
		want: "[1.5 2.5 3.5] [-2.  1.] (1+0j) 47\n",
	},
	{
		name: "mpmath", version: "1.2.1", summary: "mpmath, arithmetic of any precision for Python",
		archive: toolchain.Debian{Package: "python3-mpmath", Version: "1.2.1", Suite: "bookworm", Binary: true,
			File: "python3-mpmath_1.2.1-2_all.deb", Size: 418_000,
			SHA256: "2c219b63cbab11b27208ef4141c116cbb022dc1236e84981fadb46042f3ce235"},
		test: "mpmath.mp.dps = 40\nprint(mpmath.zeta(3))",
		want: "1.202056903159594285399738161511449990765\n",
	},
	{
		name: "sympy", version: "1.11.1", summary: "SymPy, algebra for Python", needs: "mpmath",
		archive: toolchain.Debian{Package: "python3-sympy", Version: "1.11.1", Suite: "bookworm", Binary: true,
			File: "python3-sympy_1.11.1-1_all.deb", Size: 4_358_000,
			SHA256: "b437232be31819aafd267ddf2132c16293ef75e02fd58b4ad31eee3ef1d5b49e"},
		test: "x = sympy.symbols('x')\nprint(sympy.integrate(sympy.sin(x)**2, x), sympy.solve(x**2 - 2, x))",
		want: "x/2 - sin(x)*cos(x)/2 [-sqrt(2), sqrt(2)]\n",
	},
	{
		name: "six", version: "1.16.0", kind: ".py", summary: "six, one source for Python 2 and 3",
		archive: toolchain.Debian{Package: "python3-six", Version: "1.16.0", Suite: "bookworm", Binary: true,
			File: "python3-six_1.16.0-4_all.deb", Size: 17_516,
			SHA256: "fd189e9cecbcf17a1fc20aec30055c8afa9c1eec00cd6e7ab385087a2ab3b0d3"},
		test: "print(six.text_type('a'), six.PY3)",
		want: "a True\n",
	},
	{
		name: "dateutil", version: "2.8.2", summary: "dateutil, dates as people write them, and their rules", needs: "six",
		archive: toolchain.Debian{Package: "python3-dateutil", Version: "2.8.2", Suite: "bookworm", Binary: true,
			File: "python3-dateutil_2.8.2-2_all.deb", Size: 78_268,
			SHA256: "59d696282ffeaf54395452e012715410dc414c6baaa54d4cdae56ac7c217eb31"},
		test: "from dateutil import parser, relativedelta\nprint(parser.parse('29 Feb 2024 12:30') + relativedelta.relativedelta(months=1))",
		want: "2024-03-29 12:30:00\n",
	},
}

// packOf is the pack that has a module, nil for none.
func packOf(module string) *pack {
	for _, p := range packs {
		if p.name == module {
			return p
		}
	}
	return nil
}

// The files of a pack's toolchain, and where Debian's package has its modules.
const (
	packFile   = "modules.zip"
	debianDir  = "lib/python3/dist-packages/"
	packFormat = "1" // changes when the same modules are packed differently
)

// recipe takes the modules out of Debian's package, without their own tests, and
// compiles them with the Python that will import them.
func (p *pack) recipe(l *lane) toolchain.Recipe {
	needs := []string{toolName}
	if p.needs != "" {
		needs = append(needs, p.needs)
	}
	return toolchain.Recipe{
		Name: p.name, Version: p.version, Summary: p.summary, Needs: needs,
		Origin: toolchain.Source{
			Archive: p.archive,
			Files:   []string{debianDir + p.name + cmp.Or(p.kind, "/")},
			Of:      packFormat + " " + l.env.Tools.Fingerprint(toolName),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				data, err := l.packModules(ctx, job, p.name, inPython(debianModules(files)))
				if err != nil {
					return err
				}
				return job.Write(packFile, data)
			},
		},
		Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error { return l.testPack(ctx, t, p) },
		Takes: 10 * time.Second,
	}
}

// debianModules are the files of a package of Debian's by their path as modules.
func debianModules(files map[string][]byte) map[string][]byte {
	modules := map[string][]byte{}
	for name, data := range files {
		if inside, ok := strings.CutPrefix(name, debianDir); ok {
			modules[inside] = data
		}
	}
	return modules
}

// inPython are the files that are written in Python, without their tests.
func inPython(files map[string][]byte) map[string][]byte {
	modules := maps.Clone(files)
	maps.DeleteFunc(modules, func(name string, _ []byte) bool {
		return !strings.HasSuffix(name, ".py") || strings.Contains(name, "/tests/")
	})
	return modules
}

// packModules is the archive of a pack's modules, and of other files that they
// read.
func (l *lane) packModules(ctx context.Context, job *toolchain.Job, name string, modules map[string][]byte) ([]byte, error) {
	python, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress)
	if err != nil {
		return nil, err
	}
	library := newLibrary(python)
	files, err := library.All()
	if err != nil {
		return nil, err
	}
	tree, err := newTree(nil, library, nil, nil)
	if err != nil {
		return nil, err
	}
	m, release, err := l.Acquire(ctx, &compile.Job{Files: tree, Limits: buildLimits})
	if err != nil {
		return nil, err
	}
	defer release(false)
	if len(modules) == 0 {
		return nil, fmt.Errorf("%s has no modules", name)
	}
	packer := &packer{python: &machine{in: m.Instance, stderr: &m.Stderr.Buffer}, dir: sourcesDir, bootstrap: files[bootstrapFile]}
	return packer.pack(ctx, job, name, modules, nil)
}

// testPack runs the pack's program in a Python that has imported the pack and
// was frozen.
func (l *lane) testPack(ctx context.Context, t toolchain.Toolchain, p *pack) error {
	archives, err := l.archives(ctx, p.needs)
	if err != nil {
		return err
	}
	archives = append(archives, newPack(t))
	python, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress) // its library serves each Python
	if err != nil {
		return err
	}
	if p.program != "" {
		python = t
	}
	return l.newImporting([]string{p.name}, archives).Test(ctx, python, func(m *vm.Machine) error {
		a, err := ask(ctx, m, request{Do: "run", Program: &program{Kind: kindScript, Text: "import " + p.name + "\n" + p.test}, Dir: "/"})
		if err != nil {
			return err
		}
		if got := m.Stdout.String(); a.Exit != 0 || got != p.want {
			return fmt.Errorf("printed %q, want %q %s", got, p.want, strings.TrimSpace(m.Stderr.String()))
		}
		return nil
	})
}

func newPack(t toolchain.Toolchain) *vm.Archive {
	return vm.NewArchive(packFile, func() ([]byte, error) { return t.ReadFile(packFile) })
}
