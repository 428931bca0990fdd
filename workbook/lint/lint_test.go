package lint

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/workbook/plan"
)

var updateLint = flag.Bool("update", false, "rewrite the messages in testdata/lint.golden")

// TestBrokenExamples lints examples/broken: every file is named after the code
// it must provoke, and provokes nothing else. The messages are golden.
func TestBrokenExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/broken/*.org")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d broken examples, %v", len(files), err)
	}
	registry, err := compile.NewRegistry(namedLane("js", "javascript"), namedLane("sh"), namedLane("c"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/workbook.org")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := strings.TrimSuffix(filepath.Base(file), ".org")
		if !strings.Contains(string(docs), "~"+code+"~") {
			t.Errorf("docs/workbook.org does not list ~%s~", code)
		}
		found := Plan(plan.New(filepath.Base(file), src), Options{Languages: registry})
		if len(found) == 0 {
			t.Errorf("%s: found nothing", code)
		}
		for _, d := range found {
			if d.Code != code {
				t.Errorf("%s: also found %s", code, d)
			}
			all.WriteString(d.String() + "\n")
			if d.Hint != "" {
				all.WriteString("    hint: " + d.Hint + "\n")
			}
		}
	}
	golden := filepath.Join("testdata", "lint.golden")
	if *updateLint {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("messages changed (go test ./workbook/lint -update):\n%s", all.String())
	}
}

// namedLane is a lane that is only known by name.
func namedLane(name string, aliases ...string) compile.Lane {
	return knownLane{compile.Info{Name: name, Aliases: aliases}}
}

type knownLane struct{ info compile.Info }

func (l knownLane) Info() compile.Info { return l.info }

func (knownLane) Fingerprint() string { return "" }

func (knownLane) Build(context.Context, *compile.Source) (*compile.Artifact, error) {
	return nil, errors.New("not a real lane")
}

func (knownLane) Run(context.Context, *compile.Artifact, *compile.Job) (*compile.Outcome, error) {
	return nil, errors.New("not a real lane")
}

// A clean workbook has nothing to say.
func TestLintClean(t *testing.T) {
	src := "#+TITLE: x\n* TODO Task\n  SCHEDULED: <2026-06-06 Sat>\n#+NAME: a\n#+begin_src js :results output\n1\n#+end_src\n\n[[*Task]] and [[a]] and [fn:1].\n\n[fn:1] note\n"
	if found := Plan(plan.New("x.org", []byte(src)), Options{}); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

func TestCheckUpgrade(t *testing.T) {
	read := func(text string) *plan.Plan { return plan.New("w.org", []byte(text)) }
	old := read("* W :workflow:\n** A :component:\n#+begin_src js :out x\n1\n#+end_src\n* V :workflow:\n")
	next := read("* W :workflow:\n** A :component:\n#+begin_src js :out y :uses llm\n1\n#+end_src\n")
	var codes []string
	for _, d := range plan.CheckUpgrade(old, next) {
		codes = append(codes, d.Code)
	}
	if got := strings.Join(codes, " "); got != "workflow-removed export-removed capability-added" {
		t.Errorf("got %s", got)
	}
	if found := plan.CheckUpgrade(old, old); len(found) != 0 {
		t.Errorf("the same version: %v", found)
	}
}
