package shell

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// archives are ways to call tar, with what else they run.
var archives = []struct{ name, options, filter string }{
	{"gnu", "--format=gnu", ""}, {"posix", "--format=posix", ""}, {"ustar", "--format=ustar", ""},
	{"gzip", "-z", "gzip"}, {"bzip2", "-j", "bzip2"}, {"xz", "-J", "xz"},
}

const (
	// planted makes a tree of what archives tell apart.
	planted = `mkdir -p d/sub d/none; echo one >d/a; seq 30000 >d/sub/many; : >d/empty; printf '\0\377' >d/bytes; echo s >'d/sp ace'
chmod 750 d/a; ln -s a d/link; ln d/a d/hard; echo long >d/$(printf '%090d' 7); echo ü >d/é
find d ! -type l -exec touch -d '1998-02-03 04:05:06 UTC' {} +
`
	// written has links, which touch follows, no newer than the rest.
	written = `tar --sort=name --owner=root:0 --group=root:0 --mtime='1999-01-02 00:00 UTC' --clamp-mtime `
	// unpacked tells what came out of an archive.
	unpacked = ` && find d ! -type l -printf '%y %m %Ts %p\n' | LC_ALL=C sort && find d -type f -exec md5sum {} + | LC_ALL=C sort && readlink d/link`
)

// TestTarAgainstMachine holds GNU tar in the sandbox and the machine's to the same
// listings and trees of each other's archives.
func TestTarAgainstMachine(t *testing.T) {
	needBash(t)
	runner(t)
	for _, a := range archives {
		t.Run(a.name, func(t *testing.T) {
			lanetest.Need(t, lanetest.Env(t), "tar", "coreutils")
			for _, program := range []string{"tar", a.filter} {
				if program == "" {
					continue
				}
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("%s is missing on this machine", program)
				}
			}
			if a.filter != "" {
				lanetest.Need(t, lanetest.Env(t), a.filter)
			}
			write := planted + written + a.options + " -cf t d"
			here, there := sandbox.NewMemFS(), t.TempDir()
			inSandbox(t, here, write)
			onMachine(t, there, write)

			crossed, crossedThere := sandbox.NewMemFS(), t.TempDir()
			copyArchive(t, here, crossedThere)
			data, err := os.ReadFile(filepath.Join(there, "t"))
			if err != nil {
				t.Fatal(err)
			}
			if err := crossed.WriteFile("t", data); err != nil {
				t.Fatal(err)
			}
			for _, read := range []string{"tar " + a.options + " -tvf t", "tar -tf t", "mkdir o; tar -xpf t -C o; cd o" + unpacked} {
				want := onMachine(t, crossedThere, read)
				if got := inSandbox(t, here, read); got != want {
					t.Errorf("ours of our archive: %s\n got: %s\nwant: %s", read, got, want)
				}
				if got := inSandbox(t, crossed, read); got != onMachine(t, there, read) {
					t.Errorf("ours of the machine's archive: %s\n got: %s\nwant: %s", read, got, want)
				}
				if want == "" {
					t.Errorf("%s says nothing", read)
				}
			}
		})
	}
}

// copyArchive hands the archive t of a tree to the machine.
func copyArchive(t *testing.T, from *sandbox.MemFS, dir string) {
	t.Helper()
	data, err := from.ReadFile("t")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "t"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inSandbox runs a script that has the clock, without which files have one time.
func inSandbox(t *testing.T, files *sandbox.MemFS, script string) string {
	t.Helper()
	r, err := runner(t).Run(context.Background(), Script{Text: script, Files: files, Env: []string{"LC_ALL=C"}, Caps: sandbox.Caps{Clock: true}})
	if err != nil || r.Exit != 0 || len(r.Stderr) > 0 {
		t.Fatalf("%s: exit %d, %v: %s", script, r.Exit, err, r.Stderr)
	}
	return string(r.Stdout)
}

func onMachine(t *testing.T, dir, script string) string {
	t.Helper()
	var out, messages bytes.Buffer
	c := exec.Command("bash", "-c", script)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &messages
	c.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/bin:/bin", "HOME=/"}
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, messages.String())
	}
	return out.String()
}
