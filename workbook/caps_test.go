package workbook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/value"
	"wb/workbook"
)

// probe is a block that looks for what it was not given. It prints the seconds
// of its clock, a random number, and how many bytes of the host's /etc/passwd it
// could read, or is refused.
type probe struct {
	args, body string
	// refused is what a block says that cannot even ask.
	refused string
	// blind is set when the language has neither a clock nor random numbers.
	blind bool
}

// probes has one for every language.
var probes = map[string]probe{
	"c": {args: ":includes <stdio.h> <time.h> <unistd.h>", body: `
unsigned char r[4] = {0}; char line[99]; FILE *f = fopen("/etc/passwd", "r");
getentropy(r, 4);
printf("%lld %u %zu\n", (long long)time(NULL), r[0] << 24 | r[1] << 16 | r[2] << 8 | r[3], f ? fread(line, 1, 99, f) : 0);`},
	"cpp": {args: ":includes <chrono> <fstream> <iostream> <random>", body: `
std::ifstream f("/etc/passwd"); std::string line; std::getline(f, line);
std::cout << std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count() << ' ' << std::random_device{}() << ' ' << line.size() << '\n';`},
	"js": {body: `
const fs = require("fs"); let n = 0; try { n = fs.readFileSync("/etc/passwd").length } catch {}
console.log(Math.floor(Date.now() / 1000), Math.random(), n);`},
	"typescript": {body: `
import fs from "fs"; let n = 0; try { n = fs.readFileSync("/etc/passwd").length } catch {}
console.log(Math.floor(Date.now() / 1000), Math.random(), n);`},
	"go": {args: `:imports '("fmt" "math/rand/v2" "os" "time")`, body: `
data, _ := os.ReadFile("/etc/passwd")
fmt.Println(time.Now().Unix(), rand.Uint64(), len(data))`},
	"python": {body: `
import os, random, time
print(int(time.time()), random.random(), os.path.getsize("/etc/passwd") if os.path.exists("/etc/passwd") else 0)`},
	"emacs-lisp": {body: `(princ (format "%d %d %d\n" (float-time) (random) (if (file-exists-p "/etc/passwd") (file-attribute-size (file-attributes "/etc/passwd")) 0)))`},
	"lua": {body: `
local f = io.open("/etc/passwd")
print(os.time(), math.random(1 << 62), f and #f:read("a") or 0)`},
	"ruby": {body: `puts "#{Time.now.to_i} #{rand} #{File.exist?('/etc/passwd') ? File.size('/etc/passwd') : 0}"`},
	"sh":   {body: `echo "$(date +%s) $RANDOM$RANDOM$(od -An -N4 -tu4 /dev/urandom 2>/dev/null) $(cat /etc/passwd 2>/dev/null | wc -c)"`},
	"awk":  {body: `BEGIN { srand(); r = rand(); n = 0; while ((getline line < "/etc/passwd") > 0) n++; print systime(), r, n }`},
	"sed":  {args: ":stdin nothing", body: "r /etc/passwd\ns/.*/0 0 0/", blind: true},
	"jq":   {args: ":cmd-line -r", body: `"\(now | floor) 0 0"`},
	"sqlite": {body: `.separator " "
select strftime('%s', 'now'), random(), 0;`},
	"sql": {body: `.mode list
.headers off
.separator " "
select strftime('%s', 'now'), random(), 0;`},
	"dot": {args: ":cmdline -Tplain", body: `digraph { a [image="/etc/passwd", label="0 0 0"] }`, blind: true},
	"wat": {body: `(module (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32))) (memory (export "memory") 1)
  (func (export "main") (result i64) (drop (call $time (i32.const 0) (i64.const 1) (i32.const 8))) (i64.div_u (i64.load (i32.const 8)) (i64.const 1000000000))))`},
	"wasm": {body: "/etc/passwd", refused: "no such file"},
	"plot": {body: "type: line\ndata: /etc/passwd", refused: "data"},
	"zig": {body: `
var n: usize = 0;
if (std.fs.cwd().openFile("/etc/passwd", .{})) |f| { n = @intCast((f.stat() catch unreachable).size); } else |_| {}
try std.io.getStdOut().writer().print("{d} {d} {d}\n", .{ std.time.timestamp(), std.crypto.random.int(u32), n });`},
	"rust": {body: `println!("{} 0 {}", std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), std::fs::read("/etc/passwd").map(|d| d.len()).unwrap_or(0));`},
}

// nothingRandom are languages without random numbers.
var nothingRandom = map[string]bool{"jq": true, "rust": true, "wat": true}

// capsDocument asks for everything in each of the three ways and probes in one
// language.
func capsDocument(lang string, p probe) string {
	return fmt.Sprintf("#+CAPS: clock net\n#+NAME: nothing\n: nothing\n\n* probe\n#+begin_src %s :results output verbatim :uses random :profile network %s\n%s\n#+end_src\n", lang, p.args, strings.TrimSpace(p.body))
}

// A block sees no real time, no randomness and no files of the host unless the
// user grants it, whatever the document asks for, in every language.
func TestCapabilitiesOfEveryLane(t *testing.T) {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(ctx)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range registry.All() {
		info := lane.Info()
		t.Run(info.Name, func(t *testing.T) {
			p, ok := probes[info.Name]
			if !ok {
				t.Fatalf("no probe for %s: add one", info.Name)
			}
			needToolchains(t, env, info)
			file := filepath.Join(t.TempDir(), "caps.org")
			if err := os.WriteFile(file, []byte(capsDocument(info.Name, p)), 0o644); err != nil {
				t.Fatal(err)
			}
			run := func(grants ...string) workbook.Done {
				report, err := workbook.Run(ctx, workbook.Options{
					Book:      workbook.Book{File: file, Lanes: registry},
					Authority: workbook.Authority{Grants: grants},
					Write:     workbook.WriteNothing,
				})
				if err != nil {
					t.Fatal(err)
				}
				return report.Components[len(report.Components)-1]
			}
			plain, again, granted := run(), run(), run("clock", "random")
			if p.refused != "" {
				if plain.Err == nil || !strings.Contains(plain.Err.Error(), p.refused) {
					t.Errorf("got %v, want %s", plain.Err, p.refused)
				}
				return
			}
			for _, d := range []workbook.Done{plain, again, granted} {
				if d.Err != nil {
					t.Fatal(d.Err)
				}
			}
			for _, name := range []string{"clock", "random", "net"} {
				if !warned(plain, "asks for "+name+", which is not granted") {
					t.Errorf("nobody says that %s is not granted: %v", name, plain.Warnings)
				}
			}
			if !warned(plain, "asks for profile network and runs with compute") {
				t.Errorf("nobody says that the profile is compute: %v", plain.Warnings)
			}
			if said(plain) != said(again) {
				t.Errorf("two runs differ: %s, %s", said(plain), said(again))
			}
			if p.blind {
				if said(granted) != said(plain) {
					t.Errorf("%s sees something after all: %s, %s", info.Name, said(plain), said(granted))
				}
				return
			}
			var now, real int64
			var random, chance string
			if n, _ := fmt.Sscan(said(plain), &now, &random); n == 0 || now < epoch || now > epoch+60 {
				t.Errorf("without a grant it is %d (%s), want %d", now, said(plain), epoch)
			}
			if n, _ := fmt.Sscan(said(granted), &real, &chance); n == 0 || real < 1<<30+epoch/2 {
				t.Errorf("with a grant it is %d (%s)", real, said(granted))
			}
			if random == chance && !nothingRandom[info.Name] {
				t.Errorf("with a grant the random number is still %s", chance)
			}
			if fields := strings.Fields(said(plain)); len(fields) == 3 && fields[2] != "0" {
				t.Errorf("it read %s bytes of the host", fields[2])
			}
		})
	}
}

// epoch is what clocks say that are not granted: 2000-01-01.
const epoch = 946684800

func said(d workbook.Done) string {
	if d.Value.Kind() == value.String {
		return strings.TrimSpace(strings.Trim(d.Value.Text(), `"`)) // Emacs quotes what is verbatim
	}
	return d.Value.String()
}

func warned(d workbook.Done, message string) bool {
	for _, w := range d.Warnings {
		if strings.Contains(w.Message, message) {
			return true
		}
	}
	return false
}

// needToolchains skips a language whose toolchains are not installed.
func needToolchains(t *testing.T, env *compile.Env, info compile.Info) {
	t.Helper()
	for _, s := range env.Tools.List() {
		if s.Installed || !slices.Contains(info.Toolchains, s.Name) {
			continue
		}
		if os.Getenv("CI") == "true" && s.Comes() {
			t.Fatalf("toolchain %s is missing: %s", s.Name, s.Install)
		}
		t.Skipf("toolchain %s is missing: %s", s.Name, s.Install)
	}
}
