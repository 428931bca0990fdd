//go:build linux

package resident_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/resident"
	"wb/internal/test/lanetest"
)

// blocks are what TestSameBytes builds in both places.
var blocks = []struct {
	lang, name, body string
	shape            compile.Shape
	args             map[string][]string
	job              *compile.Job
}{
	{lang: "c", name: "hello", body: `printf("hello %d\n", 6 * 7);`, args: map[string][]string{"includes": {"<stdio.h>"}}},
	{lang: "c", name: "warned", body: "int main(void) { int unused; return 3; }", args: map[string][]string{"flags": {"-Wall"}}},
	{lang: "c", name: "wrong", body: "int main(void) {\n  return nothing;\n}"},
	{lang: "c", name: "unlinked", body: "int other(int); int main(void) { return other(1); }"},
	{lang: "c", name: "function", body: "int twice(int n) { return 2 * n; }", shape: compile.ShapeComponent, job: &compile.Job{Inputs: nil}},
	{lang: "c", name: "endless", body: "#define A(x) x x x x x x x x x x\nint f(void) { return 0 A(A(A(A(A(A(A(+ 1))))))); }\nint main(void) { return f(); }"},
	{lang: "cpp", name: "hello", body: `std::vector<int> v{3, 1, 2}; std::sort(v.begin(), v.end()); for (int i : v) std::cout << i << "\n";`,
		args: map[string][]string{"includes": {"<iostream> <vector> <algorithm>"}}},
	{lang: "cpp", name: "throws", body: `try { throw std::runtime_error("oh"); } catch (const std::exception &e) { std::cout << e.what(); }`,
		args: map[string][]string{"includes": {"<iostream> <stdexcept>"}}},
	{lang: "cpp", name: "wrong", body: `std::cout << nothing;`, args: map[string][]string{"includes": {"<iostream>"}}},
	{lang: "go", name: "hello", body: `fmt.Println("hello", strings.Repeat("x", 3))`},
	{lang: "go", name: "wrong", body: "x := 1"},
	{lang: "ts", name: "hello", body: `const xs: number[] = [1, 2]; console.log(xs.map(x => x * 2))`},
	{lang: "ts", name: "wrong", body: `const x: number = "text"; console.log(x)`},
	{lang: "zig", name: "hello", body: `std.debug.print("hello", .{});`},
	{lang: "rust", name: "hello", body: `println!("hello");`},
}

// TestSameBytes: what a resident builds is what the lane builds here, byte by byte,
// and what it costs to run is the same fuel.
func TestSameBytes(t *testing.T) {
	env := lanetest.Env(t)
	all, err := lanes.New(env) // which keeps nothing: env has no cache of its own
	if err != nil {
		t.Fatal(err)
	}
	client := usersResident(t)
	for _, b := range blocks {
		t.Run(b.lang+"/"+b.name, func(t *testing.T) {
			lane, ok := all.Lookup(b.lang)
			if !ok {
				t.Fatal("no lane")
			}
			lane = compile.Bare(lane)
			lanetest.Need(t, env, lane.Info().Toolchains...)
			if !lane.Info().Compiles {
				t.Fatal("the lane is never built elsewhere")
			}
			source := func() *compile.Source {
				src := lanetest.Block(b.lang, compile.ShapeBabel, b.body)
				if b.shape != "" {
					src.Shape = b.shape
				}
				src.Results = []string{"output"}
				for name, values := range b.args {
					src.Args[name] = values
				}
				return src
			}
			want, wantErr := lane.Build(t.Context(), source())
			got, done, err := client.Build(t.Context(), lane, source())
			if !done {
				t.Fatalf("the resident did not build it (here: %v)", wantErr)
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || reflect.TypeOf(err) != reflect.TypeOf(wantErr) {
				t.Fatalf("got %v (%[1]T)\nwant %v (%[2]T)", err, wantErr)
			}
			if wantErr != nil {
				return
			}
			if want.Warnings == nil {
				want.Warnings = got.Warnings[:0:0]
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %d bytes, %+v %q\nwant %d bytes, %+v %q", len(got.Wasm), got.Meta, got.Warnings, len(want.Wasm), want.Meta, want.Warnings)
			}
			if b.shape == compile.ShapeComponent {
				return
			}
			run := func(art *compile.Artifact) (string, int64) {
				out, err := lane.Run(t.Context(), art, &compile.Job{Source: source()})
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf("%s%s%d%v", out.Stdout, out.Stderr, out.Exit, out.Value), out.Usage.Fuel
			}
			here, fuelHere := run(want)
			there, fuelThere := run(got)
			if here != there || fuelHere != fuelThere {
				t.Errorf("got %q for %d, want %q for %d", there, fuelThere, here, fuelHere)
			}
		})
	}
}

// usersResident has the user's toolchains, and ends with the test.
func usersResident(t testing.TB) *resident.Client {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	client := resident.NewClient(resident.Config{Cache: filepath.Join(user, "wb"), Idle: time.Minute})
	t.Cleanup(func() { _ = client.End(context.Background()) })
	return client
}

// BenchmarkEdit is a changed block from its source to its output, in a process of
// its own, with a resident and without: wall time, and processor time of that
// process. What wb adds to it are some 15 ms of its own.
func BenchmarkEdit(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ lang, header, body string }{
		{"c", "<stdio.h>", `printf("hello %d\n");`},
		{"cpp", "<iostream>", `std::cout << "hello %d\n";`},
		{"go", "", `fmt.Println("hello %d")`},
		{"ts", "", `const x: string = "hello %d"; console.log(x)`},
		{"python", "", `print("hello %d")`},
		{"js", "", `console.log("hello %d")`},
	} {
		for _, where := range []string{"resident", "here"} {
			b.Run(c.lang+"/"+where, func(b *testing.B) {
				usersResident(b)
				run := func() time.Duration {
					cmd := exec.Command(exe, editVerb, where, c.lang, c.header, fmt.Sprintf(c.body, time.Now().UnixNano()))
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Skipf("%v: %s", err, out)
					}
					return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				}
				run() // the first makes ready what the second finds
				var cpu time.Duration
				for b.Loop() {
					cpu += run()
				}
				b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
