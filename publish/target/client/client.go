// Package client starts the programs of the user that deploying may need:
// wrangler, which talks to Cloudflare, rsync, which talks to other machines, and
// git's credential helpers, which know how to log in to a remote. Their arguments
// are fixed here but for a directory, a project, a branch and a destination, which
// are checked; nothing that a document says
// becomes an option of either. No component, tool or shell stage reaches this
// package.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// MissingError says that a program is not there.
type MissingError struct{ Name, Install string }

func (e *MissingError) Error() string { return e.Name + " is not there" }

// Hint says how to get it.
func (e *MissingError) Hint() string { return e.Install }

// ExitCode is that of a missing tool.
func (e *MissingError) ExitCode() int { return diag.ExitUnavailable }

// name is what projects and branches may be called: never an option.
var name = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$`)

// Wrangler uploads a directory as a project's deployment with the user's own
// wrangler and login. What wrangler says goes to out.
func Wrangler(ctx context.Context, dir, project, branch string, out io.Writer) error {
	for _, word := range []string{project, branch} {
		if !name.MatchString(word) {
			return fmt.Errorf("%q cannot be a project or branch: use letters, digits, dots and hyphens", word)
		}
	}
	program, err := exec.LookPath("wrangler")
	if err != nil {
		return &MissingError{"wrangler", "npm install --global wrangler, then wrangler login"}
	}
	cmd := exec.CommandContext(ctx, program, "pages", "deploy", dir, "--project-name", project, "--branch", branch)
	cmd.Env = append(os.Environ(), "CI=1") // never asks
	return run(ctx, cmd, "wrangler pages deploy", out)
}

// destination is a directory of another machine, as rsync writes it: never an option.
var destination = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9._~/][A-Za-z0-9._~/-]*$`)

// Rsync makes a directory of another machine hold what one of this machine does, with
// the user's own rsync, ssh and login. What they say goes to out.
func Rsync(ctx context.Context, dir, to string, out io.Writer) error {
	if !destination.MatchString(to) {
		return fmt.Errorf("%q cannot be a destination: write user@host:/directory", to)
	}
	program, err := exec.LookPath("rsync")
	if err != nil {
		return &MissingError{"rsync", "apt-get install rsync, here and on the other machine"}
	}
	cmd := exec.CommandContext(ctx, program, "--recursive", "--checksum", "--delay-updates", "--delete-delay", "--chmod=D755,F644", "--", dir+"/", to)
	cmd.Env = append(os.Environ(), "SSH_ASKPASS_REQUIRE=never")
	return run(ctx, cmd, "rsync", out)
}

// run runs a program to its end; when nobody waits any more, it is interrupted.
func run(ctx context.Context, cmd *exec.Cmd, what string, out io.Writer) error {
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s: exit %d", what, exit.ExitCode())
	}
	return err
}

// Credential asks git's credential helpers for the login to a URL's host; both
// are "" when they know none, or git is not there.
func Credential(ctx context.Context, protocol, host, path string) (user, password string) {
	for _, word := range []string{protocol, host, path} {
		if strings.ContainsAny(word, "\n\r\x00") {
			return "", ""
		}
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "credential", "fill")
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "SSH_ASKPASS=true")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n\n", protocol, host, strings.TrimPrefix(path, "/")))
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if cmd.Run() != nil {
		return "", ""
	}
	for line := range strings.Lines(stdout.String()) {
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); key {
		case "username":
			user = value
		case "password":
			password = value
		}
	}
	return user, password
}
