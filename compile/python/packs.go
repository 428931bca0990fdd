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
	needs   []string // the packs that its modules import
	kind    string   // ".py" when it is one file, "" for a directory
	imports []string // what is imported before it is frozen, its own name for nil
	archive toolchain.Debian
	// program is the wasm file of a Python that has the pack's modules in C, ""
	// when any Python will do.
	program string
	test    string // a program, and what it prints
	want    string
}

// packs are what there is, each after what it needs.
var packs = []*pack{
	{
		name: numpyName, version: numpyVersion, summary: "numpy, arrays for Python, with a Python that has it built in", program: numpyFile,
		test: "a = numpy.arange(6).reshape(2, 3)\nprint(a.mean(axis=0), numpy.linalg.inv([[1, 2], [3, 4]])[0], numpy.fft.fft([1, 0, 0])[1], numpy.random.default_rng(1).integers(100))",
		want: "[1.5 2.5 3.5] [-2.  1.] (1+0j) 47\n",
	},
	{
		name: "mpmath", version: "1.2.1", summary: "mpmath, arithmetic of any precision for Python",
		archive: allDebian("mpmath", "1.2.1", "python3-mpmath_1.2.1-2_all.deb", 418_000, "2c219b63cbab11b27208ef4141c116cbb022dc1236e84981fadb46042f3ce235"),
		test:    "mpmath.mp.dps = 40\nprint(mpmath.zeta(3))",
		want:    "1.202056903159594285399738161511449990765\n",
	},
	{
		name: "sympy", version: "1.11.1", summary: "SymPy, algebra for Python", needs: []string{"mpmath"},
		archive: allDebian("sympy", "1.11.1", "python3-sympy_1.11.1-1_all.deb", 4_358_000, "b437232be31819aafd267ddf2132c16293ef75e02fd58b4ad31eee3ef1d5b49e"),
		test:    "x = sympy.symbols('x')\nprint(sympy.integrate(sympy.sin(x)**2, x), sympy.solve(x**2 - 2, x))",
		want:    "x/2 - sin(x)*cos(x)/2 [-sqrt(2), sqrt(2)]\n",
	},
	{
		name: "six", version: "1.16.0", kind: ".py", summary: "six, one source for Python 2 and 3",
		archive: allDebian("six", "1.16.0", "python3-six_1.16.0-4_all.deb", 17_516, "fd189e9cecbcf17a1fc20aec30055c8afa9c1eec00cd6e7ab385087a2ab3b0d3"),
		test:    "print(six.text_type('a'), six.PY3)",
		want:    "a True\n",
	},
	{
		name: "dateutil", version: "2.8.2", summary: "dateutil, dates and their rules", needs: []string{"six"},
		archive: allDebian("dateutil", "2.8.2", "python3-dateutil_2.8.2-2_all.deb", 78_268, "59d696282ffeaf54395452e012715410dc414c6baaa54d4cdae56ac7c217eb31"),
		imports: []string{"dateutil.parser", "dateutil.rrule", "dateutil.relativedelta"},
		test:    "print(dateutil.parser.parse('29 Feb 2024 12:30'), dateutil.relativedelta.relativedelta(months=1))",
		want:    "2024-02-29 12:30:00 relativedelta(months=+1)\n",
	},
	{
		name: "pyparsing", version: "3.0.9", summary: "pyparsing, grammars in Python",
		archive: allDebian("pyparsing", "3.0.9", "python3-pyparsing_3.0.9-1_all.deb", 138_444, "891dcf12a125dcadbae7166ad8e9d1fd22a6f1bf431ca4bce9f810da30dcd472"),
		test:    "print(pyparsing.OneOrMore(pyparsing.Word(pyparsing.nums)).parse_string('1 22'))",
		want:    "['1', '22']\n",
	},
	{
		name: "cycler", version: "0.11.0", kind: ".py", summary: "cycler, cycles of properties for matplotlib", needs: []string{"six"},
		archive: allDebian("cycler", "0.11.0", "python3-cycler_0.11.0-1_all.deb", 8_020, "bf9aebf8a85022ce618fe498673cc01243dec5f08b5fb7447847c456a0684779"),
		test:    "print(list(cycler.cycler(c='rg')))",
		want:    "[{'c': 'r'}, {'c': 'g'}]\n",
	},
	{
		name: matplotlibName, version: matplotlibVersion, summary: "matplotlib and Pillow, with a Python that has them and numpy built in", program: matplotlibFile,
		needs: []string{numpyName, "dateutil", "pyparsing", "cycler"}, imports: []string{"matplotlib.pyplot"},
		test: `import io, zlib
from matplotlib import pyplot as plt
plt.plot([1, 4, 9]); plt.title("$x^2$")
for kind in ("png", "svg"):
    f = io.BytesIO(); plt.savefig(f, format=kind); print(f.getvalue()[1:5], len(f.getvalue()) > 9999)`,
		want: "b'PNG\\r' True\nb'?xml' True\n",
	},
}

// modules are those that a frozen Python with the pack has imported.
func (p *pack) modules() []string {
	if p.imports == nil {
		return []string{p.name}
	}
	return p.imports
}

// allDebian is a package of pure Python.
func allDebian(name, version, file string, size int64, digest string) toolchain.Debian {
	return toolchain.Debian{Package: "python3-" + name, Version: version, Suite: "bookworm", Binary: true, File: file, Size: size, SHA256: digest}
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
	needs := append([]string{toolName}, p.needs...)
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
	archives, err := l.archives(ctx, p.needs...)
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
