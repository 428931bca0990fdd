package shell

import (
	"strings"
	"testing"

	"wb/compile"
)

// TestSession passes state from block to block.
func TestSession(t *testing.T) {
	l := lane(t)
	run := func(session, lang, body string, results ...string) *compile.Outcome {
		t.Helper()
		art, err := l.Build(t.Context(), block(lang, body, results...))
		if err != nil {
			t.Fatal(err)
		}
		out, err := l.Run(t.Context(), art, &compile.Job{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run("s", "bash", "n=5 list=(a 'b c')\ndeclare -A map=(['a b']=\"it's\")\nexport text='two\nlines'\ngreet() { echo \"hello $1\"; }\ncd /tmp\nset -f")
	if out := run("s", "bash", "echo $n \"${list[1]}\" ${#list[@]}", "output"); string(out.Stdout) != "5 b c 2\n" {
		t.Errorf("got %q; %s", out.Stdout, out.Stderr)
	}
	key := run("s", "bash", "k='a b'; echo \"${map[$k]} $(greet you)\"; env | grep -A1 text; pwd; case $- in *f*) echo noglob;; esac", "output")
	if got, want := string(key.Stdout), "it's hello you\ntext=two\nlines\n/tmp\nnoglob\n"; got != want {
		t.Errorf("got %q, want %q; %s", got, want, key.Stderr)
	}
	if out := run("s", "bash", "n=6; false", "output"); out.Exit != 1 {
		t.Errorf("a session hides exit code 1: %d", out.Exit)
	}
	if out := run("s", "bash", "(exit 3)", "value"); out.Value.String() != "3" {
		t.Errorf("the value is %s, want the exit status 3", out.Value)
	}
	if out := run("s", "bash", "echo $n; n=7; exit 4", "output"); string(out.Stdout) != "6\n" || out.Exit != 4 {
		t.Errorf("got %q, exit %d", out.Stdout, out.Exit)
	}
	if out := run("s", "sh", "echo $n", "output"); string(out.Stdout) != "6\n" {
		t.Errorf("exit took the state with it, or changed it: %q", out.Stdout)
	}
	if out := run("other", "sh", "echo ${n-unset}; echo x >&2; nosuch", "output"); string(out.Stdout) != "unset\n" || !strings.Contains(string(out.Stderr), "line 1: nosuch") {
		t.Errorf("got %q, %q", out.Stdout, out.Stderr)
	}
	if err := compile.CloseSession(t.Context(), l, "s"); err != nil {
		t.Fatal(err)
	}
	if out := run("s", "sh", "echo ${n-unset}", "output"); string(out.Stdout) != "unset\n" {
		t.Errorf("a session that was closed goes on: %q", out.Stdout)
	}
}
