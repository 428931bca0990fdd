package main

import (
	"fmt"
	"io"
	"strings"
)

// completionCmd prints a script for the user's shell. The script asks wb itself,
// with the words of the command line so far, what the last of them may become.
type completionCmd struct {
	Shell string   `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Words []string `arg:"" optional:"" hidden:"" help:"The command line so far, behind --: the script asks with it."`
}

func (c *completionCmd) Help() string {
	return "Example:\n  wb completion bash > ~/.local/share/bash-completion/completions/wb"
}

func (c *completionCmd) Run(a *terminal) error {
	if len(c.Words) == 0 {
		_, err := io.WriteString(a.std.Out, completionScripts[c.Shell])
		return err
	}
	words := c.Words
	if c.Shell == "bash" { // one word, the line as it was typed
		words = shellWords(c.Words[0])[1:]
		if len(words) == 0 {
			return nil
		}
	}
	found := complete(a.parser.Model.Node, words)
	text := new(strings.Builder)
	fmt.Fprintln(text, found.kind)
	for _, w := range found.words {
		fmt.Fprintln(text, w.in(c.Shell, words[len(words)-1]))
	}
	_, err := io.WriteString(a.std.Out, text.String())
	return err
}

// in is the line that tells a shell about a choice for what was typed.
func (c choice) in(shell, typed string) string {
	option, _, valued := strings.Cut(typed, "=")
	valued = valued && strings.HasPrefix(typed, "--")
	switch shell {
	case "bash": // which takes = and : to begin a word
		if colon := strings.LastIndexByte(typed, ':'); colon >= 0 && !valued {
			return strings.TrimPrefix(c.word, typed[:colon+1])
		}
		return c.word
	case "fish":
		if valued {
			c.word = option + "=" + c.word
		}
	}
	return c.word + "\t" + c.help
}

// completionScripts ask `wb completion SHELL -- WORDS`. The first line of the answer
// is the kind of choices, the others are the choices.
var completionScripts = map[string]string{
	"bash": `# bash completion for wb
_wb() {
  local answer
  COMPREPLY=()
  mapfile -t answer < <(wb completion bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  COMPREPLY=("${answer[@]:1}")
  case ${answer[0]} in
    files) compopt -o default -o filenames ;;
    directories) compopt -o dirnames -o filenames ;;
    names) compopt -o filenames ;;
  esac 2>/dev/null
}
complete -F _wb wb
`,
	"zsh": `#compdef wb
_wb() {
  local -a answer choices shown
  local line
  answer=("${(@f)$(wb completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $answer[1] in
    files) _files; return ;;
    directories) _files -/; return ;;
  esac
  for line in "${(@)answer[2,-1]}"; do
    [[ -n $line ]] || continue
    choices+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  }")
  done
  compadd -l -d shown -a choices
}
compdef _wb wb
`,
	"fish": `# fish completion for wb
function __wb_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer (wb completion fish -- $words[2..-1] 2>/dev/null)
  switch "$answer[1]"
    case files
      __fish_complete_path (commandline -ct)
    case directories
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\n' $answer[2..-1]
  end
end
complete -c wb -f -a '(__wb_complete)'
`,
}
