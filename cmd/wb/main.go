// Command wb runs org-mode workbooks: it plans the blocks of an .org file,
// compiles and runs what changed inside a WebAssembly sandbox, and writes the
// results back where Emacs would.
//
// What verbs do is said in package app. This package is the terminal: flags, text,
// and what only a terminal has, such as to watch files. See cli.go for how the
// command line is made from the table of verbs and report.go for how answers and
// errors are shown.
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

	"wb/app"
	"wb/compile/lanes"
	"wb/compile/place/resident"
	"wb/compile/place/tier"
	"wb/internal/diag"
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
	return (&terminal{ctx: ctx, std: std}).run(args)
}

// run executes one command line and returns its exit code.
func (a *terminal) run(args []string) (code int) {
	if tier.IsChild(args) {
		return tier.Child(args, a.std.In, a.std.Out, a.std.Err, lanes.New)
	}
	if resident.IsChild(args) {
		return resident.Child(args, a.std.Err, lanes.New)
	}
	a.std.Err = onScreen(a.std.Err)
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
		kong.Writers(a.std.Out, a.std.Err),
		kong.Exit(func(c int) { panic(exitPanic(c)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.ValueFormatter(kong.DefaultHelpValueFormatter),
		kong.Bind(a),
	)
	if err != nil {
		return a.fail("wb", fmt.Errorf("command grammar: %w", err))
	}
	a.parser = parser
	kctx, err := parser.Parse(app.FlagsLast(parser, args))
	if err != nil {
		a.json = slices.Contains(args, "--json")
		if gone := missingArgument(err); gone != nil {
			return a.fail(firstWord(args), gone)
		}
		return a.fail(firstWord(args), wrongUsage(parser, args, err))
	}
	a.json, a.quiet, a.verbose = cli.JSON, cli.Quiet, cli.Verbose
	verb := strings.Fields(kctx.Command())[0]
	a.pusher, err = otlp.FromEnv(os.Getenv, version(), func(err error) { a.note("wb: warning: %v", err) })
	if err != nil {
		return a.fail(verb, &diag.CodedError{Err: err, Code: diag.ExitUsage})
	}
	defer a.pusher.Close()
	defer a.close()
	if err := a.perform(kctx); err != nil {
		if a.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errInterrupted
		}
		err = app.Plainly(err)
		return a.fail(verb, err)
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
