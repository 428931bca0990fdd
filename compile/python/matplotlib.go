package python

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"wb/compile/clang"
	"wb/compile/toolchain"
)

// Names of matplotlib's toolchain and of the Python in it, and of those that
// keep the sources of what it is linked with.
const (
	matplotlibName    = "matplotlib"
	matplotlibVersion = "3.3.4"
	matplotlibFile    = "matplotlib.wasm"
	freetypeName      = "freetype-source"
	pillowName        = "pillow-source"
)

// matplotlibFiles are what wb adds to the sources of matplotlib, FreeType and
// Pillow, and which of them it takes.
//
//go:embed all:matplotlib
var matplotlibFiles embed.FS

var matplotlibSources = toolchain.Source{
	Archive: toolchain.Debian{Package: "matplotlib", Version: matplotlibVersion, Suite: "bullseye",
		File: "matplotlib_3.3.4.orig.tar.xz", Size: 30_605_084,
		SHA256: "53bc7ea6b9ce64116002c56113842600ba5f0fa1ea338d1fe425793994d2f395"},
	Files: strings.Fields(`LICENSE/ matplotlibrc.template lib/ !lib/matplotlib/tests/ !lib/mpl_toolkits/tests/
		!lib/matplotlib/mpl-data/images/ !lib/matplotlib/sphinxext/
		src/*.cpp src/*.c src/*.h src/tri/ extern/ !extern/agg24-svn/src/platform/ !extern/agg24-svn/src/ctrl/`),
}

// sourceRecipe keeps files of a source package that others are built of.
func sourceRecipe(name, summary string, archive toolchain.Debian, files ...string) toolchain.Recipe {
	return toolchain.Recipe{Name: name, Version: archive.Version, Summary: summary, Apart: "only building matplotlib needs it",
		Origin: toolchain.Source{Archive: archive, Files: files, Of: "1", Build: keepSources}}
}

func freetypeRecipe() toolchain.Recipe {
	return sourceRecipe(freetypeName, "FreeType's sources, for matplotlib",
		toolchain.Debian{Package: "freetype", Version: "2.12.1", Suite: "bookworm", File: "freetype_2.12.1+dfsg.orig.tar.xz", Size: 2_188_492,
			SHA256: "7dedb6b9adf331559daea614a83b8de42a753e685ec8e1c4bdb4529eb880b0d1"},
		"LICENSE.TXT", "include/", "src/*/*.c", "src/*/*.h", "!src/tools/")
}

func pillowRecipe() toolchain.Recipe {
	return sourceRecipe(pillowName, "Pillow's sources, for matplotlib",
		toolchain.Debian{Package: "pillow", Version: "9.4.0", Suite: "bookworm", File: "pillow_9.4.0.orig.tar.xz", Size: 40_790_292,
			SHA256: "0a58ccfbd002838b32e21773bfdaa954a2de08d1f04b87b63d14e751fec3264d"},
		"LICENSE", "src/*.c", "src/libImaging/", "src/PIL/*.py")
}

// matplotlibRecipe builds a Python with numpy's, matplotlib's and Pillow's
// modules in it.
func (l *lane) matplotlibRecipe(p *pack, c *clang.Compiler) toolchain.Recipe {
	own, err := toolchain.HashFS(matplotlibFiles)
	origin := matplotlibSources
	b := &matplotlibBuilder{builder: builder{lane: l, compiler: c}, pack: p}
	origin.Of = fmt.Sprintf("1 %s %v %q %q %s", own, err, matplotlibEdits, flagWords, matplotlibCPP)
	needs := []string{toolName, objectsName, zlibName, freetypeName, pillowName}
	for _, name := range append(needs, p.needs...) {
		origin.Of += " " + l.env.Tools.Fingerprint(name)
	}
	origin.Build = b.build
	return toolchain.Recipe{
		Name: p.name, Version: p.version, Summary: p.summary, Needs: append(needs, p.needs...),
		Origin: origin,
		Apart:  "building it and numpy takes half an hour",
		Check:  func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error { return l.testPack(ctx, t, p) },
		Takes:  time.Minute,
	}
}

// matplotlibBuilder makes the toolchain of matplotlib's sources.
type matplotlibBuilder struct {
	builder
	pack *pack
}

func (b *matplotlibBuilder) build(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
	if err := b.prepare(files); err != nil {
		return err
	}
	wasm, err := b.program(ctx, job, files)
	if err != nil {
		return err
	}
	if err := job.Write(matplotlibFile, wasm); err != nil {
		return err
	}
	modules, err := b.lane.packModules(ctx, job, b.pack.name, matplotlibModules(files))
	if err != nil {
		return err
	}
	if err := job.Write(packFile, modules); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE/LICENSE", "pillow/LICENSE", "freetype/LICENSE.TXT"} {
		if err := job.Write(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// matplotlibModules are the modules of matplotlib and Pillow by their path, and the
// files that they read.
func matplotlibModules(files map[string][]byte) map[string][]byte {
	modules := map[string][]byte{}
	for name, data := range files {
		for _, dir := range []string{"lib/", "pillow/src/"} {
			inside, ok := strings.CutPrefix(name, dir)
			if ok && (path.Ext(name) == ".py" || strings.Contains(name, "/mpl-data/")) {
				modules[inside] = data
			}
		}
	}
	return modules
}

// prepare adds to matplotlib's files those of the other toolchains and ours, and
// makes the edits that all of them need.
func (b *matplotlibBuilder) prepare(files map[string][]byte) error {
	for name, dir := range map[string]string{freetypeName: "freetype/", pillowName: "pillow/", zlibName: "zlib/"} {
		if err := b.addFiles(files, name, dir, func(string) bool { return true }); err != nil {
			return err
		}
	}
	if err := b.addFiles(files, objectsName, "", isHeader); err != nil {
		return err
	}
	if err := b.addFiles(files, numpyName, "", func(name string) bool { return strings.HasPrefix(name, numpyHeaders) }); err != nil {
		return err
	}
	for from, to := range map[string]string{"ftmodule.h": "ftmodule.h", "modules.c": "modules.c", "_version.py": "lib/matplotlib/_version.py"} {
		data, err := matplotlibFiles.ReadFile("matplotlib/" + from)
		if err != nil {
			return err
		}
		files[to] = data
	}
	files["lib/matplotlib/mpl-data/matplotlibrc"] = files["matplotlibrc.template"]
	for name, data := range files {
		if dir, _, _ := strings.Cut(name, "/"); dir == "src" || dir == "pillow" {
			files[name] = adaptMethods(data)
		}
	}
	for _, name := range []string{"Imaging", "ImagingUtils"} { // which are read ahead
		header := "pillow/src/libImaging/" + name + ".h"
		files[header] = fmt.Appendf(nil, "#ifndef WB_%s\n#define WB_%s\n%s\n#endif\n", name, name, files[header])
	}
	return applyEdits(files, matplotlibEdits)
}

// addFiles adds those files of a toolchain that are wanted, below dir.
func (b *matplotlibBuilder) addFiles(files map[string][]byte, name, dir string, wanted func(string) bool) error {
	t, ok := b.lane.env.Tools.Installed(name)
	if !ok {
		return fmt.Errorf("toolchain %s is missing", name)
	}
	for _, f := range t.Files {
		if !wanted(f.Path) {
			continue
		}
		data, err := t.ReadFile(f.Path)
		if err != nil {
			return err
		}
		files[dir+f.Path] = data
	}
	return nil
}

// matplotlibEdits are what is changed in the sources beside [adaptMethods]. There
// are no processes, threads or directories of the user's, and kiwisolver, which only
// constrained_layout uses, is missing.
var matplotlibEdits = []edit{
	{"src/qhull_wrap.c", "error_file = fopen(STRINGIFY(MPL_DEVNULL), \"w\");", "error_file = stderr;"},
	{"src/qhull_wrap.c", "        fclose(error_file);\n    free(tri_indices);\n    free(points);", "        fflush(error_file);\n    free(tri_indices);\n    free(points);"},
	{"src/qhull_wrap.c", "        fclose(error_file);\n    free(tri_indices);\n\nerror_before_qhull", "        fflush(error_file);\n    free(tri_indices);\n\nerror_before_qhull"},
	{"lib/matplotlib/mpl-data/matplotlibrc", "#svg.hashsalt: None ", "#svg.hashsalt: wb "}, // the same program writes the same bytes
	{"lib/matplotlib/__init__.py", "import os\nfrom pathlib", "import os\nos.environ.setdefault('HOME', '/')\nfrom pathlib"},
	{"lib/matplotlib/__init__.py", "from distutils.version import LooseVersion\n", ""},
	{"lib/matplotlib/__init__.py", "\n\n_check_versions()\n", "\n"},
	{"lib/matplotlib/__init__.py", "def _get_config_or_cache_dir(xdg_base):\n", "def _get_config_or_cache_dir(xdg_base):\n    return os.environ.get('MPLCONFIGDIR', '/.matplotlib')\n"},
	{"lib/matplotlib/_layoutbox.py", "import kiwisolver as kiwi\n", `

class _Kiwi:
    def __getattr__(self, name):
        raise ImportError("constrained_layout needs kiwisolver, which is not in the sandbox; use tight_layout")


kiwi = _Kiwi()
`},
	{"lib/matplotlib/font_manager.py", "    json_dump(fontManager, _fmcache)\n\n\ntry:", "\n\ntry:"},
	{"lib/matplotlib/font_manager.py", "        timer.start()\n", ""},
	{"lib/matplotlib/backend_bases.py", "traceback.walk_stack(None)", "traceback.walk_stack(sys._getframe())"}, // Python 3.11 begins further out
	{"lib/matplotlib/backend_bases.py", `                f"Matplotlib is currently using {get_backend()}, which is "
                f"a non-GUI backend, so cannot show the figure.")`,
		`                "there is no screen in the sandbox; write the figure to a file: "
                "plt.savefig('x.png') or .svg, or :results file graphics :file x.png")`},
}

// flagWords are the flags that sources.txt names by a word.
var flagWords = map[string][]string{
	"FREETYPE":   {"-DFT2_BUILD_LIBRARY", "-DFT_CONFIG_MODULES_H=<ftmodule.h>", "-I/work/freetype/include"},
	"PILLOW":     {"-DHAVE_LIBZ", "-DPILLOW_VERSION=\"9.4.0\"", "-I/work/pillow/src", "-I/work/pillow/src/libImaging", "-I/work/zlib"},
	"MATPLOTLIB": {"-DFREETYPE_BUILD_TYPE=local", "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-I/work/src", "-I/work/extern", "-I/work/extern/agg24-svn/include", "-I/work/freetype/include"},
}

var (
	matplotlibFlags = []string{"-O2", "-DNDEBUG", "-fwrapv", "-fno-strict-aliasing", "-w", "-I/work/numpy/core/include", "-I/work/Include", "-I/work"}
	matplotlibCPP   = []string{"-std=c++14", "-D__STDC_VERSION__=0", "-Drestrict=__restrict"} // as numpyCPP
)

// program compiles the C and C++ files and links them with those of CPython and
// numpy.
func (b *matplotlibBuilder) program(ctx context.Context, job *toolchain.Job, all map[string][]byte) ([]byte, error) {
	objects, err := b.below(ctx)
	if err != nil {
		return nil, err
	}
	list, err := matplotlibFiles.ReadFile("matplotlib/sources.txt")
	if err != nil {
		return nil, err
	}
	names, words := readSources(string(list))
	files := maps.Clone(all)
	maps.DeleteFunc(files, func(name string, _ []byte) bool {
		return !slices.Contains([]string{".c", ".cpp", ".h", ".hpp", ".inc"}, path.Ext(name))
	})
	return b.compiler.BuildTool(ctx, job, files, clang.Options{
		Flags: matplotlibFlags,
		FlagsOf: func(name string) (flags []string) {
			for _, word := range words[name] {
				if named, ok := flagWords[word]; ok {
					flags = append(flags, named...)
				} else {
					flags = append(flags, word)
				}
			}
			if path.Ext(name) == ".cpp" {
				flags = append(flags, matplotlibCPP...)
			}
			return flags
		},
		With: objects, Main: append(names, "modules.c"), Headers: []string{"Imaging.h"}, LinkFlags: linkFlags, Reactor: true, Unwinds: true,
	})
}

// below are the objects of CPython and of numpy.
func (b *matplotlibBuilder) below(ctx context.Context) ([][]byte, error) {
	objects, err := b.objects(ctx, "")
	if err != nil {
		return nil, err
	}
	numpy, err := b.lane.env.Tools.Ensure(ctx, numpyName, b.lane.env.Progress)
	if err != nil {
		return nil, err
	}
	for _, f := range numpy.Files {
		if !strings.HasPrefix(f.Path, numpyObjects) {
			continue
		}
		object, err := numpy.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}
