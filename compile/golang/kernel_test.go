package golang

import (
	"context"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
)

const kernelBody = "func process(in, out []byte) int {\n\tfor i, c := range in {\n\t\tout[i] = c ^ 0x20\n\t}\n\treturn len(in)\n}"

func TestKernel(t *testing.T) {
	lanetest.FlipsCase(t, testLane(t), source(compile.ShapeKernel, kernelBody))
}

func TestKernelMistakes(t *testing.T) {
	l := lane{compiler(t)}
	for body, want := range map[string]string{
		"func other() {}": "test.org:10:1: error: a kernel defines process",
		"\nfunc process(in string) string { return in }": "test.org:11:6: error: process takes and returns something else than a kernel does",
		"func process(in, out []byte) int {":             "test.org:10:35: error: syntax error: unexpected EOF, expected }",
	} {
		_, err := l.Build(context.Background(), source(compile.ShapeKernel, body))
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", body, err, want)
		}
	}
}

func TestKernelPanics(t *testing.T) {
	l := testLane(t)
	src := source(compile.ShapeKernel, "func process(in []byte) []byte { return in[2:] }")
	lanetest.Need(t, l.env, toolName)
	art, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Run(context.Background(), art, &compile.Job{Stdin: []byte("abc"), Source: src})
	if err != nil || out.Value.Text() != "c" {
		t.Errorf("got %v, %v", out, err)
	}
	out, err = l.Run(context.Background(), art, &compile.Job{Stdin: []byte("a"), Source: src})
	if err != nil || out.Exit != 2 || !strings.HasPrefix(string(out.Stderr), "test.org:10:1: panic: runtime error: slice bounds out of range [2:1]") {
		t.Errorf("got %v, %v", out, err)
	}
}
