package main

import (
	"fmt"
	"io"
	"strings"
	"text/template"
)

// completionCmd prints a script for the user's shell. The script is generated
// from the same grammar that parses the command line, so it cannot go stale.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Help() string {
	return "Example:\n  wb completion bash > ~/.local/share/bash-completion/completions/wb"
}

func (c *completionCmd) Run(a *terminal) error {
	tree := verbTree(a.parser.Model.Node)
	script := new(strings.Builder)
	if err := completionTemplates.ExecuteTemplate(script, c.Shell, tree); err != nil {
		return fmt.Errorf("completion for %s: %w", c.Shell, err)
	}
	_, err := io.WriteString(a.std.Out, script.String())
	return err
}

var completionTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "'", ""), ":", " ") },
}).Parse(`
{{define "bash"}}# bash completion for wb
_wb() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{{range .Verbs}}{{.Name}} {{end}}"
  else
    case $verb in
{{- range .Verbs}}
      {{.Name}}) words="{{range .Verbs}}{{.Name}} {{end}}{{range .Flags}}--{{.Name}} {{end}}" ;;
{{- end}}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _wb wb
{{end}}
{{define "zsh"}}#compdef wb
_wb() {
  local -a verbs
  verbs=({{range .Verbs}}'{{.Name}}:{{quote .Help}}' {{end}})
  if (( CURRENT == 2 )); then _describe verb verbs; return; fi
  case $words[2] in
{{- range .Verbs}}
    {{.Name}}) _values -w option {{range .Verbs}}'{{.Name}}' {{end}}{{range .Flags}}'--{{.Name}}[{{quote .Help}}]' {{end}}; _files ;;
{{- end}}
  esac
}
compdef _wb wb
{{end}}
{{define "fish"}}# fish completion for wb
complete -c wb -n __fish_use_subcommand -f
{{range $v := .Verbs}}complete -c wb -n __fish_use_subcommand -a '{{.Name}}' -d '{{quote .Help}}'
{{range .Verbs}}complete -c wb -n '__fish_seen_subcommand_from {{$v.Name}}' -a '{{.Name}}' -d '{{quote .Help}}'
{{end}}{{range .Flags}}complete -c wb -n '__fish_seen_subcommand_from {{$v.Name}}' -l '{{.Name}}' -d '{{quote .Help}}'
{{end}}{{end}}{{end}}
`))
