package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"wb/internal/test/natstest"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	natstest.Serve()
	testscript.Main(m, map[string]func(){
		"wb": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			code := run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})
			stop()
			os.Exit(code)
		},
	})
}

// TestScripts runs every verb's script in testdata/script. Scripts share the
// user's toolchain cache, so that compilers are provisioned once, but nothing
// else of the user's: HOME, state and config are the script's own. $BIN is a
// directory with wb and nothing else, for PATH.
func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	wb, err := exec.LookPath("wb") // where testscript.Main has put it
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/.state")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("NO_COLOR", "1")
			env.Setenv("BIN", filepath.Dir(wb))
			return nil
		},
		Condition: scriptCondition,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"model": modelCommand, "lastrun": lastRunCommand, "cmpkinds": kindsCommand, "deny": denyCommand, "mcpconfig": mcpConfigCommand, "certs": certsCommand},
	})
}
