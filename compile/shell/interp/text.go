package interp

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ---- echo and printf ----

func builtinEcho(sh *Shell, args []string) int {
	args = args[1:]
	newline, escapes := true, sh.dialect == POSIX || sh.opts["xpg_echo"]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		if sh.dialect == POSIX && args[0] != "-n" {
			break
		}
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescape(text, inEcho); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return boolStatus(sh.print(text))
}

// escapes says where backslashes stand: octal needs a leading zero in echo, may have
// one in %b, and has none in a format.
type escapes int

const (
	inFormat escapes = iota
	inArgument
	inEcho
)

// unescape interprets backslashes. stop tells that \c ended the text.
func unescape(s string, where escapes) (text string, stop bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := func(from, most, base int) (int, int) {
			n, k := 0, from
			for ; k < len(s) && k < from+most; k++ {
				d, err := strconv.ParseUint(s[k:k+1], base, 8)
				if err != nil {
					break
				}
				n = n*base + int(d)
			}
			return n, k
		}
		switch c := s[i]; c {
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'e', 'E':
			b.WriteByte(27)
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '\\':
			b.WriteByte('\\')
		case 'c':
			return b.String(), true
		case '\'', '"', '?':
			if where != inFormat {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case 'x':
			n, end := digits(i+1, 2, 16)
			if end == i+1 {
				b.WriteString(`\x`)
				continue
			}
			b.WriteByte(byte(n))
			i = end - 1
		case 'u', 'U':
			most := 4
			if c == 'U' {
				most = 8
			}
			n, end := digits(i+1, most, 16)
			if end == i+1 {
				b.WriteString(s[i-1 : i+1])
				continue
			}
			b.WriteString(string(rune(n)))
			i = end - 1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			from, most := i, 3
			switch {
			case where == inEcho && c != '0':
				b.WriteString(s[i-1 : i+1])
				continue
			case where != inFormat && c == '0':
				from = i + 1
			}
			n, end := digits(from, most, 8)
			b.WriteByte(byte(n))
			i = end - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

func builtinPrintf(sh *Shell, args []string) int {
	args = args[1:]
	target := ""
	if len(args) >= 2 && args[0] == "-v" {
		target, args = args[1], args[2:]
	} else if len(args) > 0 && strings.HasPrefix(args[0], "-v") && len(args[0]) > 2 {
		target, args = args[0][2:], args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.errorf("printf: usage: printf [-v var] format [arguments]")
		return 2
	}
	f := &formatter{sh: sh, args: args[1:]}
	f.run(args[0])
	if target == "" {
		if !sh.print(f.out.String()) {
			return sh.failure(1)
		}
		return f.status
	}
	if !sh.assignNamed("printf", target, f.out.String()) {
		return 2
	}
	return f.status
}

// failure is the status of a builtin whose output went wrong.
func (sh *Shell) failure(status int) int {
	if sh.flow != 0 {
		return sh.status
	}
	return status
}

// formatter is one run of printf.
type formatter struct {
	sh     *Shell
	args   []string
	used   bool
	out    strings.Builder
	status int
	stop   bool
}

func (f *formatter) next() string {
	f.used = true
	if len(f.args) == 0 {
		return ""
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a
}

// run repeats the format until the arguments are used up.
func (f *formatter) run(format string) {
	for {
		f.used = false
		f.once(format)
		if f.stop || !f.used || len(f.args) == 0 {
			return
		}
	}
}

func (f *formatter) once(format string) {
	for i := 0; i < len(format); {
		switch c := format[i]; c {
		case '\\':
			end := i + 2
			for end < len(format) && end < i+10 && strings.IndexByte("0123456789abcdefABCDEF", format[end]) >= 0 {
				end++
			}
			// The longest escape that starts here: unescape leaves the rest alone.
			text, stop := unescape(format[i:min(end, len(format))], inFormat)
			f.out.WriteString(text)
			if stop {
				f.stop = true
				return
			}
			i = min(end, len(format))
		case '%':
			i = f.directive(format, i+1)
			if f.stop {
				return
			}
		default:
			f.out.WriteByte(c)
			i++
		}
	}
}

// directive handles what follows a percent sign and returns where it ends.
func (f *formatter) directive(format string, i int) int {
	if i < len(format) && format[i] == '%' {
		f.out.WriteByte('%')
		return i + 1
	}
	start := i
	spec := "%"
	for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
		spec += string(format[i])
		i++
	}
	number := func() {
		if i < len(format) && format[i] == '*' {
			n := f.integer(f.next())
			if n < 0 {
				spec, n = spec+"-", -n
			}
			spec += strconv.FormatInt(min(n, 1<<20), 10)
			i++
			return
		}
		from := i
		for i < len(format) && format[i] >= '0' && format[i] <= '9' {
			i++
		}
		n, _ := strconv.Atoi(format[from:i])
		if i > from {
			spec += strconv.Itoa(min(n, 1<<20))
		}
	}
	number()
	if i < len(format) && format[i] == '.' {
		spec += "."
		i++
		number()
	}
	if i < len(format) && format[i] == '(' { // %(format)T
		if end := strings.Index(format[i:], ")T"); end > 0 {
			t := time.Now()
			if a := f.next(); a != "" && a != "-1" && a != "-2" {
				t = time.Unix(f.integer(a), 0)
			}
			text := strftime(format[i+1:i+end], t.In(f.sh.zone()))
			if len(text) >= maxTime {
				text = ""
			}
			f.out.WriteString(padBytes(spec, text))
			return i + end + 2
		}
	}
	for i < len(format) && strings.IndexByte("hlLjzt", format[i]) >= 0 {
		i++
	}
	if i == len(format) {
		f.sh.errorf("printf: `%s': missing format character", format[start-1:])
		f.status, f.stop = 1, true
		return i
	}
	c := format[i]
	i++
	switch c {
	case 'd', 'i':
		f.out.WriteString(formatInt(spec, f.integer(f.next())))
	case 'u', 'o', 'x', 'X':
		verb := c
		if c == 'u' {
			verb = 'd'
		}
		f.out.WriteString(formatUint(spec, verb, uint64(f.constant(f.next(), false))))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		f.out.WriteString(formatFloat(spec, c, f.float(f.next())))
	case 'c':
		a := f.next()
		if a != "" {
			a = a[:1]
		}
		fmt.Fprintf(&f.out, dropZero(spec)+"s", a)
	case 's':
		f.out.WriteString(padBytes(spec, f.next()))
	case 'b':
		text, stop := unescape(f.next(), inArgument)
		f.out.WriteString(padBytes(spec, text))
		f.stop = stop
	case 'q':
		f.out.WriteString(padBytes(spec, quoteForReuse(f.next())))
	default:
		f.sh.errorf("printf: `%c': invalid format character", c)
		f.status, f.stop = 1, true
	}
	return i
}

func dropZero(spec string) string { return strings.ReplaceAll(spec, "#", "") }

// padBytes is %s: width and precision count bytes, as in C.
func padBytes(spec, s string) string {
	flags, rest, _ := strings.Cut(spec[1:], ".")
	if strings.Contains(spec, ".") {
		n, _ := strconv.Atoi(rest)
		if n < len(s) {
			s = s[:n]
		}
	}
	left := strings.Contains(flags, "-")
	width, _ := strconv.Atoi(strings.TrimLeft(flags, "-+ #0"))
	if pad := width - len(s); pad > 0 {
		if left {
			return s + strings.Repeat(" ", pad)
		}
		return strings.Repeat(" ", pad) + s
	}
	return s
}

// formatInt is %d with C's rules for precision, which Go shares.
func formatInt(spec string, n int64) string { return fmt.Sprintf(fixZero(spec)+"d", n) }

// fixZero drops the 0 flag where C ignores it: with a precision or with -.
func fixZero(spec string) string {
	flags := spec[1 : 1+len(spec[1:])-len(strings.TrimLeft(spec[1:], "-+ #0"))]
	if strings.Contains(spec, ".") || strings.Contains(flags, "-") {
		return "%" + strings.ReplaceAll(flags, "0", "") + spec[1+len(flags):]
	}
	return spec
}

func formatUint(spec string, verb byte, n uint64) string {
	if n == 0 {
		spec = strings.ReplaceAll(spec, "#", "")
	}
	spec = strings.NewReplacer("+", "", " ", "").Replace(spec)
	return fmt.Sprintf(fixZero(spec)+string(verb), n)
}

func formatFloat(spec string, verb byte, x float64) string {
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
		text := "inf"
		if math.IsNaN(x) {
			text = "nan"
		}
		if x < 0 {
			text = "-" + text
		}
		if verb < 'a' {
			text = strings.ToUpper(text)
		}
		width, _ := strconv.Atoi(strings.TrimLeft(strings.SplitN(spec[1:], ".", 2)[0], "-+ #0"))
		return fmt.Sprintf("%*s", width, text)
	case verb == 'a' || verb == 'A':
		verb += 'x' - 'a'
	case verb == 'g' || verb == 'G':
		if !strings.Contains(spec, ".") {
			spec += ".6" // Go's default is the shortest form
		}
	}
	if verb == 'F' {
		verb = 'f'
	}
	s := fmt.Sprintf(spec+string(verb), x)
	if (verb == 'g' || verb == 'G') && strings.Contains(spec, "#") {
		return s
	}
	return s
}

// integer reads a C constant, or 'c for a character.
func (f *formatter) integer(s string) int64 { return f.constant(s, true) }

func (f *formatter) constant(s string, signed bool) int64 {
	t := strings.TrimLeft(s, " \t\n")
	if t == "" {
		return 0
	}
	if t[0] == '\'' || t[0] == '"' {
		if len(t) == 1 {
			return 0
		}
		r, _ := utf8.DecodeRuneInString(t[1:])
		if r == utf8.RuneError || f.sh.bytewise() {
			return int64(t[1])
		}
		return int64(r)
	}
	digits := strings.TrimLeft(t, "+-")
	for end := len(digits); end > 0; end-- {
		text := cInteger(digits[:end])
		n, err := strconv.ParseUint(text, 0, 64)
		if errors.Is(err, strconv.ErrRange) {
			f.sh.errorf("printf: warning: %s: Numerical result out of range", s)
			n = math.MaxUint64
			if signed {
				n = math.MaxInt64
			}
		} else if err != nil {
			continue
		}
		if end < len(digits) {
			f.invalid(s)
		}
		negative := t[0] == '-'
		switch {
		case signed && !negative && n > math.MaxInt64:
			n = math.MaxInt64
		case signed && negative && n > math.MaxInt64, err != nil && signed && negative:
			return math.MinInt64
		case err != nil && negative:
			return -1
		}
		if negative {
			return -int64(n)
		}
		return int64(n)
	}
	f.invalid(s)
	return 0
}

// cInteger keeps Go from reading 0b1, 0o7 and 1_000 as numbers.
func cInteger(s string) string {
	if strings.ContainsAny(s, "_oObB") && !strings.HasPrefix(strings.TrimLeft(s, "+-"), "0x") && !strings.HasPrefix(strings.TrimLeft(s, "+-"), "0X") {
		return ""
	}
	return s
}

func (f *formatter) float(s string) float64 {
	t := strings.TrimSpace(s)
	if t == "" {
		return 0
	}
	if t[0] == '\'' || t[0] == '"' {
		return float64(f.integer(s))
	}
	if x, err := strconv.ParseFloat(t, 64); err == nil || math.IsInf(x, 0) {
		return x
	}
	if n, err := strconv.ParseInt(t, 0, 64); err == nil {
		return float64(n)
	}
	f.invalid(s)
	for end := len(t) - 1; end > 0; end-- {
		if x, err := strconv.ParseFloat(t[:end], 64); err == nil {
			return x
		}
	}
	return 0
}

func (f *formatter) invalid(s string) {
	f.sh.errorf("printf: %s: invalid number", s)
	f.status = 1
}

// zone is the time zone that TZ names, UTC by default.
func (sh *Shell) zone() *time.Location {
	name := ""
	if v := sh.vars.find("TZ"); v != nil && v.Exported {
		name = strings.TrimPrefix(v.Str, ":")
	}
	name, _, _ = strings.Cut(name, ",") // the rules are those of the zone
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	if m := fixedZone.FindStringSubmatch(name); m != nil {
		hours, _ := strconv.Atoi(m[3])
		minutes, _ := strconv.Atoi(m[4])
		west := (hours*60 + minutes) * 60
		if m[2] != "-" {
			west = -west
		}
		return time.FixedZone(strings.Trim(m[1], "<>"), west)
	}
	return time.UTC
}

// fixedZone is POSIX's form of a zone without summer time: EST5 is west of Greenwich.
var fixedZone = regexp.MustCompile(`^([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)([+-]?)(\d{1,2})(?::(\d{2}))?$`)

// maxTime is bash's buffer: what does not fit into it is nothing.
const maxTime = 128

// strftime covers the conversions people use; Go has its own notation.
func strftime(format string, t time.Time) string {
	if format == "" {
		format = "%H:%M:%S"
	}
	layouts := map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'b': "Jan", 'B': "January",
		'a': "Mon", 'A': "Monday", 'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'p': "PM", 'I': "03", 'Z': "MST",
		'z': "-0700", 'e': "_2", 'j': "002", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'h': "Jan"}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch c := format[i]; {
		case c == 's':
			b.WriteString(strconv.FormatInt(t.Unix(), 10))
		case c == '%':
			b.WriteByte('%')
		case c == 'n':
			b.WriteByte('\n')
		case c == 'u':
			b.WriteString(strconv.Itoa((int(t.Weekday())+6)%7 + 1))
		case c == 'w':
			b.WriteString(strconv.Itoa(int(t.Weekday())))
		case layouts[c] != "":
			b.WriteString(t.Format(layouts[c]))
		default:
			b.WriteString("%" + string(c))
		}
	}
	return b.String()
}

// dollarUnquoted is what $'…' stands for.
func dollarUnquoted(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if s = s[i:]; s[1] == 'c' && len(s) > 2 {
			b.WriteByte(s[2] & 0x1f)
			s = s[3:]
			continue
		}
		end := 2
		if strings.IndexByte("xuU01234567", s[1]) >= 0 {
			for most := map[byte]int{'x': 4, 'u': 6, 'U': 10}[s[1]]; end < len(s) && end < max(most, 4) && strings.IndexByte("0123456789abcdefABCDEF", s[end]) >= 0; end++ {
			}
		}
		text, _ := unescape(s[:end], inFormat)
		if zero := strings.IndexByte(text, 0); zero >= 0 {
			b.WriteString(text[:zero])
			break
		}
		b.WriteString(text)
		s = s[end:]
	}
	return b.String()
}
