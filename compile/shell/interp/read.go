package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func builtinRead(sh *Shell, args []string) int {
	args = args[1:]
	raw, array := false, ""
	delim := byte('\n')
	fd, limit := 0, -1
	exact := false
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
			n, _ := strconv.Atoi(value)
			switch c {
			case 'a':
				array = value
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
	line, complete := sh.readLine(fd, delim, limit, exact, raw)
	status := boolStatus(complete)
	for _, name := range args {
		if n, _, _ := strings.Cut(name, "["); !syntax.ValidName(n) {
			sh.errorf("read: `%s': not a valid identifier", name)
			return 1
		}
	}
	switch {
	case array != "":
		fields := expand.ReadFields(sh.cfg, line, -1, raw)
		sh.set(array, list(fields))
	case len(args) == 0:
		if !raw {
			line = removeBackslashes(line)
		}
		sh.setString("REPLY", line)
	case exact:
		sh.setString(args[0], line)
	default:
		sh.cfg.Env = environment{sh}
		fields := expand.ReadFields(sh.cfg, line, len(args), raw)
		for i, name := range args {
			value := ""
			if i < len(fields) {
				value = fields[i]
			}
			if strings.HasSuffix(name, "]") {
				builtinPrintf(sh, []string{"printf", "-v", name, "%s", value})
				continue
			}
			if !sh.setString(name, value) {
				return 1
			}
		}
	}
	return status
}

func removeBackslashes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readLine reads up to delim. Unless raw, a backslash keeps the delimiter from
// ending the line, and backslash-newline continues it.
func (sh *Shell) readLine(fd int, delim byte, limit int, exact, raw bool) (line string, complete bool) {
	if limit >= 0 {
		var b []byte
		for len(b) < limit {
			c, err := sh.readUntilN(fd, 1)
			if err != nil {
				return string(b), false
			}
			if !exact && c[0] == delim {
				return string(b), true
			}
			b = append(b, c...)
		}
		return string(b), true
	}
	var b []byte
	for {
		part, err := sh.readUntil(fd, delim)
		n := len(part)
		if n > 0 && part[n-1] == delim && err == nil {
			part = part[:n-1]
			if !raw && delim == '\n' && oddBackslashes(part) {
				b = append(b, part[:len(part)-1]...)
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
