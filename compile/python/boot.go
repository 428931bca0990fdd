package python

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/sandbox"
	"wb/sandbox/dock"
)

//go:embed guest/*.py
var guestFiles embed.FS

// guestModules are the modules of guest/ in the order in which they need each
// other: name in Python, name of the file. The last one gets Python ready.
var guestModules = [][2]string{{"_wb_missing", "missing"}, {"_wb_values", "values"}, {"_wb_errors", "errors"}, {"_wb_loop", "loop"}, {"_wb_finder", "finder"}, {"wb", dockFile}, {"_wb", "bridge"}}

// dockFile is the one module that package dock makes.
const dockFile = "dock"

// guestText is the source of one of guestModules.
func guestText(file string) ([]byte, error) {
	if file == dockFile {
		return []byte(dock.PythonModule()), nil
	}
	return guestFiles.ReadFile("guest/" + file + ".py")
}

// bootLimits bound starting Python and importing the modules most blocks use.
var bootLimits = sandbox.Limits{Fuel: -1, Memory: 256 << 20, Timeout: 2 * time.Minute}

// guestKey changes when guest/ does.
func guestKey() string {
	h := sha256.New()
	for _, m := range guestModules {
		text, _ := guestText(m[1]) // embedded
		fmt.Fprintf(h, "%s %d\n%s\n", m[0], len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// interpreter is CPython as package vm runs it.
func (l *lane) interpreter() *vm.Interpreter {
	return l.newInterpreter(nil, version+" "+guestKey(), nil, boot)
}

// newInterpreter is CPython with packs of modules, made ready by boot: that of
// its own toolchain, or of a pack that has one, nil for none.
func (l *lane) newInterpreter(own *pack, key string, archives []sandbox.FS, boot func(context.Context, *sandbox.Instance) error) *vm.Interpreter {
	config := vm.Config{
		Tool: toolName, File: wasmFile, Key: key, Args: []string{"python3"}, Limits: bootLimits, Boot: boot,
		Files: func(t toolchain.Toolchain) (sandbox.FS, error) {
			if own != nil {
				t, _ = l.env.Tools.Installed(toolName) // the pack's toolchain needs it
			}
			return newTree(nil, newLibrary(t), nil, archives)
		},
	}
	if own != nil {
		config.Tool, config.File = own.name, own.program
	}
	return vm.New(l.env, config)
}

// boot starts Python, and in it the modules of guest/.
func boot(ctx context.Context, in *sandbox.Instance) error {
	m := &machine{in: in}
	if err := m.do(ctx, "wb_boot", 0); err != nil {
		return err
	}
	for _, module := range guestModules {
		text, err := guestText(module[1])
		if err != nil {
			return err
		}
		if err := m.strings(ctx, "wb_module", module[0], "<wb:"+module[1]+">", string(text)); err != nil {
			return fmt.Errorf("guest/%s.py: %w", module[1], err)
		}
	}
	return nil
}

// selfTest uses what needs much of Python: big numbers, Unicode, compiled
// modules, and text that only the right tables give.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	const text = `import json, re, decimal, hashlib, zlib, unicodedata, datetime, csv, io
print(2 ** 100, hashlib.sha256(zlib.decompress(zlib.compress(b"wb" * 99))).hexdigest()[:8], unicodedata.name("é"),
      decimal.Decimal(1) / 7, json.dumps(re.findall(r"\d+", "a1b22")), datetime.date(2024, 2, 29).isoformat())`
	const want = "1267650600228229401496703205376 e8c2e19b LATIN SMALL LETTER E WITH ACUTE 0.1428571428571428571428571429 [\"1\", \"22\"] 2024-02-29\n"
	return l.Test(ctx, t, func(m *vm.Machine) error {
		p := &program{Kind: kindScript, Text: text}
		a, err := ask(ctx, m, request{Do: "run", Program: p, Dir: "/"})
		if err != nil {
			return err
		}
		if got := m.Stdout.String(); a.Exit != 0 || got != want {
			return fmt.Errorf("printed %q, want %q %s", got, want, strings.TrimSpace(m.Stderr.String()))
		}
		return nil
	})
}
