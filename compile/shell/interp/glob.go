package interp

import (
	"os"
	"path"
	"slices"
	"strings"
)

// pathnames expands a field to the files that its pattern matches; a field
// without a pattern, or one that matches nothing, stays as it is.
func (sh *Shell) pathnames(field []run) []string {
	text := joinRuns(field)
	if sh.opts["noglob"] || !sh.hasPattern(field) {
		return []string{text}
	}
	list := sh.glob(patternOf(field))
	switch {
	case len(list) > 0:
		return list
	case sh.opts["failglob"]:
		sh.errorf("no match: %s", text)
		sh.discard()
		return nil
	case sh.opts["nullglob"]:
		return nil
	}
	return []string{text}
}

func (sh *Shell) hasPattern(field []run) bool {
	for i, r := range field {
		if r.kind == quoted {
			continue
		}
		if strings.ContainsAny(r.text, "*?") || strings.Contains(r.text, "[") && strings.Contains(joinRuns(field[i:]), "]") {
			return true
		}
		if strings.Contains(r.text, "@(") || strings.Contains(r.text, "+(") || strings.Contains(r.text, "!(") {
			return true
		}
	}
	return false
}

// isPattern tells that a part of a path has to be looked for.
func isPattern(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		case '@', '+', '!':
			if i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}

// unescapePattern is what a pattern without special characters stands for.
func unescapePattern(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// glob lists the files that a pattern matches, sorted.
func (sh *Shell) glob(pat string) []string {
	found := []string{""}
	parts := splitPath(pat)
	for i, part := range parts {
		last := i == len(parts)-1
		var next []string
		for _, base := range found {
			switch {
			case part == "" && last:
				if sh.isDir(sh.abs(base)) {
					next = append(next, base)
				}
			case !isPattern(part):
				next = append(next, sh.globPlain(base+unescapePattern(part), last)...)
			case part == "**" && sh.opts["globstar"]:
				next = append(next, sh.globTree(base, last)...)
			default:
				next = append(next, sh.globOne(base, part, last)...)
			}
		}
		found = next
	}
	found = sh.withoutIgnored(found)
	slices.Sort(found)
	return slices.Compact(found)
}

// splitPath cuts a pattern at the slashes that are not inside a group.
func splitPath(pat string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '(':
			if i > 0 && strings.IndexByte("@+!?*", pat[i-1]) >= 0 || depth > 0 {
				depth++
			}
		case ')':
			depth = max(0, depth-1)
		case '/':
			if depth == 0 {
				parts = append(parts, pat[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, pat[start:])
}

func (sh *Shell) globPlain(name string, last bool) []string {
	if !last {
		if name == "" || sh.isDir(sh.abs(name)) {
			return []string{name + "/"}
		}
		return nil
	}
	if _, err := os.Lstat(sh.abs(name)); err != nil {
		return nil
	}
	return []string{name}
}

func (sh *Shell) globOne(base, part string, last bool) []string {
	entries, err := os.ReadDir(sh.abs(base))
	if err != nil {
		return nil
	}
	var list []string
	names := make([]string, 0, len(entries)+2)
	hidden := strings.HasPrefix(unescapePattern(part), ".")
	if !sh.opts["globskipdots"] && hidden {
		names = append(names, ".", "..")
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range names {
		if name[0] == '.' && !hidden && !(sh.opts["dotglob"] || sh.isSet("GLOBIGNORE")) {
			if !strings.HasPrefix(part, "@(") && !strings.HasPrefix(part, "?(") && !strings.HasPrefix(part, "+(") && !strings.HasPrefix(part, "*(") ||
				!strings.Contains(part, "(.") && !strings.Contains(part, "|.") {
				continue
			}
		}
		if !sh.matchesFold(part, name, sh.opts["nocaseglob"]) {
			continue
		}
		if last {
			list = append(list, base+name)
		} else if sh.isDir(sh.abs(base + name)) {
			list = append(list, base+name+"/")
		}
	}
	return list
}

// globTree is **: every directory below base, and, at the end, every file.
func (sh *Shell) globTree(base string, last bool) []string {
	list := []string{base}
	if last && base == "" {
		list = nil
	}
	entries, err := os.ReadDir(sh.abs(base))
	if err != nil {
		return list
	}
	for _, e := range entries {
		name := e.Name()
		if name[0] == '.' && !sh.opts["dotglob"] {
			continue
		}
		if !e.IsDir() {
			if last {
				list = append(list, base+name)
			}
			continue
		}
		if last {
			list = append(list, base+name)
			list = append(list, sh.globTree(base+name+"/", last)[1:]...)
			continue
		}
		list = append(list, sh.globTree(base+name+"/", last)...)
	}
	return list
}

// withoutIgnored drops what GLOBIGNORE names.
func (sh *Shell) withoutIgnored(list []string) []string {
	ignore := sh.value("GLOBIGNORE")
	if ignore == "" {
		return list
	}
	return slices.DeleteFunc(list, func(name string) bool {
		if base := path.Base(name); base == "." || base == ".." {
			return true
		}
		for _, pat := range splitColons(ignore) {
			if sh.matchesFold(pat, name, false) {
				return true
			}
		}
		return false
	})
}

// splitColons cuts a list of patterns at its colons, but not inside [:class:].
func splitColons(s string) []string {
	var list []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && strings.HasPrefix(s[i:], "[["):
			if end := strings.Index(s[i:], "]]"); end > 0 {
				i += end + 1
			}
		case s[i] == ':':
			list = append(list, s[start:i])
			start = i + 1
		}
	}
	return append(list, s[start:])
}
