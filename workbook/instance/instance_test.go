package instance_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/workbook"
	"wb/workbook/capability"
	"wb/workbook/frozen"
	"wb/workbook/instance"
)

const notebook = `
#+NAME: js1
#+begin_src js :session j :results output
let n = 41; function twice(x) { return 2 * x }
console.log("js ran")
#+end_src

#+NAME: js2
#+begin_src js :session j :results output
n++; console.log("js", n, twice(n))
#+end_src

#+NAME: py1
#+begin_src python :session p :results output
import collections
class Box: pass
b = Box(); b.items = collections.Counter("hello"); n = 41
print("py ran")
#+end_src

#+NAME: py2
#+begin_src python :session p :results output
n += 1; print("py", n, b.items["l"], type(b).__name__)
#+end_src

#+NAME: lua1
#+begin_src lua :session l :results output
t = setmetatable({41}, {__index = function() return "none" end}) print("lua ran")
#+end_src

#+NAME: lua2
#+begin_src lua :session l :results output
t[1] = t[1] + 1 print("lua", t[1], t.x)
#+end_src

#+NAME: rb1
#+begin_src ruby :session r :results output
$n = 41; def twice(x) = 2 * x
puts "rb ran"
#+end_src

#+NAME: rb2
#+begin_src ruby :session r :results output
$n += 1; puts "rb #{$n} #{twice($n)}"
#+end_src

#+NAME: sh1
#+begin_src sh :session s :results output
x=41; f() { echo "sh $1"; }; echo sh ran
#+end_src

#+NAME: sh2
#+begin_src sh :session s :results output
f $((x + 1))
#+end_src
`

// languages are those of the notebook, with what their second block prints: it
// sees what the first has left.
var languages = map[string]string{"js": "js 42 84", "py": "py 42 2 Box", "lua": "lua\t42\tnone", "rb": "rb 42 84", "sh": "sh 42"}

// machine is a computer of its own, but for the toolchains and their machine code.
func machine(t *testing.T, text string) instance.Config {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env) // with sessions of its own
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"js", "python", "lua", "ruby", "sh"} {
		lane, _ := registry.Lookup(name)
		lanetest.Need(t, env, lane.Info().Toolchains...)
	}
	file := filepath.Join(t.TempDir(), "notebook.org")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	host := &capability.Host{Tenant: "default", StateDir: t.TempDir()}
	t.Cleanup(func() { host.Close() })
	return instance.Config{Options: workbook.Options{Book: workbook.Book{File: file, Lanes: registry}}, Host: host}
}

func call(t *testing.T, nb *instance.Instance, id string) string {
	t.Helper()
	v, err := nb.Call(t.Context(), id, nil)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return strings.TrimSpace(v.Text())
}

// What sessions of five languages hold, and what components keep, is there on
// another machine, and what ran does not run again.
func TestFreezeResume(t *testing.T) {
	nb, err := instance.Open(machine(t, notebook))
	if err != nil {
		t.Fatal(err)
	}
	for name := range languages {
		if said := call(t, nb, name+"1"); said != name+" ran" {
			t.Errorf("%s1 says %q", name, said)
		}
	}
	if err := nb.VFSPut(t.Context(), "memory:seen.txt", []byte("once")); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := nb.Freeze(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	// The instance goes on.
	if said := call(t, nb, "js2"); said != languages["js"] {
		t.Errorf("after freezing, js2 says %q", said)
	}

	other, err := instance.Resume(t.Context(), machine(t, notebook), bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if info := other.Info(); len(info.Sessions) != 5 || info.Document != "notebook.org" || len(info.Sessions[0].Ran) != 1 {
		t.Errorf("info %+v", info)
	}
	report, err := other.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Components {
		name, second := d.ID[:len(d.ID)-1], strings.HasSuffix(d.ID, "2")
		if second && (d.Status != workbook.StatusOK || strings.TrimSpace(d.Value.Text()) != languages[name]) {
			t.Errorf("%s: %s %q %v", d.ID, d.Status, d.Value.Text(), d.Err)
		}
		if !second && (d.Status != workbook.StatusCached || strings.TrimSpace(d.Value.Text()) != name+" ran") {
			t.Errorf("%s: %s %q %v", d.ID, d.Status, d.Value.Text(), d.Err)
		}
	}
	if content, found, err := other.VFSGet(t.Context(), "memory:seen.txt"); err != nil || !found || string(content) != "once" {
		t.Errorf("the volume has %q, %v, %v", content, found, err)
	}

	// A document that has changed begins its session anew.
	changed, err := instance.Resume(t.Context(), machine(t, strings.Replace(notebook, "let n = 41", "let n = 10", 1)), bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if said := call(t, changed, "js2"); said != "js 11 22" {
		t.Errorf("with another first block, js2 says %q", said)
	}
	if said := call(t, changed, "lua2"); said != languages["lua"] {
		t.Errorf("lua2 says %q", said)
	}
}

// What cannot be resumed is refused with a code.
func TestRefused(t *testing.T) {
	config := machine(t, notebook)
	nb, err := instance.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	call(t, nb, "lua1")
	if err := nb.VFSPut(t.Context(), "a.txt", []byte("theirs")); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := nb.Freeze(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	refused := func(what, want string, config instance.Config, data []byte) {
		t.Helper()
		other, err := instance.Resume(t.Context(), config, bytes.NewReader(data))
		if err == nil {
			_, err = other.Call(t.Context(), "lua2", nil)
		}
		var e *frozen.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	data := file.Bytes()
	refused("half of it", frozen.CodeTruncated, machine(t, notebook), data[:len(data)/2])
	bent := bytes.Clone(data)
	bent[len(bent)/2] ^= 1
	refused("a bit of it", frozen.CodeDigest, machine(t, notebook), bent)
	// Changes that whoever made them also put under a new digest.
	forge := func(change func(f *frozen.File)) []byte {
		f, err := frozen.Parse(bytes.Clone(data))
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		var b bytes.Buffer
		if err := f.Write(&b, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	refused("another toolchain", frozen.CodeToolchain, machine(t, notebook), forge(func(f *frozen.File) { f.Sessions[0].Fingerprint += "x" }))
	refused("memory of nothing", frozen.CodeSession, machine(t, notebook), forge(func(f *frozen.File) { f.Sessions[0].State.Bytes = []byte("nothing") }))
	refused("no language", frozen.CodeToolchain, machine(t, notebook), forge(func(f *frozen.File) { f.Sessions[0].Lang = "cobol" }))
	there := machine(t, notebook)
	if err := there.Host.Project(filepath.Dir(there.Options.File)).WriteFile(t.Context(), "a.txt", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	refused("a file that is there", frozen.CodeConflict, there, data)
}

// Neither the user's variables and secrets nor the environment are in the file,
// in memory that is unpacked.
func TestNoSecrets(t *testing.T) {
	const canary = "sk-canary-in-a-frozen-file"
	t.Setenv("ANTHROPIC_API_KEY", canary)
	config := machine(t, notebook)
	config.Host.Seal = func() ([]byte, error) { return make([]byte, 32), nil }
	if err := config.Host.Variables().SetVar(t.Context(), "default", "key", "secret", []byte(canary)); err != nil {
		t.Fatal(err)
	}
	nb, err := instance.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	call(t, nb, "js1")
	call(t, nb, "py1")
	var file bytes.Buffer
	if err := nb.Freeze(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	f, err := frozen.Parse(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	unpacked := file.Bytes()
	for _, s := range f.Sessions {
		head := 4 + binary.LittleEndian.Uint32(s.State.Bytes)
		memory, err := io.ReadAll(flate.NewReader(bytes.NewReader(s.State.Bytes[head:])))
		if err != nil || len(memory) < 1<<20 {
			t.Fatalf("%d bytes of memory: %v", len(memory), err)
		}
		unpacked = append(unpacked, memory...)
	}
	if !bytes.Contains(unpacked, []byte("py ran")) {
		t.Error("the memory does not even have the block")
	}
	if bytes.Contains(unpacked, []byte(canary)) {
		t.Error("the canary is in the file")
	}
}

// Inputs reach a call, and errors of components are its own.
func TestCall(t *testing.T) {
	config := machine(t, `
* Twice
:PROPERTIES:
:IN: x
:END:
#+begin_src js
export function twice(x) { return 2 * x }
#+end_src

* Fails
:PROPERTIES:
:OUT: y
:END:
#+begin_src js
export function fails() { throw new Error("on purpose") }
#+end_src
`)
	nb, err := instance.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	v, err := nb.Call(t.Context(), "twice", map[string]value.Value{"x": value.OfInt(21)})
	if err != nil || v.Int() != 42 {
		t.Errorf("twice: %v, %v", v, err)
	}
	if _, err := nb.Call(t.Context(), "fails", nil); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("fails: %v", err)
	}
	if _, err := nb.Call(t.Context(), "missing", nil); err == nil {
		t.Error("missing: no error")
	}
}
