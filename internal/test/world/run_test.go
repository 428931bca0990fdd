//go:build long

package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// fate is what became of a block.
type fate string

const (
	ran         fate = "ran to its end"
	byItself    fate = "ended with an error of its own"
	document    fate = "does not compile, or the document is wrong there"
	stopped     fate = "stopped by wb"
	uninstalled fate = "its toolchain is not here"
	needs       fate = "needs one that failed or was skipped"
	noLane      fate = "no lane runs its language"
	notToRun    fate = "not to be run (data, :eval no)"
)

var (
	// ours are errors about what wb does not do.
	ours = regexp.MustCompile(`Graphviz draws no|lies outside|limit|not granted|not supported|is not known here|which is not possible here|no such file or directory`)
	tool = regexp.MustCompile(`toolchain \S+:|toolchain \S+ is missing`)
)

// component is one of a run, as wb answers.
type component struct {
	Status, Why, Lang, Error string
	Exit                     int
}

func (c component) fate() fate {
	switch {
	case c.Status == "ok" || c.Status == "cached":
		return ran
	case c.Status == "data" || strings.HasPrefix(c.Why, ":eval"):
		return notToRun
	case c.Status == "skipped" && strings.HasPrefix(c.Why, "no lane"):
		return noLane
	case c.Status != "failed":
		return needs
	case c.Exit != 0:
		return byItself
	case tool.MatchString(c.Error):
		return uninstalled
	case ours.MatchString(c.Error):
		return stopped
	}
	return document
}

// run counts what became of each block. A file is taken when wb answers with its
// components, whatever they said. WB_WORLD_SAY=1 prints the errors that are not the
// programs' own.
func (w *world) run(v *verb, file string) string {
	out, wrong := w.wb(v, w.dir, "run", file, "--json", "--no-write", "--events", "none")
	var answer struct {
		Data *struct{ Components []component }
	}
	if json.Unmarshal(out, &answer) != nil || answer.Data == nil {
		return cmp.Or(wrong, "no answer")
	}
	w.Lock()
	defer w.Unlock()
	for _, c := range answer.Data.Components {
		what := c.Status
		switch {
		case c.Status == "skipped":
			what += ": " + kind(c.Why)
		case c.Status == "failed" && c.Exit == 0:
			what += ": " + kind(c.Error)
			if os.Getenv("WB_WORLD_SAY") != "" {
				fmt.Printf("SAY %s\t%s\t%s\t%s\n", file, c.Lang, c.fate(), strings.ReplaceAll(c.Error, "\n", " ⏎ "))
			}
		}
		w.blocks[what]++
		w.ends[c.fate()]++
	}
	return ""
}

// fates prints how many blocks whose language has a lane reached their own code.
func (w *world) fates() {
	fmt.Println("\nblocks")
	for _, f := range []fate{ran, byItself, document, stopped, uninstalled, needs, noLane, notToRun} {
		fmt.Printf("  %5d  %s\n", w.ends[f], f)
	}
	reached := w.ends[ran] + w.ends[byItself] + w.ends[document]
	if all := reached + w.ends[stopped]; all > 0 {
		fmt.Printf("  %.2f %% of those with a lane and a toolchain got as far as their own code\n\n", 100*float64(reached)/float64(all))
	}
}
