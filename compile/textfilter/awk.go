package textfilter

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// awk is GNU awk.
type awk struct{}

func (awk) info() compile.Info {
	return compile.Info{Name: "awk", Aliases: []string{"gawk", "mawk"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Summary: "GNU awk 5.2"}
}

// check leaves BEGIN and END at once, so that nothing of the program runs.
func (awk) check(p *program) []string {
	return []string{"awk", "--", awkUnrun + p.Text}
}

func (awk) command(p *program, job *compile.Job) ([]string, error) {
	options, operands := awkWords(p.Options)
	argv := append([]string{"awk"}, options...)
	for _, v := range p.Vars {
		argv = append(argv, "-v", v.Name+"="+v.Text)
	}
	argv = append(argv, "--", p.Text)
	argv = append(argv, operands...)
	argv = append(argv, job.Args...)
	return append(argv, p.Files...), nil
}

// awkWords tells options from operands, which stand behind the program.
func awkWords(words []string) (options, operands []string) {
	for i := 0; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") || words[i] == "-" {
			return words[:i:i], words[i:]
		}
		if words[i] == "-F" || words[i] == "-v" {
			i++
		}
	}
	return words, nil
}

// awkUnrun stands before a program that is only checked.
const awkUnrun = "BEGIN { exit } END { exit } "

var (
	awkPlace = lazyregexp.New(`^g?awk: cmd\. line:(\d+):(?:(\d+):)? (?:\(FILENAME=.*? FNR=\d+\) )?(?:(?:error|fatal): )*(.*)`)
	// awkCaret is a syntax error: the line, and below it where and what.
	awkCaret = lazyregexp.New(`(?m)^(g?awk: cmd\. line:\d+): .*\n.*?line:\d+: ( *)\^ (.*)$`)
)

// joinCarets writes a syntax error that points at its place as one line.
func joinCarets(messages string) string {
	return awkCaret.ReplaceAllStringFunc(messages, func(s string) string {
		m := awkCaret.FindStringSubmatch(s)
		return m[1] + ":" + strconv.Itoa(len(m[2])+1) + ": " + m[3]
	})
}

func (awk) place(_ *program, message string) (line, col int, rest string) {
	m := awkPlace.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, message
	}
	line, _ = strconv.Atoi(m[1])
	if col, _ = strconv.Atoi(m[2]); line == 1 {
		col -= len(awkUnrun)
	}
	return line, max(1, col), m[3]
}

func (awk) read(p *program, stdout string) (value.Value, error) {
	if p.Shape == compile.ShapeCommand {
		return value.OfString(stdout), nil
	}
	return p.Results.Read(stdout), nil
}
