package elisp

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/sandbox"
)

// Names of the toolchains, and of the files in them.
const (
	toolName = "emacs"
	lispName = "emacs-lisp-files"
	wasmFile = "emacs.wasm"
	docFile  = "DOC"
	lispFile = "lisp.zip"
	// built changes when the same sources are built differently.
	built = "1"
)

// sources are those of Emacs as Debian has them.
var sources = toolchain.Debian{Package: "emacs", Version: "28.2", Suite: "bookworm",
	File: "emacs_28.2+1.orig.tar.xz", Size: 26_988_304,
	SHA256: "54a21ceabe3d93a6ba164e8874d6a2cbb094e42d73d4a8978a4ff7dd75d90666"}

// recipe builds the C core of GNU Emacs (GPL-3.0-or-later) from the source
// archive of Debian with the C lane, inside the sandbox. Emacs is never part of
// wb: it is made on the machine of whoever asks for it.
func (l *lane) recipe(c *clang.Compiler) toolchain.Recipe {
	own, err := toolchain.HashFS(emacsFiles)
	return toolchain.Recipe{
		Name: toolName, Version: "28.2", Summary: "GNU Emacs (GPL-3.0-or-later), built for WASI from Debian's source, with Org",
		Needs: []string{"clang", lispName},
		Origin: toolchain.Source{
			Archive: sources,
			Files:   []string{"src/*.c", "src/*.h", "lib/*.c", "lib/*.h", "lib/malloc/", "lib-src/make-docfile.c", "lwlib/lwlib-widget.h"},
			Of:      fmt.Sprintf("%s %s %v %s", built, own, err, c.Fingerprint()),
			Build:   (&builder{env: l.env, compiler: c}).build,
		},
		Check: l.selfTest,
		Takes: 15 * time.Second,
	}
}

// lispRecipe keeps the compiled Lisp files of Emacs as Debian has compiled them,
// Org among them.
func lispRecipe() toolchain.Recipe {
	const dir = "share/emacs/28.2/"
	return toolchain.Recipe{
		Name: lispName, Version: "28.2+1-15+deb12u4", Summary: "Emacs's own Lisp files (GPL-3.0-or-later), for the emacs toolchain",
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "emacs-common", Version: "28.2+1-15+deb12u4",
				Suite: "bookworm", Binary: true,
				File: "emacs-common_1%3a28.2+1-15+deb12u4_all.deb", Size: 13_998_472,
				SHA256: "35a9075085d83962841c50289d7ae25e2075cffeadf5c2df78f9c76ad51ee9cf"},
			Files: []string{dir + "lisp/", dir + "etc/charsets/", dir + "etc/schema/", dir + "etc/org/",
				"!" + dir + "lisp/COPYING"},
			Of: "2", // with the styles of ox-odt
			Build: func(_ context.Context, job *toolchain.Job, files map[string][]byte) error {
				packed, err := pack(files, dir)
				if err != nil {
					return err
				}
				return job.Write(lispFile, packed)
			},
		},
	}
}

// filesTime is the age of all files, so that archives are equal.
var filesTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// pack makes a zip archive of files, with names below dir.
func pack(files map[string][]byte, dir string) ([]byte, error) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(name, dir), Method: zip.Deflate, Modified: filesTime})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// builder makes emacs.wasm.
type builder struct {
	env      *compile.Env
	compiler *clang.Compiler
}

// compileFlags are those of every file. Blocks are what edits.txt makes of
// setjmp.
var compileFlags = []string{"-O2", "-fblocks", "-w", "-Demacs", "-DHAVE_CONFIG_H",
	"-I/work/wb", "-I/work/wb/include", "-I/work/src", "-I/work/lib"}

// stackSize is the part of the guest's memory for C's stack. Lisp that
// recurses reaches Emacs's own limits first.
const stackSize = "8388608"

// build compiles Emacs. The names of its functions and variables are collected
// first, by the program that its own build uses for that.
func (b *builder) build(ctx context.Context, job *toolchain.Job, archive map[string][]byte) error {
	files, err := prepare(archive)
	if err != nil {
		return err
	}
	collect, err := b.collector(ctx, job, archive, files)
	if err != nil {
		return err
	}
	if files["src/globals.h"], err = collect("-g"); err != nil {
		return err
	}
	docs, err := collect()
	if err != nil {
		return err
	}
	link := []string{"-z", "stack-size=" + stackSize}
	for _, name := range []string{"stat", "lstat", "fstat", "fstatat", "faccessat"} {
		link = append(link, "--wrap="+name)
	}
	wasm, err := b.compiler.BuildTool(ctx, job, files, clang.Options{Flags: compileFlags, LinkFlags: link, Reactor: true,
		Main: append(readSources(string(own("sources.txt"))), "wb/shim.c", "wb/wb.c")})
	if err != nil {
		return err
	}
	if err := job.Write(docFile, docs); err != nil {
		return err
	}
	return job.Write(wasmFile, wasm)
}

// collector is Emacs's make-docfile, ready to run with further options.
func (b *builder) collector(
	ctx context.Context, job *toolchain.Job, archive, files map[string][]byte,
) (func(options ...string) ([]byte, error), error) {
	sources := maps.Clone(files)
	const main = "lib-src/make-docfile.c"
	sources[main] = archive[main]
	wasm, err := b.compiler.CompileC(ctx, sources, clang.Options{Flags: compileFlags, Objects: job.Keep(),
		Main: []string{main, "lib/binary-io.c", "lib/c-ctype.c"}})
	if err != nil {
		return nil, err
	}
	module, err := b.env.Engine.Compile(ctx, "make-docfile", wasm)
	if err != nil {
		return nil, err
	}
	tree := sandbox.NewMemFS()
	for name, data := range files {
		if strings.HasPrefix(name, "src/") {
			if err := tree.WriteFile(name, data); err != nil {
				return nil, err
			}
		}
	}
	return func(options ...string) ([]byte, error) {
		var out, complaints bytes.Buffer
		args := slices.Concat([]string{"make-docfile", "-d", "/src"}, options, documented())
		exit, err := b.env.Engine.Run(ctx, sandbox.Command{
			Module: module, Args: args, Stdout: &out, Stderr: &complaints, Files: tree, Limits: buildLimits})
		if err == nil && exit.Code != 0 {
			err = fmt.Errorf("make-docfile: exit %d: %s", exit.Code, bytes.TrimSpace(complaints.Bytes()))
		}
		return out.Bytes(), err
	}, nil
}

// buildLimits bound make-docfile.
var buildLimits = sandbox.Limits{Fuel: -1, Memory: 256 << 20, Timeout: 5 * time.Minute, Output: 64 << 20}

// selfTest uses what needs much of Emacs: a compiled library, non-local exits,
// big numbers, regular expressions and Org.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	const code = `(list (condition-case e (car 1) (error (car e))) (catch 'x (dotimes (i 9) (if (= i 7) (throw 'x i))))
  (format "%d" (expt 2 100)) (replace-regexp-in-string "\\(a+\\)b" "<\\1>" "caab") (cl-reduce #'+ '(1 2 3))
  (with-temp-buffer (org-mode) (insert "* TODO Head :tag:\n") (goto-char 1) (org-get-heading t t)))`
	const want = `("wrong-type-argument" 7 "1267650600228229401496703205376" "c<aa>" 6 "Head")`
	return l.Test(ctx, t, func(m *vm.Machine) error {
		a, err := ask(ctx, m, request{Do: "wb--evaluate", Code: code})
		if err != nil {
			return err
		}
		if got := a.text(); a.failure != nil || got != want {
			return fmt.Errorf("evaluated to %s, want %s %v", got, want, a.failure)
		}
		return nil
	})
}
