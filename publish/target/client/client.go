// Package client starts the two programs of the user that deploying may need:
// wrangler, which talks to Cloudflare, and git's credential helpers, which know
// how to log in to a remote. Their arguments are fixed here but for a directory,
// a project and a branch, which are checked; nothing that a document says
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
			return fmt.Errorf("%q cannot be a project or branch: letters, digits, dots and hyphens", word)
		}
	}
	program, err := exec.LookPath("wrangler")
	if err != nil {
		return &MissingError{"wrangler", "npm install --global wrangler, then wrangler login"}
	}
	cmd := exec.CommandContext(ctx, program, "pages", "deploy", dir, "--project-name", project, "--branch", branch)
	cmd.Env = append(os.Environ(), "CI=1") // never asks
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("wrangler pages deploy: exit %d", exit.ExitCode())
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
