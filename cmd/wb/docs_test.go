package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"wb/app"
)

// TestVerbTable compares the list of verbs in docs/cli.org with the table that
// package app has; -update writes it.
func TestVerbTable(t *testing.T) {
	const file, head = "../../docs/cli.org", "| verb | does |\n|---+---|\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), head)
	list, after, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal("docs/cli.org has no list of verbs")
	}
	parser, err := newParser(&globals{}, verbs())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, v := range verbs() {
		lines = append(lines, documented(v, node(parser.Model.Node, v.name)))
	}
	want := strings.Join(lines, "\n")
	switch {
	case list == want:
	case *update:
		err = os.WriteFile(file, []byte(before+head+want+"\n\n"+after), 0o644)
	default:
		t.Error("docs/cli.org does not list the verbs as they are: go test ./cmd/wb -run TestVerbTable -update")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestToolLists compares the lists of verbs in docs/agents.org with the table: those
// of the agents' tool wb, and those that MCP offers.
func TestToolLists(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct {
		door        app.Doors
		from, until string
		more        []string
	}{
		{app.Agents, "| ~wb~ | ~", "~,", nil},
		{app.Tools, "with their defaults |\n| ~", "~ | the verbs of wb |", nil},
	} {
		_, rest, found := strings.Cut(string(text), list.from)
		said, _, _ := strings.Cut(rest, list.until)
		if !found {
			t.Fatalf("docs/agents.org has no list after %q", list.from)
		}
		got := strings.FieldsFunc(strings.ReplaceAll(said, " and ", " "), func(r rune) bool { return strings.ContainsRune("~, \n", r) })
		want := list.more
		for _, row := range app.At(list.door) {
			word, _, _ := strings.Cut(row.Name, " ")
			want = append(want, word)
		}
		slices.Sort(got)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("docs/agents.org lists %v, the table has %v", got, want)
		}
	}
}

// documented is the line of a verb in the list: how it is written, what it does, and
// where the documentation says more.
func documented(v verb, n *kong.Node) string {
	words := "~wb " + v.name
	for i, child := range n.Children {
		if i == 0 {
			words += " " + child.Name
			continue
		}
		words += "~, ~" + child.Name
	}
	for _, arg := range n.Positional {
		name := strings.ToUpper(arg.Name)
		if arg.IsSlice() {
			name += "…"
		}
		if !arg.Required {
			name = "[" + name + "]"
		}
		if !arg.Tag.Hidden {
			words += " " + name
		}
	}
	page := v.rows[0].Page
	if len(n.Children) > 0 {
		page = app.Groups[v.name].Page
	}
	does := strings.ToLower(v.help[:1]) + strings.TrimSuffix(v.help[1:], ".")
	if page != "" {
		name, heading, ok := strings.Cut(page, ".org::*")
		if !ok {
			name, heading = strings.TrimSuffix(page, ".org"), strings.TrimSuffix(page, ".org")
		}
		link := "file:" + name + ".org"
		if ok {
			link += "::*" + heading
		}
		does += "; see [[" + link + "][" + strings.ToLower(heading) + "]]"
	}
	return "| " + words + "~ | " + does + " |"
}

// TestDocumentsRun runs those pages of the documentation that show results of
// their own code: what they show is what a run writes.
func TestDocumentsRun(t *testing.T) {
	for _, name := range []string{"quickjs", "clang", "shell"} {
		switch installed, err := toolchainCondition("toolchain:" + name); {
		case err != nil:
			t.Fatal(err)
		case !installed:
			t.Skipf("wb toolchain install %s", name)
		}
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	pages, err := filepath.Glob("../../docs/*.org")
	if err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("\n#+RESULTS: ")) {
			continue
		}
		ran++
		name := filepath.Join(dir, filepath.Base(page))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), []string{"run", name}, stdio{strings.NewReader(""), &out, &out}); code != 0 {
			t.Errorf("%s: exit %d\n%s", page, code, out.String())
		}
		after, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(after, text) {
			t.Errorf("%s shows other results than a run gives; wb run writes them", page)
		}
	}
	if ran < 2 {
		t.Errorf("%d pages show results", ran)
	}
}
