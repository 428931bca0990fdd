package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
	"wb/compile/shell"
	"wb/sandbox"
)

// Shell runs pipelines in the in-wasm shell on the run's tree. No process of
// the operating system is behind it.
func Shell(runner *shell.ScriptRunner, tree *agent.Tree, limits sandbox.Limits) agent.Tool {
	return &tool{name: "shell", contained: true, accept: map[string]string{"command": "pipeline"},
		description: "Run a shell pipeline in a sandbox that holds the working directory: | ; && ||, variables, globs, loops, redirection, with coreutils, grep, sed, awk, find, diff and jq. There is no network and no other program.",
		schema:      object("pipeline string the script", "input? string standard input"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			result, err := runner.Run(ctx, shell.Script{Text: args.Text("pipeline"), Stdin: strings.NewReader(args.Text("input")), Files: tree.FS(), Limits: limits})
			text := joined(string(result.Stdout), string(result.Stderr))
			var limit *sandbox.LimitError
			switch {
			case errors.As(err, &limit):
				text = joined(text, "shell error: "+limit.Error())
				result.Exit = 137
			case err != nil:
				return agent.Output{}, err
			}
			if result.Exit != 0 {
				text = joined(text, fmt.Sprintf("exit %d", result.Exit))
			}
			exit := result.Exit
			tree.Shown(text)
			return changed(ctx, tree, agent.Output{Text: text, Exit: &exit, Taint: filesTaint})
		}}
}

// joined puts texts under each other.
func joined(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") && text != "" {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}
