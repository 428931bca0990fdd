package interp

import (
	"fmt"
	"maps"
	"slices"
)

// hashTable remembers where commands were found along PATH, as bash does: a
// file that appears earlier in PATH counts only after hash -r.
type hashTable struct {
	path    string // PATH when the entries were found
	entries map[string]hashed
}

type hashed struct {
	file string
	hits int
}

// clone copies the table, for a subshell.
func (t hashTable) clone() hashTable { return hashTable{t.path, maps.Clone(t.entries)} }

// remembered is the table, empty when PATH is another by now.
func (sh *Shell) remembered() map[string]hashed {
	if path := sh.value("PATH"); sh.hashes.entries == nil || sh.hashes.path != path {
		sh.hashes = hashTable{path, map[string]hashed{}}
	}
	return sh.hashes.entries
}

// locate finds the file of a command that is to run and remembers it.
func (sh *Shell) locate(name string) string {
	table := sh.remembered()
	found, ok := table[name]
	if !ok {
		if found.file = sh.search(name, true); found.file == "" {
			return sh.search(name, false)
		}
	}
	found.hits++
	if sh.opts["hashall"] {
		table[name] = found
	}
	return found.file
}

func builtinHash(sh *Shell, args []string) int {
	table, option, status := sh.remembered(), byte(0), 0
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0]
		args = args[1:]
		if word == "--" {
			break
		}
		for _, c := range []byte(word[1:]) {
			switch c {
			case 'r':
				clear(table)
			case 'd', 't', 'p', 'l':
				option = c
			default:
				sh.errorf("hash: -%c: invalid option", c)
				return 2
			}
		}
		if len(args) == 0 && option == 0 {
			return 0
		}
	}
	if option == 'p' {
		if len(args) < 2 {
			sh.errorf("hash: -p: option requires an argument")
			return 1
		}
		for _, name := range args[1:] {
			table[name] = hashed{file: args[0]}
		}
		return 0
	}
	if len(args) == 0 {
		sh.printHashes(table, option == 'l')
		return 0
	}
	for _, name := range args {
		switch found, ok := table[name]; {
		case (option == 'd' || option == 't') && !ok:
			sh.errorf("hash: %s: not found", name)
			status = 1
		case option == 'd':
			delete(table, name)
		case option == 't' && len(args) > 1:
			sh.print(name + "\t" + found.file + "\n")
		case option == 't':
			sh.print(found.file + "\n")
		case sh.funcs[name] != nil || builtins[name] != nil:
		default:
			file := sh.search(name, true)
			if file == "" {
				sh.errorf("hash: %s: not found", name)
				status = 1
				continue
			}
			table[name] = hashed{file: file}
		}
	}
	return status
}

// printHashes lists the table, with reuse as commands that make it again.
func (sh *Shell) printHashes(table map[string]hashed, reuse bool) {
	if len(table) == 0 {
		if !reuse {
			sh.print("hash: hash table empty\n")
		}
		return
	}
	if !reuse {
		sh.print("hits\tcommand\n")
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if reuse {
			sh.print("builtin hash -p " + table[name].file + " " + name + "\n")
		} else {
			sh.print(fmt.Sprintf("%4d\t%s\n", table[name].hits, table[name].file))
		}
	}
}
