// Command wb runs org-mode workbooks: it plans the blocks of an .org file,
// compiles and runs what changed inside a WebAssembly sandbox, and writes the
// results back where Emacs would.
//
// This package holds no logic. Each verb has a file that turns flags into a
// call of a package below and the answer into text or JSON; see cli.go for the
// grammar and report.go for how answers and errors are shown.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"wb/compile/lanes"
	"wb/compile/place/tier"
	"wb/internal/trace/otlp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// stdio is where a verb reads and writes; tests give their own.
type stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// exitPanic unwinds kong's calls to Exit (after --help) up to run.
type exitPanic int

// run executes one command line of the process and returns its exit code.
func run(ctx context.Context, args []string, std stdio) (code int) {
	return (&app{ctx: ctx, std: std}).run(args)
}

// run executes one command line and returns its exit code.
func (app *app) run(args []string) (code int) {
	if tier.IsChild(args) {
		return tier.Child(args, app.std.In, app.std.Out, app.std.Err, lanes.New)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exitPanic:
			code = int(p)
		default:
			panic(p)
		}
	}()

	if len(args) == 0 || (len(args) == 1 && args[0] == "help") {
		args = []string{"--help"}
	} else if args[0] == "help" && !strings.HasPrefix(args[1], "-") {
		args = append(args[1:], "--help")
	}
	var cli globals
	parser, err := newParser(&cli, verbsFor(args),
		kong.Writers(app.std.Out, app.std.Err),
		kong.Exit(func(c int) { panic(exitPanic(c)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.ValueFormatter(kong.DefaultHelpValueFormatter),
		kong.Bind(app),
	)
	if err != nil {
		return app.fail("wb", fmt.Errorf("command grammar: %w", err))
	}
	app.parser = parser
	kctx, err := parser.Parse(flagsLast(parser, args))
	if err != nil {
		app.json = slices.Contains(args, "--json")
		if gone := missingArgument(err); gone != nil {
			return app.fail(firstWord(args), gone)
		}
		return app.fail(firstWord(args), &usageError{err: err, hint: usageHint(parser, args)})
	}
	app.json, app.quiet, app.verbose = cli.JSON, cli.Quiet, cli.Verbose
	verb := strings.Fields(kctx.Command())[0]
	app.pusher, err = otlp.FromEnv(os.Getenv, version(), func(err error) { app.note("wb: warning: %v", err) })
	if err != nil {
		return app.fail(verb, &usageError{err: err})
	}
	defer app.pusher.Close()
	if err := kctx.Run(app); err != nil {
		if app.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		err = plainly(err)
		return app.fail(verb, err)
	}
	return 0
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return "wb"
}
