package interp

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func builtinRead(sh *Shell, args []string) int {
	args = args[1:]
	raw, array := false, ""
	delim := byte('\n')
	fd, limit := 0, -1
	exact, poll := false, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		word := args[0]
		args = args[1:]
		for i := 1; i < len(word); i++ {
			c := word[i]
			if strings.IndexByte("adnNptui", c) < 0 {
				switch c {
				case 'r':
					raw = true
				case 's', 'e':
				default:
					sh.errorf("read: -%c: invalid option", c)
					return 2
				}
				continue
			}
			value := word[i+1:]
			if value == "" {
				if len(args) == 0 {
					sh.errorf("read: -%c: option requires an argument", c)
					return 2
				}
				value, args = args[0], args[1:]
			}
			n, err := strconv.Atoi(value)
			if (err != nil || n < 0) && strings.IndexByte("nNu", c) >= 0 {
				sh.errorf("read: %s: invalid number", value)
				return 1
			}
			switch c {
			case 'a':
				array = value
			case 't':
				seconds, err := strconv.ParseFloat(value, 64)
				poll = err == nil && seconds == 0
			case 'd':
				delim = 0
				if value != "" {
					delim = value[0]
				}
			case 'n':
				limit = n
			case 'N':
				limit, exact = n, true
			case 'u':
				fd = n
			}
			break
		}
	}
	if sh.fds[fd] == nil {
		sh.errorf("read: %d: invalid file descriptor: Bad file descriptor", fd)
		return 1
	}
	if poll {
		return 0 // whatever there will be is there: programs hand over
	}
	line, complete := sh.readLine(fd, delim, limit, exact, raw)
	status := boolStatus(complete)
	for _, name := range args {
		if n, _, _ := strings.Cut(name, "["); !syntax.ValidName(n) {
			sh.errorf("read: `%s': not a valid identifier", name)
			return 1
		}
	}
	ifs := sh.separators()
	if exact {
		ifs = ""
	}
	l := &readLine{text: line, ifs: ifs, raw: raw}
	if array != "" {
		var items []string
		for l.skip(); l.text != ""; {
			items = append(items, l.field())
		}
		sh.set(array, list(items))
		return status
	}
	if len(args) == 0 {
		l.ifs = ""
		sh.setString("REPLY", l.field())
		return status
	}
	l.skip()
	for i, name := range args {
		value := ""
		if i == len(args)-1 {
			value = l.rest()
		} else {
			value = l.field()
		}
		if !sh.assignNamed("read", name, value) {
			return 1
		}
	}
	return status
}

// assignNamed assigns to a variable or an element that is named by text.
func (sh *Shell) assignNamed(command, target, value string) bool {
	name, sub, isElement := cutSubscript(target)
	if !syntax.ValidName(name) {
		sh.errorf("%s: `%s': not a valid identifier", command, target)
		return false
	}
	if !isElement {
		return sh.setString(name, value)
	}
	as := &syntax.Assign{Name: &syntax.Lit{Value: name}, Index: sh.program.subscript(sub), Value: verbatim(value)}
	return sh.assignOne(as, sh.vars.find(name), declaration{})
}

// readLine is a line that read cuts into fields at IFS. Unless raw, a backslash
// keeps the next character from separating.
type readLine struct {
	text, ifs string
	raw       bool
}

func (l *readLine) separates(blank bool) bool {
	if l.text == "" || l.ifs == "" || !l.raw && l.text[0] == '\\' {
		return false
	}
	c := firstCharacter(l.text)
	return strings.Contains(l.ifs, c) && (!blank || strings.Contains(" \t\n", c))
}

// skip drops blanks of IFS.
func (l *readLine) skip() {
	for l.separates(true) {
		l.text = l.text[1:]
	}
}

// field takes one field and what ends it.
func (l *readLine) field() string {
	var b strings.Builder
	for l.text != "" && !l.separates(false) {
		l.take(&b)
	}
	l.skip()
	if l.separates(false) {
		l.text = l.text[len(firstCharacter(l.text)):]
		l.skip()
	}
	return b.String()
}

func (l *readLine) take(b *strings.Builder) {
	if !l.raw && l.text[0] == '\\' {
		if l.text = l.text[1:]; l.text == "" || l.text[0] == '\n' {
			l.text = strings.TrimPrefix(l.text, "\n")
			return
		}
	}
	c := firstCharacter(l.text)
	b.WriteString(c)
	l.text = l.text[len(c):]
}

// rest takes what is left for the last name: one field without what ends it, or
// all of it but the blanks at the end.
func (l *readLine) rest() string {
	whole := *l
	if one := l.field(); l.text == "" {
		return one
	}
	var b strings.Builder
	kept := 0
	for whole.text != "" {
		blank := whole.separates(true)
		whole.take(&b)
		if !blank {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}

// readLine reads up to delim. Unless raw, a backslash keeps the delimiter from
// ending the line, and backslash-newline continues it.
func (sh *Shell) readLine(fd int, delim byte, limit int, exact, raw bool) (line string, complete bool) {
	if limit >= 0 {
		var b []byte
		escaped := false
		for n, start := 0, 0; n < limit; {
			c, err := sh.readUntilN(fd, 1)
			if err != nil {
				return string(b), false
			}
			if !exact && !escaped && c[0] == delim {
				return string(b), true
			}
			b = append(b, c...)
			if !utf8.FullRune(b[start:]) {
				continue
			}
			start = len(b)
			if escaped = !raw && !escaped && c[0] == '\\'; !escaped && (raw || !bytes.HasSuffix(b, []byte("\\\n"))) {
				n++
			}
		}
		return string(b), true
	}
	var b []byte
	for {
		part, err := sh.readUntil(fd, delim)
		n := len(part)
		if n > 0 && part[n-1] == delim && err == nil {
			part = part[:n-1]
			if !raw && oddBackslashes(part) {
				if delim == '\n' {
					part = part[:len(part)-1]
				} else {
					part = append(part, delim)
				}
				b = append(b, part...)
				continue
			}
			return string(append(b, part...)), true
		}
		return string(append(b, part...)), false
	}
}

func (sh *Shell) readUntilN(fd, n int) ([]byte, error) {
	s := sh.fds[fd]
	if s == nil || s.h == NoHandle {
		return nil, errBadFD
	}
	buf := make([]byte, n)
	k, err := sh.k.Read(s.h, buf)
	if k > 0 {
		err = nil
	}
	return buf[:k], err
}

func oddBackslashes(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

func builtinMapfile(sh *Shell, args []string) int {
	args = args[1:]
	trim, delim, fd, limit, origin, skip := false, byte('\n'), 0, 0, 0, 0
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0]
		args = args[1:]
		c, value := word[1], word[2:]
		if c == 't' {
			trim = true
			continue
		}
		if value == "" {
			if len(args) == 0 {
				sh.errorf("mapfile: -%c: option requires an argument", c)
				return 2
			}
			value, args = args[0], args[1:]
		}
		n, _ := strconv.Atoi(value)
		switch c {
		case 'd':
			delim = 0
			if value != "" {
				delim = value[0]
			}
		case 'n':
			limit = n
		case 'O':
			origin = n
		case 's':
			skip = n
		case 'u':
			fd = n
		default:
			sh.errorf("mapfile: -%c: invalid option", c)
			return 2
		}
	}
	name := "MAPFILE"
	if len(args) > 0 {
		name = args[0]
	}
	v := list(nil)
	if origin > 0 {
		if old := sh.lookup(name); old.Kind == expand.Indexed {
			v = old
		}
	}
	for n := 0; limit == 0 || n < limit; {
		line, err := sh.readUntil(fd, delim)
		if len(line) == 0 && err != nil {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		if trim && line[len(line)-1] == delim {
			line = line[:len(line)-1]
		}
		setElement(&v, origin+n, string(line))
		n++
	}
	return boolStatus(sh.set(name, v))
}
