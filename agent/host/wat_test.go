package host_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/llmtest"
)

// Where the assembler is not installed, an agent that writes programs is refused before
// its model is asked, with what installs it: no run waits for a build.
func TestNoAssembler(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Text: "hello"})
	env, err := compile.NewEnv(t.Context(), compile.EnvConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close(t.Context()) })
	if rt.Env = env; err == nil {
		rt.Lanes, err = lanes.New(env)
	}
	if err != nil {
		t.Fatal(err)
	}
	writeTeam(t, dir, strings.Replace(team, ":END:", ":STYLE: wat\n:END:", 1))
	_, err = rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "greet"})
	unready, ok := errors.AsType[*host.UnreadyError](err)
	if !ok || diag.HintOf(err) != "wb toolchain install wabt" || diag.ExitOf(err) != diag.ExitUnavailable || unready.Agent != "waldo" {
		t.Errorf("%v, hint %s", err, diag.HintOf(err))
	}
	if len(server.Requests()) > 0 {
		t.Error("the model was asked")
	}
}
