package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/org"
)

// steps are the commands below a heading of a document, as they are written.
func steps(t *testing.T, file, heading string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), "\n* "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %s", file, heading)
	}
	below, _, _ = strings.Cut(below, "\n* ")
	var out []string
	for n := range org.Parse([]byte(below)).All() {
		if b, ok := n.Block(); ok && b.IsSrc() {
			for line := range strings.Lines(b.Code()) {
				out = append(out, strings.TrimSpace(line))
			}
		}
	}
	return out
}

// TestStolenKey does what docs/publishing.org says to do when a key was stolen,
// as it is written, while the thief goes on signing.
func TestStolenKey(t *testing.T) {
	if ok, err := scriptCondition("wb-publish"); !ok {
		t.Skipf("wb-publish is not there: %v", err)
	}
	commands := steps(t, "../../docs/publishing.org", "Your key was stolen")
	if len(commands) != 8 {
		t.Fatalf("%d steps: %q", len(commands), commands)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	freshUser(t)
	t.Setenv("XDG_CACHE_HOME", cache)
	shell := func(want int, says, line string) string {
		t.Helper()
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want || !strings.Contains(out.String(), says) {
			t.Errorf("%s: exit %d, want %d and %q\n%s", line, got, want, says, &out)
		}
		return out.String()
	}
	loot := filepath.Join(t.TempDir(), "config")
	thief := "XDG_CONFIG_HOME=" + loot + " XDG_STATE_HOME=" + t.TempDir() + " "
	reader := "XDG_CONFIG_HOME=" + t.TempDir() + " XDG_STATE_HOME=" + t.TempDir() + " "

	writeHere(t, "notes/publish.org", "#+PUBLISH_TITLE: Notes\n#+PUBLISH_DOMAIN: example.org\n")
	writeHere(t, "notes/index.org", "#+TITLE: Home\n\nText.\n")
	writeHere(t, "report.org", "#+TITLE: Report\n\nText.\n")
	writeHere(t, "letter.txt", "Dear reader\n")
	for _, line := range []string{"wb publish site notes", "wb bundle report.org", "wb sign letter.txt", reader + "wb verify notes/.publish_out"} {
		shell(0, "", line)
	}
	old := strings.TrimSpace(shell(0, "did:key:z6Mk", "wb key show"))
	old, _, _ = strings.Cut(old, "\n")

	// The thief has all of the user's configuration, and releases and sends things.
	shell(0, "", "cp -Rp $XDG_CONFIG_HOME "+loot)
	shell(0, "", "cp -R notes/.publish_out stolen && cp letter.txt fake.txt && echo '<body>fake</body>' > stolen/fake.html")
	shell(0, "release 2", thief+"wb sign stolen --host example.org")
	shell(0, "", thief+"wb sign fake.txt")
	shell(0, "", thief+"wb bundle report.org -o fake.wbundle")

	for _, line := range commands {
		shell(0, "", line)
	}
	shell(0, "release 2", "wb verify notes/.publish_out")
	shell(0, `"revoked":[{"at":`, "cat notes/.publish_out/.well-known/wb-revoked.json")
	shell(0, `"revoked": "20`, "cat notes/.publish_out/.well-known/did.json")
	for _, name := range []string{"stolen", "stolen/fake.html", "fake.txt", "fake.wbundle"} {
		shell(5, "key-revoked", "wb verify "+name)
		shell(5, "key-revoked", reader+"wb verify --forget --keys revoked.json "+name)
	}
	shell(5, "key-revoked", "wb unbundle fake.wbundle -d there")
	shell(0, "", reader+"wb verify notes/.publish_out")
	shell(5, "key-revoked", reader+"wb verify stolen") // who saw release 2 needs no list
	shell(5, "key-revoked", reader+"wb verify fake.txt")
	shell(0, "", "wb bundle report.org -o again.wbundle && wb verify again.wbundle")
	if now := shell(0, "", "wb key show"); strings.HasPrefix(now, old) {
		t.Errorf("the revoked key still signs: %s", now)
	}

	// A bundle is not written where it would be refused, and there is a way on.
	shell(0, "identity did:key:", "wb key show")
	shell(0, "begin", "wb key new --another 2>&1; echo begin")
	shell(0, "", "wb key export-revoked | cmp - revoked.json")
}
