package todo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/agent/todo"
	"wb/org"
)

const plan = `#+TODO: TODO NEXT | DONE FAILED
* TODO House
:PROPERTIES:
:ORDERED: t
:END:
** TODO Walls
Red ones.
** TODO Roof
:PROPERTIES:
:DONE-WHEN: test -f roof
:END:
* TODO Garden
** TODO Tree
** TODO Weeds
* DONE Fence
* TODO Party
:PROPERTIES:
:BLOCKER: house
:END:
* TODO Cleaning
:PROPERTIES:
:BLOCKER: garden
:END:
** TODO Rake
* Notes
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.org")
	if err := os.WriteFile(file, []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var did []string
	r := &todo.Executor{File: file,
		Do: func(_ context.Context, task *todo.Task) error {
			mu.Lock()
			defer mu.Unlock()
			did = append(did, task.Title)
			if task.Title == "Walls" { // a person edits the file meanwhile
				text, _ := os.ReadFile(file)
				if err := os.WriteFile(file, []byte(strings.Replace(string(text), "* Notes\n", "* Notes\nMine.\n", 1)), 0o644); err != nil {
					return err
				}
			}
			if task.Title == "Weeds" {
				return errors.New("too many")
			}
			return nil
		},
		Check: func(_ context.Context, script string) error {
			if script != "test -f roof" {
				return fmt.Errorf("unexpected check %q", script)
			}
			return nil
		}}
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.ID, r.Status, r.Why)))
	}
	want := "house done|walls done|roof done|garden partial 1 of 2 are done|tree done|weeds failed too many|party done|cleaning blocked garden is partial"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
	order := strings.Join(did, " ")
	if strings.Index(order, "Walls") > strings.Index(order, "Roof") || strings.Index(order, "Roof") > strings.Index(order, "Party") || strings.Contains(order, "Rake") || strings.Contains(order, "Fence") {
		t.Errorf("done in the order %s", order)
	}
	text, _ := os.ReadFile(file)
	for _, line := range []string{"* DONE House", "** DONE Walls", "** DONE Roof", "* TODO Garden", "** DONE Tree", "** FAILED Weeds", "* DONE Party", "* TODO Cleaning", "** TODO Rake", "Mine."} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("the file has no %q:\n%s", line, text)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"* TODO A\n:PROPERTIES:\n:BLOCKER: nobody\n:END:\n":                                                    "waits for nobody",
		"* TODO A\n:PROPERTIES:\n:BLOCKER: b\n:END:\n* TODO B\n:PROPERTIES:\n:BLOCKER: a\n:END:\n":             "waits for itself",
		"* TODO A\n** TODO B\n:PROPERTIES:\n:BLOCKER: a\n:END:\n":                                              "waits for itself",
		"* TODO A\n:PROPERTIES:\n:ORDERED: t\n:END:\n** TODO B\n:PROPERTIES:\n:BLOCKER: c\n:END:\n** TODO C\n": "waits for itself",
		"* TODO A\n:PROPERTIES:\n:BLOCKER: x\n:END:\n** TODO C\n* TODO X\n:PROPERTIES:\n:BLOCKER: c\n:END:\n":  "waits for itself",
	} {
		if _, err := todo.Read(org.Parse([]byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
