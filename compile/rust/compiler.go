package rust

import (
	"context"
	"maps"
	"path"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// version changes when the lane gives other programs for the same source.
const version = "rust lane 1"

// limits bound one run of the compiler on a block.
var limits = sandbox.Limits{Fuel: 60e9, Memory: 2 << 30, Timeout: 3 * time.Minute, Output: 4 << 20, Files: 256 << 20}

// Compiler turns Rust into C and that into wasm. It is safe for concurrent use.
type Compiler struct {
	env   *compile.Env
	clang *clang.Compiler

	ready compile.Loaded[*tool]
}

// tool is an installed compiler.
type tool struct {
	digest  string
	version string // of the language, for MRUSTC_TARGET_VER
	module  *sandbox.Module
	files   *sandbox.MemFS    // target.toml and the crates
	crates  map[string][]byte // their C
}

func newCompiler(env *compile.Env, cc *clang.Compiler) *Compiler {
	c := &Compiler{env: env, clang: cc}
	env.Tools.Register(c.recipe())
	return c
}

// Fingerprint identifies this package and the compilers it runs.
func (c *Compiler) Fingerprint() string {
	return version + " " + c.env.Tools.Fingerprint(toolName) + " " + c.clang.Fingerprint()
}

func (c *Compiler) tool(ctx context.Context) (*tool, error) {
	return c.ready.Get(ctx, c.env, toolName, c.load)
}

// load makes the compiler ready to run.
func (c *Compiler) load(ctx context.Context, t toolchain.Toolchain) (*tool, error) {
	loaded := &tool{digest: t.Digest, files: sandbox.NewMemFS(), crates: make(map[string][]byte)}
	for _, f := range t.Files {
		if f.Path == programFile {
			continue
		}
		data, err := t.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		switch {
		case f.Path == versionFile:
			loaded.version = strings.TrimSpace(string(data))
		case strings.HasSuffix(f.Path, ".c"):
			loaded.crates[path.Base(f.Path)] = data
		default:
			if err := loaded.files.WriteFile(f.Path, data); err != nil {
				return nil, err
			}
		}
	}
	var err error
	loaded.module, err = c.env.Program(ctx, t, "mrustc", programFile, sandbox.WithExceptions())
	if err != nil {
		return nil, err
	}
	return loaded, nil
}

// kind says what a block becomes.
type kind string

const (
	kindProgram kind = "bin"  // has main
	kindReactor kind = "rlib" // has exported functions
)

// translation is one run of the compiler.
type translation struct {
	code     []byte // C, nil when there are errors
	messages string
}

// bodyFile is the block as the compiler sees it.
const bodyFile = "block.rs"

// translate turns one Rust file into C. mrustc would start a C compiler next;
// -C emit-build-command has it write down that command instead.
func (c *Compiler) translate(ctx context.Context, t *tool, k kind, source string) (translation, error) {
	tree := sandbox.NewMemFS()
	if err := tree.WriteFile("w/"+bodyFile, []byte(source)); err != nil {
		return translation{}, err
	}
	files, err := sandbox.Mounts(tree, map[string]sandbox.FS{"rust": sandbox.ReadOnly(t.files)})
	if err != nil {
		return translation{}, err
	}
	var out strings.Builder
	exit, err := c.env.Engine.Run(ctx, sandbox.Command{
		Module: t.module, Stdout: &out, Stderr: &out, Files: files, Dir: "/w", Limits: limits,
		Env: []string{"MRUSTC_TARGET_VER=" + t.version, "MRUSTC_LIBDIR=/rust/lib"},
		Args: []string{"mrustc", "/w/" + bodyFile, "--crate-name", "block", "--crate-type", string(k), "-O", "-o", "/w/block",
			"-L", "/rust/lib", "--target", "/rust/" + targetFile, "-C", "emit-build-command=/w/command"},
	})
	if err != nil {
		return translation{}, err
	}
	o := translation{messages: out.String()}
	if exit.Code == 0 {
		o.code, err = tree.ReadFile("w/block.c")
	}
	return o, err
}

// cFlags are for C that mrustc has written.
var cFlags = []string{"-std=gnu11", "-w", "-fno-strict-aliasing", "-Wno-incompatible-pointer-types", "-Wno-int-conversion"}

// assemble turns the C of a block, and of the crates, into wasm.
func (c *Compiler) assemble(ctx context.Context, t *tool, k kind, code []byte, exports []string) ([]byte, error) {
	files := maps.Clone(t.crates)
	return cbackend.Assemble(ctx, c.clang, "mrustc", code, files, clang.Options{Flags: cFlags, LinkFlags: []string{"--gc-sections"}, Reactor: k == kindReactor, Exports: exports})
}
