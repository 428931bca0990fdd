package interp

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// optionLetters is $-, in bash's order.
func (sh *Shell) optionLetters() string {
	var b strings.Builder
	for _, c := range []byte("aefhkmnptuvxBCEHPT") {
		for _, o := range setOptions {
			if o.letter == c && sh.opts[o.name] {
				b.WriteByte(c)
			}
		}
	}
	if sh.execution != "" {
		b.WriteByte('c')
	}
	return b.String()
}

// optionNames lists the options that are on, as SHELLOPTS has them.
func (sh *Shell) optionNames(which func(name string) bool) string {
	var names []string
	for name, on := range sh.opts {
		if on && which(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ":")
}

func (sh *Shell) setOption(name string, on bool) bool {
	for _, o := range setOptions {
		if o.name == name {
			if on && name == "vi" {
				delete(sh.opts, "emacs")
			} else if on && name == "emacs" {
				delete(sh.opts, "vi")
			}
			if on {
				sh.opts[name] = true
			} else {
				delete(sh.opts, name)
			}
			return true
		}
	}
	return false
}

func builtinSet(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) == 0 {
		environment{sh}.Each(func(name string, v expand.Variable) bool {
			if !v.IsSet() {
				return true
			}
			if v.Kind != expand.String {
				_, text, _ := strings.Cut(declarationText(name, sh.vars.find(name)), name)
				return sh.print(name + text + "\n")
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
			sh.setOption("xtrace", false)
			sh.setOption("verbose", false)
			if len(args) > 1 {
				sh.params = slices.Clone(args[1:])
			}
			return 0
		}
		if a == "+" {
			if args = args[1:]; len(args) == 0 {
				return 0
			}
			continue
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		on := a[0] == '-'
		args = args[1:]
		for _, c := range []byte(a[1:]) {
			if c == 'o' {
				if len(args) == 0 {
					for _, o := range sortedOptions() {
						state := "off"
						if sh.opts[o.name] {
							state = "on"
						}
						if !on {
							sh.print("set " + map[string]string{"on": "-", "off": "+"}[state] + "o " + o.name + "\n")
							continue
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
			i := slices.IndexFunc(setOptions, func(o option) bool { return o.letter == c })
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

func sortedOptions() []option {
	list := slices.Clone(setOptions)
	slices.SortFunc(list, func(a, b option) int { return strings.Compare(a.name, b.name) })
	return list
}

func builtinShopt(sh *Shell, args []string) int {
	mode, status := byte(0), 0
	quiet, options, reusable := false, false, false
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		for _, c := range []byte(args[0][1:]) {
			switch c {
			case 's', 'u':
				mode = c
			case 'p':
				reusable = true
			case 'q':
				quiet = true
			case 'o':
				options = true
			default:
				sh.errorf("shopt: -%c: invalid option", c)
				return 2
			}
		}
		args = args[1:]
	}
	names := shoptNames
	if options {
		names = nil
		for _, o := range sortedOptions() {
			names = append(names, o.name)
		}
	}
	show := func(name string) {
		on := sh.opts[name]
		switch {
		case quiet:
		case reusable && options:
			sh.print("set " + map[bool]string{true: "-", false: "+"}[on] + "o " + name + "\n")
		case reusable:
			sh.print("shopt " + map[bool]string{true: "-s", false: "-u"}[on] + " " + name + "\n")
		case options:
			sh.print(fmt.Sprintf("%-15s\t%s\n", name, onOff(on)))
		default:
			sh.print(fmt.Sprintf("%-20s\t%s\n", name, onOff(on)))
		}
	}
	if len(args) == 0 {
		for _, name := range names {
			if mode == 0 || sh.opts[name] == (mode == 's') {
				show(name)
			}
		}
		return 0
	}
	for _, name := range args {
		switch {
		case !slices.Contains(names, name):
			sh.errorf("shopt: %s: invalid shell option name", name)
			status = 1
		case mode != 0 && options:
			sh.setOption(name, mode == 's')
		case mode != 0:
			sh.opts[name] = mode == 's'
		default:
			if !sh.opts[name] {
				status = 1
			}
			show(name)
		}
	}
	return status
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
