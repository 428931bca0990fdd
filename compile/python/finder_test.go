package python

import (
	"io/fs"
	"testing"

	"wb/compile"
	"wb/sandbox"
)

// unlisted is a tree whose directories nobody may list.
type unlisted struct {
	sandbox.FS
	t *testing.T
}

func (u unlisted) ReadDir(name string) ([]fs.DirEntry, error) {
	u.t.Errorf("%s is listed", name)
	return u.FS.ReadDir(name)
}

// Imports ask for the names they want: a block does not depend on the files
// beside it that it has nothing to do with.
func TestImportsAskForNames(t *testing.T) {
	files := sandbox.NewMemFS()
	for name, text := range map[string]string{"d/helper.py": "x = 1", "d/pack/__init__.py": "y = 2", "d/pack/inner.py": "z = 3", "d/space/thing.py": "w = 4"} {
		if err := files.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	src := block(compile.ShapeCommand, `
import graphlib, tomllib, helper, pack.inner, space.thing
try:
    import nothing
except ModuleNotFoundError as e:
    print(e)
print(helper.x, pack.y, pack.inner.z, space.thing.w, graphlib.__name__, tomllib.__name__)`)
	out, err := execute(t, src, &compile.Job{Files: unlisted{files, t}, Dir: "/d"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "No module named 'nothing'\n1 2 3 4 graphlib tomllib\n"; out.Exit != 0 || string(out.Stdout) != want {
		t.Errorf("exit %d, %q %s", out.Exit, out.Stdout, out.Stderr)
	}
}
