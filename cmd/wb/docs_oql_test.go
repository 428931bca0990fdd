package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"wb/internal/test/docs"
)

// TestOQLExamples runs the examples of docs/oql.org.
func TestOQLExamples(t *testing.T) { runExamples(t, "../../docs/oql.org", 20) }

// TestAgendaExamples runs the examples of docs/agenda.org.
func TestAgendaExamples(t *testing.T) { runExamples(t, "../../docs/agenda.org", 3) }

// runExamples runs the examples of a page, which has at least so many. A block of
// org with a name is a file; in a block of console, lines that start with "$ " are
// commands and the others what they print, errors included.
func runExamples(t *testing.T, page string, atLeast int) {
	t.Helper()
	blocks, err := docs.Blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	commands := 0
	for _, b := range blocks {
		switch {
		case b.Lang == "org" && b.Name != "":
			if err := os.WriteFile(b.Name, []byte(b.Body), 0o644); err != nil {
				t.Fatal(err)
			}
		case b.Lang == "console":
			for _, example := range strings.Split("\n"+b.Body, "\n$ ")[1:] {
				command, want, _ := strings.Cut(example, "\n")
				if got := console(t, command); strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("$ %s\n%s\nwant\n%s", command, got, want)
				}
				commands++
			}
		}
	}
	if commands < atLeast {
		t.Errorf("only %d examples", commands)
	}
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
