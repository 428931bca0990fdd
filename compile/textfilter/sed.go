package textfilter

import (
	"strconv"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// sed is GNU sed.
type sed struct{}

func (sed) info() compile.Info {
	return compile.Info{Name: "sed", Aliases: []string{"gsed"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Summary: "GNU sed, built from its own source"}
}

// check runs the script on no input, which parses it and does nothing.
func (sed) check(p *program) []string {
	argv := []string{"sed", "-n"}
	for _, word := range p.Options {
		if word == "-E" || word == "-r" || word == "--regexp-extended" {
			argv = append(argv, word)
		}
	}
	return append(argv, "-e", p.Text)
}

// command puts the options first: GNU sed reads a script by those that stand before it.
func (sed) command(p *program, job *compile.Job) ([]string, error) {
	argv := append(append([]string{"sed"}, p.Options...), "-e", p.Text)
	return append(append(argv, job.Args...), p.Files...), nil
}

var sedPlace = lazyregexp.New(`^sed: -e expression #1, char (\d+): (.*)`)

func (sed) place(p *program, message string) (line, col int, rest string) {
	m := sedPlace.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, message
	}
	char, _ := strconv.Atoi(m[1])
	line, col = lineCol(p.Text, char-1)
	return line, col, m[2]
}

func (sed) read(p *program, stdout string) (value.Value, error) {
	return awk{}.read(p, stdout)
}
