package shell

import (
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

// dialect is the program that runs a block: the language decides, then
// :shebang.
func dialect(src *compile.Source) (string, error) {
	name := "sh"
	switch src.Lang {
	case "bash", "shell", "ksh", "mksh":
		name = "bash"
	}
	shebang, ok := src.Arg("shebang")
	shebang = strings.TrimSpace(compile.Unquoted(shebang))
	if !ok || shebang == "" {
		return name, nil
	}
	words := strings.Fields(strings.TrimPrefix(shebang, "#!"))
	for len(words) > 0 && (base(words[0]) == "env" || strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) > 0 {
		switch b := base(words[0]); b {
		case "bash", "ksh", "mksh":
			return "bash", nil
		case "sh", "dash", "ash", "posh":
			return "sh", nil
		}
	}
	return "", diag.Errorf(src.At(1, 1), ":shebang %s: only shells run shell blocks here", shebang)
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// expand lays a babel block out as ob-shell does: prologue, variables, body,
// epilogue, and, where the value is asked for, a line that prints the exit
// status. before is the number of lines ahead of the body.
func expand(src *compile.Source) (script string, before int, err error) {
	head, after, err := src.Surround(src.Lang)
	script = head + src.Body
	if after != "" {
		script = strings.TrimSuffix(script, "\n") + after
	}
	if src.Results.Has("value") {
		script = strings.TrimSuffix(script, "\n") + "\necho $?"
	}
	return script, strings.Count(head, "\n"), err
}

// result reads what a babel block printed. With :results value that is its exit
// status, printed last.
func result(words compile.Results, stdout string) value.Value {
	if words.Has("value") {
		lines := strings.FieldsFunc(stdout, func(r rune) bool { return r == '\n' })
		if len(lines) == 0 {
			return value.Nil()
		}
		stdout = lines[len(lines)-1]
	}
	return words.Read(stdout)
}
