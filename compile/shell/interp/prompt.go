package interp

import (
	"path"
	"strings"
	"time"
)

// prompt is what a prompt string shows: ${x@P}, PS1 and PS4.
func (sh *Shell) prompt(s string) string {
	var b strings.Builder
	now := time.Now().UTC()
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'u':
			b.WriteString("root")
		case 'h':
			name, _, _ := strings.Cut(sh.value("HOSTNAME"), ".")
			b.WriteString(name)
		case 'H':
			b.WriteString(sh.value("HOSTNAME"))
		case 'w':
			b.WriteString(sh.homeward(sh.dir))
		case 'W':
			if dir := sh.homeward(sh.dir); dir == "~" || dir == "/" {
				b.WriteString(dir)
			} else {
				b.WriteString(path.Base(dir))
			}
		case '$':
			b.WriteByte('#')
		case 's':
			b.WriteString(baseName(sh.name))
		case 'v':
			b.WriteString("5.2")
		case 'V':
			b.WriteString("5.2.15")
		case 'j':
			b.WriteByte('0')
		case 'l':
			b.WriteString("tty")
		case '!', '#':
			b.WriteByte('1')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'a':
			b.WriteByte(7)
		case 'e':
			b.WriteByte(27)
		case 'd':
			b.WriteString(now.Format("Mon Jan 02"))
		case 't':
			b.WriteString(now.Format("15:04:05"))
		case 'T':
			b.WriteString(now.Format("03:04:05"))
		case '@':
			b.WriteString(now.Format("03:04 PM"))
		case 'A':
			b.WriteString(now.Format("15:04"))
		case 'D':
			if end := strings.IndexByte(s, '}'); strings.HasPrefix(s, "{") && end > 0 {
				b.WriteString(strftime(s[1:end], now))
				s = s[end+1:]
			}
		case '[', ']':
		case '0', '1', '2', '3', '4', '5', '6', '7':
			end := 0
			for end < 2 && end < len(s) && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			text, _ := unescape(`\`+string(c)+s[:end], inFormat)
			b.WriteString(text)
			s = s[end:]
		case '\\':
			b.WriteString(`\\`)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	text := b.String()
	if strings.ContainsAny(text, "$`\\") {
		text = sh.document(sh.program.text(text))
	}
	return text
}

// homeward writes a directory with ~ for HOME.
func (sh *Shell) homeward(dir string) string {
	home := sh.value("HOME")
	if home == "" || home == "/" {
		return dir
	}
	if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}
