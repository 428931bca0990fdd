//go:build wasip1

// Command guest is the program behind the shell lane: the shell itself, and jq.
// It is compiled for wasip1 as a reactor, started once, frozen, and revived for
// every shell and every jq stage; see package wb/compile/shell.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	_ "time/tzdata" // TZ: no tree has to hold the zones
	"unsafe"

	"wb/compile/shell/interp"
)

// collectFrom is how large the heap grows before the collector works for each
// further step, so that scripts with large variables fit into the memory a block
// has by default.
const collectFrom = 40 << 20

func main() {} // a reactor: run is the entry

// run runs one program, named by the first word of its configuration, and
// returns its exit status.
//
//go:wasmexport run
func run() int32 {
	c := readConfig()
	if len(c.args) == 0 {
		return 2
	}
	switch c.args[0] {
	case "jq":
		return int32(jq(c))
	case "\x00check":
		return int32(check(c.args))
	case "\x00warm": // before the freeze: touch what every run needs
		interp.Warm()
		debug.SetMemoryLimit(collectFrom)
		return 0
	}
	return int32(shell(c))
}

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(p unsafe.Pointer, size uint32) uint32

// seed starts RANDOM: the sandbox's own, the same on every run, unless random
// numbers are granted. Go's would be those of the freeze.
func seed() (n uint64) {
	randomGet(unsafe.Pointer(&n), 8)
	return n
}

// shell is sh [-eux] [-o option] [-c script [name]] [file] [argument…].
func shell(c config) int {
	name, args := c.args[0], c.args[1:]
	dialect := interp.POSIX
	if name == "bash" {
		dialect = interp.Bash
	}
	var options []string
	command, isCommand := "", false
	before := 0 // lines of the script that are not the author's
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		word := args[0]
		args = args[1:]
		if word == "--" {
			break
		}
		if n, ok := strings.CutPrefix(word, "--before="); ok {
			before, _ = strconv.Atoi(n)
			continue
		}
		if strings.HasPrefix(word, "--") { // --norc, --posix, --login …
			continue
		}
		for _, letter := range word[1:] {
			switch letter {
			case 'c':
				isCommand = true
			case 'o':
				if len(args) > 0 {
					options = append(options, word[:1]+"o", args[0])
					args = args[1:]
				}
			case 'O': // of shopt
				if len(args) > 0 {
					options = append(options, word[:1]+"O", args[0])
					args = args[1:]
				}
			case 'i', 'l', 's':
			default:
				options = append(options, word[:1]+string(letter))
			}
		}
	}
	script, execution, path := "", "", ""
	switch {
	case isCommand && len(args) == 0:
		complain("%s: -c: option requires an argument", name)
		return 2
	case isCommand:
		command, args = args[0], args[1:]
		script, execution = command, command
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
	case len(args) > 0:
		name, args = args[0], args[1:]
		file := name
		path = name
		if !strings.HasPrefix(file, "/") {
			file = strings.TrimSuffix(c.dir, "/") + "/" + file
		}
		text, err := os.ReadFile(file)
		if err != nil {
			complain("%s: %s: No such file or directory", c.args[0], name)
			return 127
		}
		script = string(text)
	default:
		script = string(readAll(0))
	}
	sh := interp.New(interp.Config{Kernel: kernel{}, Dialect: dialect, Name: name, Args: args, Env: c.env, Dir: c.dir, Before: before, Seed: seed(),
		Execution: execution, File: path})
	if len(options) > 0 {
		sh.Set(options)
	}
	return sh.Run(script)
}

// check parses a script and prints "line:col message" when it is not one.
func check(args []string) int {
	if len(args) < 3 {
		return 2
	}
	line, col, message := interp.Check(args[2])
	if message == "" {
		return 0
	}
	kernel{}.Write(1, fmt.Appendf(nil, "%d:%d %s\n", line, col, message))
	return 1
}

func complain(format string, args ...any) {
	kernel{}.Write(2, fmt.Appendf(nil, format+"\n", args...))
}

func readAll(h interp.Handle) []byte {
	var all []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := kernel{}.Read(h, buf)
		all = append(all, buf[:n]...)
		if err != nil {
			return all
		}
	}
}
