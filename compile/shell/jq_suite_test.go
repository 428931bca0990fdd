//go:build long

package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"wb/sandbox"
)

// TestJQ runs jq's own tests: a program, its input and what it gives, or a program
// that must not compile. The suite is a tool to test with and never part of this
// repository:
//
//	git clone https://github.com/jqlang/jq
//	JQ=jq go test -tags long ./compile/shell -run TestJQ -v
//
// A case whose program catches an error and that differs in nothing but the text
// of one counts as a difference of messages. JQ_SHOW prints the cases that differ.
func TestJQ(t *testing.T) {
	root := os.Getenv("JQ")
	if root == "" {
		t.Skip("JQ names no checkout of jqlang/jq")
	}
	runner(t)
	modules, err := sandbox.HostDir(filepath.Join(root, "tests", "modules"))
	if err != nil {
		t.Fatal(err)
	}
	all, passed, messages := 0, 0, 0
	for _, name := range []string{"jq", "man", "onig", "base64", "uri"} {
		text, err := os.ReadFile(filepath.Join(root, "tests", name+".test"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range jqCases(string(text)) {
			r, err := runner(t).Tool(context.Background(), Script{Stdin: strings.NewReader(c.input), Limits: sandbox.Limits{Timeout: 20 * time.Second},
				Files: modules, Env: []string{"PAGER=less"}}, []string{"jq", "-c", "-L", "/", "--", c.program})
			all++
			got, want := jqValues(string(r.Stdout)), jqValues(c.want)
			switch {
			case err != nil:
			case c.fails && r.Exit != 0, !c.fails && reflect.DeepEqual(got, want):
				passed++
				continue
			case !c.fails && strings.Contains(c.program, "catch") && reflect.DeepEqual(jqKinds(got), jqKinds(want)):
				messages++
			}
			if os.Getenv("JQ_SHOW") != "" {
				t.Logf("%s: %s\ninput: %s\n got: %.300s%.300s %v\nwant: %.300s", name, c.program, c.input, r.Stdout, r.Stderr, err, c.want)
			}
		}
	}
	t.Logf("%d of %d pass, %d more differ in messages alone", passed, all, messages)
	if passed*100 < (all-messages)*jqBar {
		t.Errorf("less than %d %% pass", jqBar)
	}
}

// jqBar is the least that has to pass of what differs in more than messages, in
// percent.
const jqBar = 95

type jqCase struct {
	program, input, want string
	fails                bool
}

func jqCases(text string) []jqCase {
	var list []jqCase
	for group := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(group, "\n") {
			if line != "" && !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
				lines = append(lines, line)
			}
		}
		switch {
		case len(lines) > 1 && strings.HasPrefix(lines[0], "%%FAIL"):
			list = append(list, jqCase{program: lines[1], input: "null", fails: true})
		case len(lines) > 1:
			list = append(list, jqCase{program: lines[0], input: lines[1], want: strings.Join(lines[2:], "\n")})
		}
	}
	return list
}

// jqValues reads values until the first that is none.
func jqValues(text string) []any {
	var list []any
	d := json.NewDecoder(bytes.NewReader([]byte(strings.TrimPrefix(text, "\ufeff"))))
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) || err != nil {
			return list
		}
		list = append(list, v)
	}
}

// jqKinds is the shape of values: texts are alike.
func jqKinds(v any) any {
	switch v := v.(type) {
	case string:
		return ""
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = jqKinds(e)
		}
		return list
	}
	return v
}
