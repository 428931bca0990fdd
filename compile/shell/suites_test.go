//go:build long

package shell

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/compile/upstream"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// The suites of GNU sed and grep run as their authors wrote them, by the
// machine's shell and perl, with the one program they test in the sandbox: a
// small client takes its place on PATH and asks this test to run it. The archives
// come through apt-get, by the digests of the toolchains.
//
//	go test -tags long ./compile/shell -run TestOwnSuites -v
//
// SUITE_SHOW prints what the tests that fail say.

// client is the program that stands on PATH. It sends the words, the directory,
// the environment and standard input, and prints what comes back.
const client = `#!/usr/bin/perl
use Socket;
my $name = $0; $name =~ s{.*/}{};
socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die;
connect($s, sockaddr_un($ENV{WB_SUITE})) or die;
binmode $s; binmode STDIN; binmode STDOUT;
require Cwd;
my $in = ''; { local $/; $in = <STDIN>; $in = '' unless defined $in; }
my @f = (Cwd::getcwd(), $in, scalar(@ARGV) + 1, $name, @ARGV, map { "$_=$ENV{$_}" } keys %ENV);
my $data = join '', map { pack('N', length $_) . $_ } @f;
my $all = pack('N', length $data) . $data;
for (my $o = 0; $o < length $all;) { my $n = syswrite($s, $all, 65536, $o); last unless $n; $o += $n; }
my $back = ''; while (sysread($s, $back, 65536, length $back)) {}
my ($out, $err, $code) = unpack('N/a* N/a* N', $back);
binmode STDERR; print STDERR $err; print STDOUT $out; close STDOUT or exit 2;
exit $code;
`

// suite is one package's own tests.
type suite struct {
	pack     string
	dir      string // of the tests
	bin      string // where they look for the program, below the source
	commands []string
	patterns []string
	skip     map[string]string // tests that want what no sandbox has
	bar      int               // the least that has to pass, in percent
}

var suites = []suite{
	{pack: "sed", dir: ".", bin: "sed", commands: []string{"sed"}, patterns: []string{"testsuite/*.sh", "testsuite/*.pl"}, bar: 85,
		skip: map[string]string{"testsuite/init.sh": "is no test", "testsuite/bsd-wrapper.sh": "is no test", "testsuite/debug.pl": "wants a shell of the suite"}},
	{pack: "grep", dir: "tests", bin: "src", commands: []string{"grep", "egrep", "fgrep"}, patterns: []string{"tests/*"}, bar: 90,
		skip: map[string]string{"tests/hash-collision-perf": "compares times", "tests/stack-overflow": "wants the machine's own stack", "tests/skip-device": "wants a device",
			"tests/in-eq-out-infloop": "wants the program's own descriptors, where the client has its own", "tests/max-count-overread": "likewise", "tests/write-error-msg": "likewise"}},
}

func TestOwnSuites(t *testing.T) {
	for _, s := range suites {
		t.Run(s.pack, func(t *testing.T) { s.run(t) })
	}
}

func (s suite) run(t *testing.T) {
	runner(t)
	lanetest.Need(t, lanetest.Env(t), s.pack)
	socket := serveTools(t)
	root := s.unpack(t)
	bin := filepath.Join(root, s.bin)
	for _, name := range s.commands {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(client), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var passed, skipped int
	var failed []string
	tests := s.tests(t, root)
	for _, test := range tests {
		switch code, out := s.one(t, root, bin, socket, test); {
		case code == 0:
			passed++
		case code == 77:
			skipped++
		default:
			failed = append(failed, test)
			if os.Getenv("SUITE_SHOW") != "" {
				t.Logf("%s: %d\n%s", test, code, out)
			}
		}
	}
	t.Logf("%s: %d of %d pass, %d more skip themselves; fail: %s", s.pack, passed, passed+len(failed), skipped, strings.Join(failed, " "))
	if passed*100 < (passed+len(failed))*s.bar {
		t.Errorf("less than %d %% pass", s.bar)
	}
}

// source is the package whose suite this is.
func (s suite) source() *upstream.Package {
	all := upstream.Packages()
	return all[slices.IndexFunc(all, func(p *upstream.Package) bool { return p.Name == s.pack })]
}

// unpack fetches and unpacks the source.
func (s suite) unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	archive, err := s.source().Archive.Download(t.Context(), dir)
	if err != nil {
		t.Skipf("the source cannot be had: %v", err)
	}
	if out, err := exec.Command("tar", "xf", archive, "-C", dir, "--strip-components=1").CombinedOutput(); err != nil {
		t.Fatalf("tar: %v %s", err, out)
	}
	return dir
}

// tests are the names of the tests, by the makefile that lists them.
func (s suite) tests(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	makefile := ""
	for _, name := range []string{"testsuite/local.mk", "tests/Makefile.am"} {
		text, _ := os.ReadFile(filepath.Join(root, name))
		makefile += string(text)
	}
	listed := strings.Fields(makefile)
	for _, pattern := range s.patterns {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			name, _ := filepath.Rel(root, file)
			mentioned := slices.Contains(listed, name) || slices.Contains(listed, strings.TrimPrefix(name, s.dir+"/"))
			info, err := os.Stat(file)
			if err != nil || s.skip[name] != "" || !mentioned || info.Mode()&0o111 == 0 && !strings.HasSuffix(name, ".sh") && !strings.HasSuffix(name, ".pl") {
				continue
			}
			list = append(list, name)
		}
	}
	return list
}

// one runs one test.
func (s suite) one(t *testing.T, root, bin, socket, test string) (code int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	words := []string{"sh", strings.TrimPrefix(test, s.dir+"/")}
	if strings.HasSuffix(test, ".pl") {
		words = []string{"perl", "-w", "-I" + filepath.Join(root, filepath.Dir(test)), "-MCoreutils", "-MCuSkip", "-M" + "CuTmpdir qw(" + filepath.Base(test) + ")", test}
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.WaitDelay = filepath.Join(root, s.dir), time.Second
	version := s.source().Version
	tmp := t.TempDir()
	c.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "WB_SUITE=" + socket, "LC_ALL=C", "TMPDIR=" + tmp, "HOME=" + tmp, "VERSION=" + version, "AWK=awk", "MAKE=make",
		"LOCALE_FR=none", "LOCALE_FR_UTF8=none", "LOCALE_JA=none", "CC=none", "PERL=perl", "SHELL=/bin/sh", "TEST_NAME=" + test, "host_triplet=wasm32-wasi",
		"abs_top_builddir=" + root, "abs_top_srcdir=" + root, "abs_srcdir=" + filepath.Join(root, s.dir), "srcdir=.", "top_srcdir=" + root,
		"CONFIG_HEADER=" + root + "/config.h", "PACKAGE_BUGREPORT=bug-" + s.pack + "@gnu.org", "PACKAGE_VERSION=" + version,
		"built_programs=" + strings.Join(s.commands, " "), "SED_TEST_NAME=x", "GREP_TEST_NAME=x"}
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), said.String()
}

// serveTools runs tools for clients, on the machine's own files.
func serveTools(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	files, err := sandbox.HostDir("/")
	if err != nil {
		t.Fatal(err)
	}
	r := runner(t)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if err := serveTool(conn, r, files); err != nil {
					fmt.Fprintln(os.Stderr, "suite:", err)
				}
			}()
		}
	}()
	return path
}

func serveTool(conn net.Conn, r *ScriptRunner, files sandbox.FS) error {
	var size uint32
	if err := binary.Read(conn, binary.BigEndian, &size); err != nil {
		return err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(conn, data); err != nil {
		return err
	}
	var fields []string
	for len(data) >= 4 {
		n := binary.BigEndian.Uint32(data)
		fields = append(fields, string(data[4:4+n]))
		data = data[4+n:]
	}
	var words int
	if _, err := fmt.Sscan(fields[2], &words); err != nil {
		return err
	}
	env := slices.DeleteFunc(fields[3+words:], func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
	result, err := r.Tool(context.Background(), Script{Files: files, Dir: fields[0], Env: env, Stdin: strings.NewReader(fields[1]),
		Limits: sandbox.Limits{Timeout: time.Minute, Memory: 1 << 30, Fuel: -1, Files: 1 << 30, Output: 1 << 30}}, fields[3:3+words])
	if err != nil {
		result.Stderr = append(result.Stderr, err.Error()...)
	}
	back := binary.BigEndian.AppendUint32(nil, uint32(len(result.Stdout)))
	back = append(back, result.Stdout...)
	back = binary.BigEndian.AppendUint32(back, uint32(len(result.Stderr)))
	back = append(back, result.Stderr...)
	back = binary.BigEndian.AppendUint32(back, uint32(result.Exit))
	_, err = conn.Write(back)
	return err
}
