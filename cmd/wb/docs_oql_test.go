package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"
)

// TestOQLExamples runs the examples of docs/oql.md. A block "```org NAME" is a
// file; in a block "```console", lines that start with "$ " are commands and
// the others what they print, errors included.
func TestOQLExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/oql.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	commands := 0
	for _, b := range fences(string(text)) {
		kind, name, _ := strings.Cut(b.info, " ")
		switch {
		case kind == "org" && name != "":
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(b.body), 0o644); err != nil {
				t.Fatal(err)
			}
		case kind == "console":
			for _, example := range strings.Split("\n"+b.body, "\n$ ")[1:] {
				command, want, _ := strings.Cut(example, "\n")
				if got := console(t, command); strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("$ %s\n%s\nwant\n%s", command, got, want)
				}
				commands++
			}
		}
	}
	if commands < 20 {
		t.Errorf("only %d examples", commands)
	}
}

type fence struct{ info, body string }

// fences are the fenced blocks of a Markdown text.
func fences(text string) []fence {
	var out []fence
	parts := strings.Split("\n"+text, "\n```")
	for i := 1; i < len(parts); i += 2 {
		info, body, _ := strings.Cut(parts[i], "\n")
		out = append(out, fence{strings.TrimSpace(info), body + "\n"})
	}
	return out
}

// console runs a command line of wb and returns what it prints.
func console(t *testing.T, command string) string {
	args, err := shell.Fields(command, nil)
	if err != nil || len(args) == 0 || args[0] != "wb" {
		t.Fatalf("%s: %v", command, err)
	}
	var out bytes.Buffer
	run(context.Background(), args[1:], stdio{strings.NewReader(""), &out, &out})
	return out.String()
}
