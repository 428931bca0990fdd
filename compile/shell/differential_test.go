package shell

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// The scripts of testdata run twice: in the sandbox and by the machine's own
// bash with its own tools. Both must print the same and exit alike. A case that
// starts with "#IGNORE reason" runs in the sandbox only, and must print what
// follows the line "#OUTPUT".

var theRunner *ScriptRunner
var theRunnerOnce sync.Once

func runner(t testing.TB) *ScriptRunner {
	t.Helper()
	env := lanetest.Env(t)
	theRunnerOnce.Do(func() { theRunner = New(env).ScriptRunner })
	lanetest.Need(t, env, toolboxName, guestName, "awk", "sed", "grep", "findutils", "diffutils")
	return theRunner
}

// fixture is the tree every case starts with.
var fixture = map[string]string{
	"words.txt":  "banana\napple\ncherry\napple\ndate\nBanana\nfig\n\napple pie\n",
	"nums.txt":   "10\n9\n2\n33\n1\n-5\n2.5\n007\n1e3\n",
	"data.csv":   "name,age,city\nalice,30,paris\nbob,25,rome\ncarol,41,paris\ndave,25,oslo\n",
	"tabs.tsv":   "k1\tv1\tx\nk2\tv2\ty\nk3\t\tz\n",
	"a.txt":      "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n",
	"b.txt":      "one\n2\nthree\nfour\n5\nsix\nseven\nEIGHT\nnine\nten\neleven\n",
	"s1.txt":     "a 1\nb 2\nc 3\nd 4\n",
	"s2.txt":     "a x\nc y\nd z\ne w\n",
	"empty":      "",
	"nonl":       "no newline at the end",
	"para.txt":   "The quick brown fox jumps over the lazy dog. The dog sleeps.\n\nA second   paragraph, with  spaces.\nfoo_bar foo-bar foobar FOO\n\tindented\n",
	"log.txt":    "2024-01-02 ERROR disk full on /dev/sda1\n2024-01-02 INFO ok\n2024-01-03 WARN temp=91C\n2024-01-03 ERROR net down (code 7)\n",
	"dir/x.c":    "int main(void) { return 0; }\n",
	"dir/y.h":    "#define Y 1\n",
	"dir/sub/z":  "zzz\n",
	"dir/.hid":   "hidden\n",
	"json.json":  "{\"users\":[{\"name\":\"ann\",\"n\":3},{\"name\":\"bob\",\"n\":1}]}\n",
	"sp ace.txt": "file with a space\n",
}

func tree(t testing.TB) *sandbox.MemFS {
	t.Helper()
	m := sandbox.NewMemFS()
	for name, text := range fixture {
		if err := m.WriteFile("w/"+name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func hostTree(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range fixture {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ours runs a script in the sandbox.
func ours(t testing.TB, script string) (string, string, int) {
	t.Helper()
	r, err := runner(t).Run(context.Background(), Script{Text: script, Shell: "bash", Files: tree(t), Dir: "/w", Env: []string{"LC_ALL=C"}})
	stderr := string(r.Stderr)
	if err != nil {
		stderr += "\nrun: " + err.Error()
	}
	return string(r.Stdout), stderr, r.Exit
}

// peers is a directory whose awk is GNU's, whatever awk the machine prefers: it
// is the one that runs in the sandbox. Without it, scripts that use awk are
// skipped.
func peers(t testing.TB, script string) string {
	t.Helper()
	dir := t.TempDir()
	gawk, err := exec.LookPath("gawk")
	if err == nil {
		err = os.Symlink(gawk, filepath.Join(dir, "awk"))
	}
	if err != nil && strings.Contains(script, "awk") {
		t.Skip("gawk is missing: apt-get install gawk")
	}
	return dir
}

// theirs runs a script with the machine's bash.
func theirs(t testing.TB, script string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	c := exec.Command("bash", "-c", script, "bash")
	c.Dir = hostTree(t)
	c.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + peers(t, script) + ":/usr/bin:/bin", "HOME=/"}
	c.Stdout = &out
	err := c.Run()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), c.ProcessState.ExitCode()
}

func needBash(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is missing: apt-get install bash")
	}
}

func compare(t *testing.T, script string) {
	t.Helper()
	if rest, ok := strings.CutPrefix(script, "#IGNORE"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		script, want, _ := strings.Cut(rest, "#OUTPUT\n")
		if got, stderr, _ := ours(t, script); strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s\n got: %q\nwant: %q\nstderr: %s", script, got, want, stderr)
		}
		return
	}
	want, wantExit := theirs(t, script)
	got, stderr, exit := ours(t, script)
	if got != want || exit != wantExit {
		t.Errorf("%s\n got: %q exit %d\nwant: %q exit %d\nstderr: %s", script, got, exit, want, wantExit, stderr)
	}
}

// cases reads a file of scripts, separated by lines of three dashes.
func cases(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n---\n")
}

func TestLanguage(t *testing.T) {
	needBash(t)
	for i, script := range cases(t, "language.txt") {
		t.Run(fmt.Sprint(i), func(t *testing.T) { compare(t, script) })
	}
}

// TestTools has one command per line; the line after a #IGNORE line is left to
// its reason.
func TestTools(t *testing.T) {
	needBash(t)
	text, err := os.ReadFile("testdata/tools.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		tool := strings.Fields(line)[0]
		if _, err := exec.LookPath(tool); err != nil {
			continue
		}
		missing := ""
		for _, tool := range []string{"jq", "xxd", "hexdump", "column", "bc"} {
			if _, err := exec.LookPath(tool); err != nil && strings.Contains(line, tool+" ") {
				missing = tool
			}
		}
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			if missing != "" {
				t.Skipf("%s is missing on this machine", missing)
			}
			compare(t, line)
		})
	}
}

// TestInvocations has ordinary command lines of all the tools that scripts use,
// one in a line. What the machine lacks is skipped by name, and so is what needs a
// toolchain that is not installed.
func TestInvocations(t *testing.T) {
	needBash(t)
	text, err := os.ReadFile("testdata/invocations.txt")
	if err != nil {
		t.Fatal(err)
	}
	differ := differences(t)
	env := lanetest.Env(t)
	runner(t)
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") || testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			if why, ok := differ[line]; ok {
				t.Skip(why)
			}
			for o, command := range wanted([]string{"sh", "-c", line}) {
				lanetest.Need(t, env, o.toolchain)
				if _, err := exec.LookPath(command); err != nil {
					t.Skipf("%s is missing on this machine", command)
				}
			}
			compare(t, line)
		})
	}
}

// differences are the invocations that are known to differ, with the reason.
func differences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if invocation, why, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			list[invocation] = why
		}
	}
	return list
}

// TestGenerated tries random regular expressions, sort keys, field lists and
// formats on both sides. The generator's seed is fixed.
func TestGenerated(t *testing.T) {
	needBash(t)
	g := &generator{rand.New(rand.NewPCG(7, 11))}
	n := 40
	if testing.Short() {
		n = 5
	}
	for i := range n {
		var script strings.Builder
		for range 8 {
			script.WriteString(g.command() + "; echo \"= $?\"\n")
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { compare(t, script.String()) })
	}
}

type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// regex makes an extended regular expression.
func (g *generator) regex(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		before := b.Len()
		switch g.IntN(9) {
		case 0:
			b.WriteString(".")
		case 1:
			b.WriteString("[" + g.pick("a-m", "^a-e", "aeiou", "[:digit:]", "^[:space:]", "n-z_", "A-Z") + "]")
		case 2:
			if depth < 2 {
				b.WriteString("(" + g.regex(depth+1) + ")")
			}
		case 3:
			if depth < 2 {
				b.WriteString("(" + g.regex(depth+1) + "|" + g.regex(depth+1) + ")")
			}
		default:
			b.WriteString(g.pick("a", "e", "o", "an", "pp", "r", "th", "1", "2", " ", "er", "x"))
		}
		if b.Len() > before {
			b.WriteString(g.pick("", "", "", "*", "+", "?", "{1,2}", "{2}"))
		}
	}
	return b.String()
}

func (g *generator) file() string {
	return g.pick("words.txt", "para.txt", "data.csv", "log.txt", "a.txt", "b.txt", "nums.txt")
}

func (g *generator) command() string {
	num := func(n int) string { return fmt.Sprint(1 + g.IntN(n)) }
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("grep -E%s '%s' %s", g.pick("", "n", "o", "c", "v", "i", "w", "x", "on", "ic"), g.regex(0), g.file())
	case 1:
		return fmt.Sprintf("sed -E 's/%s/<&>/%s' %s", g.regex(0), g.pick("", "g", "2", "gI"), g.file())
	case 2:
		return fmt.Sprintf("sort %s %s %s", g.pick("", "-n", "-r", "-f", "-u", "-nr", "-fu", "-s", "-b", "-V", "-g"), g.pick("", "-k2", "-k1,1", "-k2n", "-k1.2,1.3", "-t, -k3,3 -k2nr", "-k2,2r -k1,1"), g.file())
	case 3:
		return fmt.Sprintf("cut -%s%s-%s,%s %s %s", g.pick("b", "c"), num(3), fmt.Sprint(3+g.IntN(4)), fmt.Sprint(8+g.IntN(4)), g.pick("", "--complement"), g.file())
	case 4:
		return fmt.Sprintf("cut -d '%s' -f%s%s %s", g.pick(",", " ", "a", ":"), num(3), g.pick("", "-", " -s", " --output-delimiter=::"), g.file())
	case 5:
		return fmt.Sprintf("tr %s < %s", g.pick("a-z A-Z", "-d aeiou", "-s a-z", "-cd 'a-z\\n'", "'[:lower:]' '[:upper:]'", "-s ' ' '\\n'", "a-e x", "-c 'a-z\\n' _"), g.file())
	case 6:
		return fmt.Sprintf("awk '{ n = gsub(/%s/, \"[&]\"); print n, NF, $%s; printf \"%%%s|\", $1 } END { print NR }' %s", g.awkRegex(), num(4), g.pick("5s", "-6s", ".3s", "d", "05d", "8.3f", "e"), g.file())
	case 7:
		return fmt.Sprintf("sed -n '%s{%s}' %s", g.pick("2,4", "/e/", "$", "1~2", "/a/,/d/", "2,/e/", "3,+2", "0,/a/"), g.pick("p", "=;p", "s/./X/p", "y/abc/xyz/;p", "l", "N;P", "h;G;p"), g.file())
	default:
		return fmt.Sprintf("%s %s | %s", g.pick("cat -A", "nl", "rev", "tac", "head -n 4", "tail -n 3", "fold -w 7", "expand", "wc", "uniq -c"), g.file(), g.pick("cat -n", "sort", "tail -n +2", "head -c 40", "od -c", "md5sum", "wc -lw"))
	}
}

// awkRegex keeps to what every awk has.
func (g *generator) awkRegex() string {
	r := g.regex(1)
	if i := strings.IndexByte(r, '{'); i >= 0 {
		r = r[:i]
	}
	return r
}
