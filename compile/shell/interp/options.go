package interp

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

func (sh *Shell) optionLetters() string {
	var b strings.Builder
	for _, o := range setOptions {
		if o.letter != 0 && sh.opts[o.name] {
			b.WriteByte(o.letter)
		}
	}
	return b.String()
}

func (sh *Shell) setOption(name string, on bool) bool {
	for _, o := range setOptions {
		if o.name == name {
			if on {
				sh.opts[name] = true
			} else {
				delete(sh.opts, name)
			}
			sh.syncOptions()
			return true
		}
	}
	return false
}

func builtinSet(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) == 0 {
		environment{sh}.Each(func(name string, v expand.Variable) bool {
			if v.Kind != expand.String || !v.Set {
				return true
			}
			return sh.print(name + "=" + quoteIfNeeded(v.Str) + "\n")
		})
		return 0
	}
	for len(args) > 0 {
		a := args[0]
		if a == "--" {
			sh.params = slices.Clone(args[1:])
			return 0
		}
		if a == "-" {
			sh.params = slices.Clone(args[1:])
			sh.setOption("xtrace", false)
			return 0
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		on := a[0] == '-'
		args = args[1:]
		for _, c := range []byte(a[1:]) {
			if c == 'o' {
				if len(args) == 0 {
					for _, o := range setOptions {
						state := "off"
						if sh.opts[o.name] {
							state = "on"
						}
						sh.print(fmt.Sprintf("%-15s\t%s\n", o.name, state))
					}
					return 0
				}
				if !sh.setOption(args[0], on) {
					sh.errorf("set: %s: invalid option name", args[0])
					return 2
				}
				args = args[1:]
				continue
			}
			i := slices.IndexFunc(setOptions, func(o struct {
				letter byte
				name   string
			}) bool {
				return o.letter == c
			})
			if i < 0 {
				sh.errorf("set: %c%c: invalid option", a[0], c)
				return 2
			}
			sh.setOption(setOptions[i].name, on)
		}
	}
	if len(args) > 0 {
		sh.params = slices.Clone(args)
	}
	return 0
}

func builtinShopt(sh *Shell, args []string) int {
	mode, status := byte('p'), 0
	quiet, options := false, false
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		for _, c := range []byte(args[0][1:]) {
			switch c {
			case 's', 'u', 'p':
				mode = c
			case 'q':
				quiet = true
			case 'o':
				options = true
			}
		}
		args = args[1:]
	}
	for _, name := range args {
		if options && mode != 'p' {
			sh.setOption(name, mode == 's')
			continue
		}
		if !slices.Contains(shoptNames, name) {
			sh.errorf("shopt: %s: invalid shell option name", name)
			status = 1
			continue
		}
		switch mode {
		case 's':
			sh.opts[name] = true
		case 'u':
			delete(sh.opts, name)
		default:
			if !sh.opts[name] {
				status = 1
			}
			if !quiet {
				state := "off"
				if sh.opts[name] {
					state = "on"
				}
				sh.print(fmt.Sprintf("%-15s\t%s\n", name, state))
			}
		}
	}
	sh.syncOptions()
	return status
}
