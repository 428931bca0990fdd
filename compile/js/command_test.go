package js

import (
	"strings"
	"testing"

	"wb/compile"
)

func TestCommand(t *testing.T) {
	const javy = `const b = new Uint8Array(4096); let n, t = 0; while ((n = Javy.IO.readSync(0, b.subarray(t))) > 0) t += n;
const s = new TextDecoder().decode(b.subarray(0, t)).trim();
Javy.IO.writeSync(1, new TextEncoder().encode(JSON.stringify({upper: s.toUpperCase()})));`
	for _, c := range []struct {
		body, stdin, stdout, stderr string
		exit                        int
	}{
		{javy, "grüße 🎉\n", `{"upper":"GRÜSSE 🎉"}`, "", 0},
		{"print(scriptArgs.length, scriptArgs[1]); print(process.argv.slice(2).join())", "", "2 b c\na,b c\n", "", 0},
		{"console.error('bad'); process.exitCode = 3", "", "", "bad\n", 3},
		{"setTimeout(() => console.log('never'), 1); try { process.exit(4) } finally { console.log('never') }", "", "", "", 4},
		{"process.on('exit', c => console.log('bye', c)); process.exit(300)", "", "bye 300\n", "", 44},
		{"process.on('exit', c => console.log('bye', c))", "", "bye 0\n", "", 0},
		{"console.log(require('fs').readFileSync(0, 'utf8').length)", "abc", "3\n", "", 0},
		{"let s = ''; process.stdin.setEncoding('utf8'); process.stdin.on('data', d => s += d); process.stdin.on('end', () => console.log(s.toUpperCase()))", "abc", "ABC\n", "", 0},
		{"let s = ''; for await (const chunk of process.stdin) s += chunk; console.log(s)", "abc", "abc\n", "", 0},
		{"for await (const line of require('readline').createInterface({ input: process.stdin })) console.log('>' + line)", "a\nb\n", ">a\n>b\n", "", 0},
		{"require('readline').createInterface({ input: process.stdin }).on('line', l => console.log(l)).on('close', () => console.log('end'))", "a\r\nb", "a\nb\nend\n", "", 0},
		{"const v = Javy.JSON.fromStdin(); Javy.JSON.toStdout({ twice: v.n * 2 })", `{"n": 4}`, `{"twice":8}`, "", 0},
		{"import { greet } from './lib.js'; console.log(greet())", "", "hi\n", "", 0},
		{"console.log('\\ud83d', '\\x1b[31m')", "", "\uFFFD \x1b[31m\n", "", 0},
		{"process.stdout.write(new Uint8Array([0xff, 0x41]))", "", "\xffA", "", 0},
		{"process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('promise')); setTimeout(() => console.log('timer')); queueMicrotask(() => console.log('micro')); console.log('main')",
			"", "main\ntick\npromise\nmicro\ntimer\n", "", 0},
		{"setTimeout(() => console.log(2), 20); setTimeout(() => console.log(1), 10); const i = setInterval(() => { console.log('i'); clearInterval(i) }, 15)", "", "1\ni\n2\n", "", 0},
		{"const t = Date.now(); setTimeout(() => console.log(Math.round((Date.now() - t) / 1000)), 5000)", "", "5\n", "", 0},
	} {
		src := block(compile.ShapeCommand, c.body)
		src.Files = map[string][]byte{"lib.js": []byte("export const greet = () => 'hi'")}
		out, err := execute(t, src, &compile.Job{Stdin: []byte(c.stdin), Args: []string{"a", "b c"}})
		if err != nil || string(out.Stdout) != c.stdout || string(out.Stderr) != c.stderr || out.Exit != c.exit {
			t.Errorf("%s: %v, %q %q exit %d", c.body, err, out.Stdout, out.Stderr, out.Exit)
		}
	}
}

// What a program prints goes to who listens while it is printed.
func TestStreaming(t *testing.T) {
	var out, err strings.Builder
	mustExecute(t, block(compile.ShapeCommand, "console.log(1); console.error(2)"), &compile.Job{Stdout: &out, Stderr: &err})
	if out.String() != "1\n" || err.String() != "2\n" {
		t.Errorf("%q %q", out.String(), err.String())
	}
}
