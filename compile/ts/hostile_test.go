package ts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/test/lanetest"
)

// Programs made to keep the compiler busy or to break it end in one line that
// says so. The fuel is cut here, for the sake of the test's own time.
func TestHostile(t *testing.T) {
	c := testLane(t).Dialect().(*dialect).compiler
	config := c.toolConfig(func(context.Context) (toolchain.Toolchain, error) {
		return toolchain.Toolchain{}, errors.New("the image is there")
	})
	config.Limits.Fuel = 60_000_000
	hurried := &dialect{&compiler{env: c.env, runtime: c.runtime, tool: c.runtime.NewTool(config)}}
	lane := c.runtime.Lane(hurried)
	if _, err := testLane(t).Build(context.Background(), block(compile.ShapeCommand, "1")); err != nil {
		t.Fatal(err)
	}
	chain := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	const exhausted = "a.org:10:1: error: the compiler cannot check this block: fuel limit 60000000 exceeded"
	for name, c := range map[string]struct{ body, want string }{
		"parentheses": {strings.Repeat("(", 20000) + "1" + strings.Repeat(")", 20000), "a.org:10:1: error: the compiler cannot check this block: RangeError: Maximum call stack size exceeded"},
		"nesting":     {"let o = " + strings.Repeat("{a:", 5000) + "1" + strings.Repeat("}", 5000), "a.org:10:1: error: the compiler cannot check this block: RangeError"},
		"sum":         {"const x = 1" + strings.Repeat("+1", 20000), exhausted},
		"recursion":   {"type R<T> = T extends 0 ? 0 : R<[T]> & { x: 1 };\nlet x: R<1>;", "a.org:10:31: error: TS2589 Type instantiation is excessively deep and possibly infinite"},
		"doubling":    {chain(40, func(i int) string { return fmt.Sprintf("type T%d = [...T%d, ...T%d];\n", i+1, i, i) }) + "type T0 = [1, 2];\nlet x: T40;", exhausted},
		"template":    {"type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9';\nlet x: `${D}${D}${D}${D}${D}${D}`;", "a.org:11:8: error: TS2590 Expression produces a union type that is too complex to represent"},
		"macro":       {"const s = '" + strings.Repeat("x", 5<<20) + "';", exhausted},
	} {
		_, err := lane.Build(context.Background(), block(compile.ShapeCommand, c.body))
		text := lanetest.Said(nil, err)
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%s: got %.300s, want %s", name, text, c.want)
		}
		if first, _, _ := strings.Cut(text, "\n"); len(first) > 500 {
			t.Errorf("%s: a line of %d bytes", name, len(first))
		}
	}
}
