package js

import (
	"strings"
	"testing"

	"wb/compile"
)

// What goes wrong in a module that a block requires is said as the module's own
// mistake, at its place, and can be caught as what it is.
func TestRequireFailingModule(t *testing.T) {
	files := map[string][]byte{
		"bad.mjs": []byte("export const a = 1;\nthrow new RangeError('module broke');\n"),
		"syn.mjs": []byte("export const a = ;\n"),
	}
	for body, want := range map[string]string{
		"return require('./bad.mjs').a": "bad.mjs:2:11: RangeError: module broke",
		"return require('./syn.mjs').a": "syn.mjs:1:18: SyntaxError: unexpected token in expression: ';'",
		"try { require('./bad.mjs') } catch (e) { throw new Error(e instanceof RangeError) }": "Error: true",
	} {
		src := block(compile.ShapeBabel, body)
		src.Files = files
		out, err := execute(t, src, &compile.Job{})
		text := ""
		if out != nil {
			text = string(out.Stderr)
		}
		if err != nil {
			text += err.Error()
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want %s", body, text, want)
		}
	}
}
