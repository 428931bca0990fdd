package textfilter

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// awk is POSIX awk with the common extensions of gawk, as in the toolbox.
type awk struct{}

func (awk) info() compile.Info {
	return compile.Info{Name: "awk", Aliases: []string{"gawk", "mawk"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Summary: "awk: POSIX with common extensions, compiled from wb's own sources"}
}

// check leaves BEGIN and END at once, so that nothing of the program runs.
func (awk) check(p *program) []string {
	return []string{"awk", "--", "BEGIN { exit } END { exit } " + p.Text}
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

var awkPlace = lazyregexp.New(`^awk: line (\d+): (.*)`)

func (awk) place(_ *program, message string) (line, col int, rest string) {
	m := awkPlace.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, message
	}
	line, _ = strconv.Atoi(m[1])
	return line, 1, m[2]
}

func (awk) read(p *program, stdout string) (value.Value, error) {
	if p.Shape == compile.ShapeCommand {
		return value.OfString(stdout), nil
	}
	return p.Results.Read(stdout), nil
}
