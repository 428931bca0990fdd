package js

import (
	"testing"

	"wb/compile"
	"wb/sandbox"
)

// Blocks read and write the files they were given, relative to :dir.
func TestFiles(t *testing.T) {
	tree := sandbox.NewMemFS()
	for name, data := range map[string]string{"work/in.csv": "a,b\n1,2\n", "top.txt": "top", "work/sub/x": "x"} {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	src := block(compile.ShapeCommand, `
		import fs, { readFileSync } from 'fs';
		const fail = f => { try { f(); return 'no error' } catch (e) { return e.code } };
		console.log(process.cwd(), JSON.stringify(readFileSync('in.csv', 'utf8')), readFileSync('../top.txt').toString());
		fs.writeFileSync('out/../made.txt', 'one');
		fs.appendFileSync('made.txt', Buffer.from(' two'));
		console.log(readFileSync('/work/made.txt', { encoding: 'utf8' }), fs.statSync('made.txt').size, fs.statSync('sub').isDirectory());
		fs.mkdirSync('a/b/c', { recursive: true });
		fs.writeFileSync('a/b/c/f', new Uint8Array([0, 255]));
		fs.renameSync('a/b/c/f', 'g'); fs.copyFileSync('g', 'h');
		console.log(fs.readdirSync('.'), fs.readdirSync('a', { recursive: true }), fs.readdirSync('.', { withFileTypes: true }).filter(d => d.isDirectory()).map(d => d.name));
		fs.rmSync('a', { recursive: true }); fs.unlinkSync('h'); fs.rmSync('none', { force: true });
		console.log(fs.existsSync('a'), readFileSync('g'), fs.readFileSync('g', 'base64'));
		console.log(fail(() => fs.readFileSync('none')), fail(() => fs.readFileSync('sub')), fail(() => fs.mkdirSync('sub')), fail(() => fs.rmdirSync('sub')), fail(() => fs.readdirSync('g')), fail(() => fs.writeFileSync('no/such/dir', '')), fail(() => fs.statSync('/../../etc')), fail(() => fs.readFileSync(null)));
		console.log(await fs.promises.readFile('g').then(b => b.length), await fs.promises.readFile('none').catch(e => e.message));
		fs.readFile('in.csv', 'utf8', (e, text) => console.log(e, text.length));
		fs.writeFileSync(1, 'direct\n');
		process.on('exit', () => console.log(fs.statSync('g').mtimeMs));
	`)
	out := mustExecute(t, src, &compile.Job{Files: tree, Dir: "/work"})
	const want = `/work "a,b\n1,2\n" top
one two 7 true
[ 'a', 'g', 'h', 'in.csv', 'made.txt', 'sub' ] [ 'b', 'b/c' ] [ 'a', 'sub' ]
false <Buffer 00 ff> AP8=
ENOENT EISDIR EEXIST ENOTEMPTY ENOTDIR ENOENT ENOENT ERR_INVALID_ARG_TYPE
2 ENOENT: no such file or directory, open 'none'
direct
null 8
0
`
	if got := string(out.Stdout); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if data, err := tree.ReadFile("work/made.txt"); err != nil || string(data) != "one two" {
		t.Errorf("%q %v", data, err)
	}
}

// A read-only tree says so.
func TestReadOnlyFiles(t *testing.T) {
	src := block(compile.ShapeCommand, "try { require('fs').writeFileSync('x', 'y') } catch (e) { console.log(e.message) }")
	out := mustExecute(t, src, &compile.Job{Files: sandbox.ReadOnly(sandbox.NewMemFS())})
	if got := string(out.Stdout); got != "EROFS: read-only file system, open 'x'\n" {
		t.Errorf("got %q", got)
	}
}
