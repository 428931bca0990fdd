//go:build long

package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/emacs"
	"wb/internal/test/everylane"
	"wb/org/preset"
)

// TestAgendaCommandsLikeEmacs carries out every command of testdata/agenda-init.el, and
// of the init files below $WB_AGENDA_INITS, in the sandbox and in the Emacs of this
// machine. The files that commands name are made of the keywords and tags that the init
// file speaks of. $WB_AGENDA_LOAD is where Emacs finds use-package, by colons.
func TestAgendaCommandsLikeEmacs(t *testing.T) {
	const now = "2026-11-23 09:15"
	native := emacs.NeedBundled(t, "28.2")
	faketime, err := exec.LookPath("faketime")
	if err != nil {
		t.Skip("faketime is not installed: apt-get install faketime")
	}
	registry := everylane.Need(t, "emacs")
	h := &Home{Languages: func(context.Context) (*compile.Registry, error) { return registry, nil }}
	oracle, err := filepath.Abs("testdata/agenda-oracle.el")
	if err != nil {
		t.Fatal(err)
	}
	inits, commands, equal, failing := 0, 0, 0, 0
	for _, name := range initFiles(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lisp := initLisp(name, src)
		w := &agendaWorld{words: rand.New(rand.NewPCG(1, 2)), init: lisp, home: t.TempDir()}
		t.Setenv("HOME", w.home)
		t.Setenv("TZ", "UTC")
		files := w.write(t)
		init := filepath.Join(w.home, "init.el")
		if err := os.WriteFile(init, []byte(lisp), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"-f", now + ":00"}
		cmd := native.Command(slices.Concat(loadPath(), []string{"-l", oracle, init}, files)...)
		said := exec.CommandContext(t.Context(), faketime, append(args, cmd.Args...)...)
		said.Env, said.Dir = cmd.Env, w.home
		out, err := said.Output()
		if err != nil {
			t.Errorf("%s: Emacs: %v", name, err)
		}
		answers := strings.Split(string(out), "\f")[1:]
		if len(answers) > 0 {
			inits++
		}
		same := 0
		for _, answer := range answers {
			key, want, _ := strings.Cut(answer, "\n")
			got := ""
			shown, err := (&AgendaIn{Command: key, Init: init, Paths: files, Now: now}).show(t.Context(), h)
			if err == nil {
				got = shown.org.Text
			}
			commands++
			switch _, failed, _ := strings.Cut(want, "\v"); {
			case err != nil && strings.Contains(want, "\v"):
				t.Logf("%s: %s: Emacs: %s, wb: %v", filepath.Base(name), key, failed, err)
				failing++
			case err == nil && got == want:
				same++
			default:
				t.Errorf("%s: %s: %v\n%s", filepath.Base(name), key, err, differingLine(want, got))
			}
		}
		equal += same
		t.Logf("%s: %d of %d commands", filepath.Base(name), same, len(answers))
	}
	t.Logf("%d init files, %d commands: %d equal, %d fail in both", inits, commands, equal, failing)
}

func initFiles(t *testing.T) []string {
	names := []string{"testdata/agenda-init.el"}
	if dir := os.Getenv("WB_AGENDA_INITS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	}
	return names
}

func loadPath() (args []string) {
	for _, dir := range filepath.SplitList(os.Getenv("WB_AGENDA_LOAD")) {
		args = append(args, "-L", dir)
	}
	return args
}

var fenced = regexp.MustCompile("(?s)```(?:elisp|emacs-lisp|lisp)?\n(.*?)```")

// initLisp is the Lisp of an init file, of a page about one what stands in fences.
func initLisp(name string, src []byte) string {
	if filepath.Ext(name) != ".md" {
		return preset.InitLisp(name, src)
	}
	var b strings.Builder
	for _, m := range fenced.FindAllSubmatch(src, -1) {
		b.Write(m[1])
	}
	return b.String()
}

// agendaWorld makes the files of an init file.
type agendaWorld struct {
	words      *rand.Rand
	init, home string
}

var (
	initKeyword = regexp.MustCompile(`"([A-Z][A-Z_-]{2,})(?:\([^)]*\))?"`)
	initMatch   = regexp.MustCompile(`tags(?:-todo)?\s+"([^"]+)"`)
	initTag     = regexp.MustCompile(`[A-Za-z_@][\w@]*`)
	initFile    = regexp.MustCompile(`"~/([^"\s]+\.org)"`)
)

// found are the first groups of all matches, and more, each once.
func (w *agendaWorld) found(re *regexp.Regexp, more ...string) []string {
	for _, m := range re.FindAllStringSubmatch(w.init, -1) {
		more = append(more, m[1])
	}
	slices.Sort(more)
	return slices.Compact(more)
}

// write makes the files that the init file names, and two more, which it returns.
func (w *agendaWorld) write(t *testing.T) []string {
	names := []string{"notes.org", "work.org"}
	for _, name := range append(w.found(initFile), names...) {
		path := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{filepath.Join(w.home, names[0]), filepath.Join(w.home, names[1])}
}

func (w *agendaWorld) one(list ...string) string { return list[w.words.IntN(len(list))] }

func (w *agendaWorld) stamp(open, close string) string {
	time, repeater := w.one("", "", " 10:00", " 14:30-15:45"), w.one("", "", "", " +1w", " ++3d", " .+2d")
	day := 23 + w.words.IntN(30) - 12
	return fmt.Sprintf("%s2026-11-%02d%s%s%s", open, min(day, 30), time, repeater, close)
}

// document has entries of all kinds.
func (w *agendaWorld) document() string {
	keywords := w.found(initKeyword, "TODO", "DONE")
	var tags []string
	for _, match := range w.found(initMatch) {
		tags = append(tags, initTag.FindAllString(match, -1)...)
	}
	tags = append(tags, "work", "home", "phone", "project")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%s ", strings.Repeat("*", 1+w.words.IntN(3)))
		if w.words.IntN(4) > 0 {
			b.WriteString(w.one(keywords...) + " ")
		}
		fmt.Fprintf(&b, "%sitem %d%s", w.one("", "", "[#A] ", "[#B] ", "[#C] "), i, w.one("", "", "", " 16:00", " "+w.stamp("<", ">")))
		if w.words.IntN(2) > 0 {
			fmt.Fprintf(&b, " :%s:", w.one(tags...))
		}
		b.WriteString("\n")
		planned := w.one("", "", "SCHEDULED: "+w.stamp("<", ">"), "DEADLINE: "+w.stamp("<", ">"), "CLOSED: [2026-11-2"+w.one("0", "1", "2")+" 08:00]")
		if planned != "" {
			b.WriteString(planned + "\n")
		}
		if w.words.IntN(12) == 0 { // a habit needs a repeater
			fmt.Fprintf(&b, "* TODO habit %d\nSCHEDULED: <2026-11-%d .+2d/4d>\n:PROPERTIES:\n:STYLE: habit\n:END:\n", i, 18+w.words.IntN(9))
		} else if w.words.IntN(3) == 0 {
			fmt.Fprintf(&b, ":PROPERTIES:\n:%s\n:END:\n", w.one("Effort: 0:30", "Effort: 2:00", "OWNER: ada", "CATEGORY: misc"))
		}
		if w.words.IntN(3) == 0 {
			fmt.Fprintf(&b, "Text %s.\n", w.one(w.stamp("<", ">"), w.stamp("[", "]")))
		}
	}
	return b.String()
}

func differingLine(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d\n Emacs: %q\n wb:    %q", i+1, w[i], append(slices.Clone(g[min(i, len(g)):]), "(no more)")[0])
		}
	}
	return fmt.Sprintf("wb goes on: %q", strings.Join(g[len(w):], "\n"))
}
