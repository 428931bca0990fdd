//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const completionDocument = `#+NAME: one
#+begin_src sh
echo 1
#+end_src
#+NAME: two words
#+begin_src sh
echo 2
#+end_src
`

// TestCompletionInBash types lines into a real bash on a terminal. M-* puts all
// completions into the line, TAB the only one; C-a and a command before the line
// then print the words that bash has made of it.
func TestCompletionInBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	for _, name := range []string{"ace sp é.org", "doctor.org"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(completionDocument), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	const all, only = "\x1b*", "\t"
	for _, c := range []struct{ typed, want string }{
		{"wb run --tier " + all, "[wb][run][--tier][container][instance][node][process]"},
		{"wb run --tier=p" + only, "[wb][run][--tier=process]"},
		{"wb run doctor.org --profile n" + only, "[wb][run][doctor.org][--profile][network]"},
		{"wb doc" + only, "[wb][doctor]"},
		{"wb grants " + all, "[wb][grants][list][revoke][stats]"},
		{"wb toolchain un" + only, "[wb][toolchain][unpack]"},
		{"wb help ve" + only, "[wb][help][verify]"},
		{"wb help agent re" + all, "[wb][help][agent][repl][replay][resume]"},
		{"wb why ace" + only, "[wb][why][ace sp é.org]"},
		{"wb lint do" + only, "[wb][lint][doctor.org]"},
		{"wb why 'ace sp é.org' " + all, "[wb][why][ace sp é.org][one][two words]"},
		{`wb why ace\ sp\ é.org tw` + only, "[wb][why][ace sp é.org][two words]"},
		{"wb run doctor.org --only " + all, "[wb][run][doctor.org][--only][one][two words]"},
		{"wb run doctor.org --only one,tw" + only, "[wb][run][doctor.org][--only][one,two words]"},
		{"wb vfs get do" + only, "[wb][vfs][get][do]"},
		{"wb serve " + only, "[wb][serve][folder/]"},
		{"wb run doctor.org --expe" + only, "[wb][run][doctor.org][--expect]"},
	} {
		t.Run(strings.TrimSpace(c.typed[:len(c.typed)-1]), func(t *testing.T) {
			if got := typeIntoBash(t, dir, c.typed); got != c.want {
				t.Errorf("bash has %q, want %q", got, c.want)
			}
		})
	}
}

// typeIntoBash types a line and answers with the words that bash has made of it.
func typeIntoBash(t *testing.T, dir, typed string) string {
	t.Helper()
	keyboard, screen := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb", "LC_ALL=C.UTF-8", "INPUTRC=/dev/null", "PS1=", "HISTFILE=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	shown := make(chan struct{})
	go func() { // a terminal that nobody reads blocks who writes to it
		io.Copy(io.Discard, keyboard)
		close(shown)
	}()
	answer := filepath.Join(dir, "answer")
	fmt.Fprintf(keyboard, "source <(wb completion bash); exit_after() { printf '[%%s]' \"$@\" >%s; exit; }\r", answer)
	fmt.Fprintf(keyboard, "%s\x01exit_after \r", typed)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	keyboard.Close()
	<-shown
	text, err := os.ReadFile(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}

// openTerminal makes a terminal: what is written to the keyboard is typed.
func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, screen
}
