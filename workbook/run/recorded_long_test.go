//go:build long

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/test/emacs"
	"wb/internal/test/everylane"
	"wb/org"
	"wb/workbook/plan"
)

// TestRecordedLisp runs every Emacs Lisp block with a recorded result below
// $WB_ELISP_FILES: each alone, in a fresh Emacs of this machine (emacs -Q --batch,
// without programs to start) and with wb. What Emacs cannot run is left aside; of
// the rest at least 95 % must have the same result below the block.
//
// $WB_ELISP_EACH is how many blocks of a file are judged at most, spread over the
// file; all without it. $WB_ELISP_LIVE is how many blocks of a file without a recorded
// result are judged as well, of those that only compute something; none without it.
func TestRecordedLisp(t *testing.T) {
	root := os.Getenv("WB_ELISP_FILES")
	if root == "" {
		t.Skip("WB_ELISP_FILES names no folder of org files: just elisp-world DIR")
	}
	emacs.NeedBundled(t, "28.2")
	registry := everylane.Need(t, "emacs")
	blocks, files := recordedBlocks(t, root)
	t.Logf("%d blocks in %d files", len(blocks), files)
	var wait sync.WaitGroup
	slots := make(chan struct{}, 4)
	for _, b := range blocks {
		wait.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wait.Done() }()
			b.judge(t, registry)
			b.log(t)
		}()
	}
	wait.Wait()
	report(t, "recorded", blocks, func(b *recordedBlock) bool { return b.recorded })
	report(t, "without a recorded result", blocks, func(b *recordedBlock) bool { return !b.recorded })
}

// report counts what became of some of the blocks.
func report(t *testing.T, name string, blocks []*recordedBlock, among func(*recordedBlock) bool) {
	classes, files := map[string]int{}, map[string]bool{}
	for _, b := range blocks {
		if among(b) {
			classes[b.class]++
			files[b.file] = true
		}
	}
	if len(files) == 0 {
		return
	}
	t.Logf("%s: blocks of %d files", name, len(files))
	for _, class := range slices.SortedFunc(maps.Keys(classes), func(a, b string) int { return cmp.Compare(classes[b], classes[a]) }) {
		t.Logf("%5d %s", classes[class], class)
	}
	same, judged := classes[classSame], classes[classSame]+classes[classDiffers]
	t.Logf("%s: %d of %d blocks that Emacs runs and that need nothing else have the same result", name, same, judged)
	if same*100 < judged*95 {
		t.Errorf("%s: fewer than 95 %%", name)
	}
}

// log says what became of a block as soon as that is known, since a run over a
// large folder takes long.
func (b *recordedBlock) log(t *testing.T) {
	at := fmt.Sprintf("%s:%d: %s", b.file, b.component.Pos.Line, b.class)
	switch b.class {
	case classSame, classOff:
		t.Log(at)
	case classFails:
		t.Logf("%s: %s", at, b.complaint)
	default:
		t.Logf("%s:\n%s\nwb %q %s\nEmacs %q", at, b.component.Body, b.ours, b.complaint, b.theirs)
	}
}

// Classes of blocks.
const (
	classSame    = "the same result"
	classFails   = "Emacs -Q fails: the block needs a package, an earlier block, a program or a person"
	classOff     = "Emacs is told not to run it"
	classBefore  = "wb first runs what the block needs, such as earlier blocks of its session, and one of those fails"
	classOrg     = "Org 9.5 of Emacs 28 writes it otherwise than Org 9.8, as which wb writes: indentation, nested lists"
	classDiffers = "another result"
)

// needs are what a block says that asks for more than Lisp: its result depends on
// the machine or the moment.
var needs = []struct {
	class   string
	pattern *lazyregexp.Regexp
}{
	{"the clock", lazyregexp.New(`current-time|format-time-string|float-time|org-today|time-to-days|date-to-time|decode-time|org-read-date|%T|calendar-current|benchmark|run-at-time|run-with-`)},
	{"chance", lazyregexp.New(`\(random\b|make-temp|org-id-|gensym|uuid`)},
	{"this machine's Emacs, its files or its user", lazyregexp.New(`emacs-version|org-version|load-path|exec-path|getenv|user-|system-|locate-|find-library|features\b|load-history|directory-files|file-exists|insert-file|find-file|invocation|default-directory|expand-file-name|buffer-file-name|symbol-file|symbol-function|describe-|apropos|mapatoms|obarray|emacs-|info\b|image-|temporary-file|dired|documentation|\bgc-|num-processors`)},
	{"threads", lazyregexp.New(`thread`)},
	{"a window, a frame or a terminal", lazyregexp.New(`window|other-buffer|frame|display|face|font|color|key-binding|where-is|buffer-list|x-|minibuffer|kill-ring|kill-new|clipboard|yank`)},
	{"to change the document around it", lazyregexp.New(`replace-match|\(insert\b|delete-region|erase-buffer|org-set-property|org-entry-put`)},
	{"a program or the network", lazyregexp.New(`process|shell|url-|request|async|server|compile\b|call-interactively|sql-`)},
}

// setup is what blocks say that prepare an Emacs rather than compute something.
var setup = lazyregexp.New(`use-package|\(require\b|package-|straight|\(add-(?:hook|to-list)|set-key|define-key|bind-key|map!|after!|custom|` +
	`advice|autoload|\bhook|-mode\b|\(setq|\(global-|\(load\b|eval-after-load`)

// onlyComputes reports whether a block needs nothing that differs between machines
// and does not merely define or set something.
func onlyComputes(body string) bool {
	if setup.MatchString(body) || !strings.Contains(body, "(") {
		return false
	}
	for _, need := range needs {
		if need.pattern.MatchString(body) {
			return false
		}
	}
	last := body[max(strings.LastIndex(body, "\n("), 0):]
	return !strings.HasPrefix(strings.TrimSpace(last), "(def") && !strings.HasPrefix(strings.TrimSpace(last), "(cl-def")
}

// recordedBlock is a block of a public file.
type recordedBlock struct {
	recorded  bool
	file      string
	source    []byte
	component *plan.Component
	number    int // among the source blocks of the file

	class, ours, theirs, complaint string
}

// recordedBlocks finds the blocks below a directory. A text is judged once.
func recordedBlocks(t *testing.T, root string) (blocks []*recordedBlock, files int) {
	seen := map[string]bool{}
	each, live := math.MaxInt, 0
	if n, err := strconv.Atoi(os.Getenv("WB_ELISP_EACH")); err == nil {
		each = n
	}
	if n, err := strconv.Atoi(os.Getenv("WB_ELISP_LIVE")); err == nil {
		live = n
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".org" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || seen[string(source)] {
			return err
		}
		seen[string(source)] = true
		p := plan.New(filepath.Base(path), source)
		var recorded, others []*recordedBlock
		for _, c := range p.Components {
			if c.Kind != plan.KindBlock || c.Lang != "emacs-lisp" && c.Lang != "elisp" || c.Dialect != plan.DialectBabel {
				continue
			}
			inside, _ := filepath.Rel(root, path)
			b := &recordedBlock{file: inside, source: source, component: c}
			if _, b.recorded = p.Document().ResultOf(c.Node()); b.recorded {
				recorded = append(recorded, b)
			} else if live > 0 && c.MayRun() && onlyComputes(c.Body) {
				others = append(others, b)
			}
		}
		chosen := append(spread(recorded, each), spread(others, live)...)
		for _, b := range chosen {
			b.number = ordinal(p.Document(), b.component.Node())
		}
		if len(chosen) > 0 {
			files++
		}
		blocks = append(blocks, chosen...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks, files
}

// spread takes at most n blocks, evenly.
func spread(blocks []*recordedBlock, n int) []*recordedBlock {
	if len(blocks) <= n {
		return blocks
	}
	chosen := make([]*recordedBlock, 0, n)
	for i := range n {
		chosen = append(chosen, blocks[i*len(blocks)/n])
	}
	return chosen
}

func ordinal(doc *org.Document, node *org.Node) int {
	n := 0
	for b := range doc.Nodes(org.KindSrcBlock) {
		if b.Start() >= node.Start() {
			break
		}
		n++
	}
	return n
}

// judge runs a block in both.
func (b *recordedBlock) judge(t *testing.T, registry *compile.Registry) {
	if !b.component.MayRun() {
		b.class = classOff
		return
	}
	dir := t.TempDir()
	theirs, ok := b.inEmacs(t, dir)
	if !ok {
		b.class = classFails
		return
	}
	b.complaint = ""
	ours := b.inWb(t, dir, registry)
	b.ours, b.theirs = b.result(ours), b.result(theirs)
	switch {
	case b.ours == b.theirs && b.complaint == "":
		b.class = classSame
	case strings.HasSuffix(b.complaint, ", which failed"):
		b.class = classBefore
	case b.complaint == "" && dedent(b.ours) == dedent(b.theirs), strings.Contains(b.theirs, "(unordered"):
		b.class = classOrg
	case thisYear.MatchString(b.theirs):
		b.class = "needs the clock"
	default:
		b.class = classDiffers
		for _, need := range needs {
			if need.pattern.MatchString(b.component.Body) {
				b.class = "needs " + need.class
				break
			}
		}
	}
}

// thisYear is in results that a clock made, of this block or of another.
var thisYear = lazyregexp.New(`\b` + strconv.Itoa(time.Now().Year()) + `\b`)

var indentation = lazyregexp.New(`(?m)^[ \t]+`)

func dedent(text string) string { return indentation.ReplaceAllString(text, "") }

// inEmacs is the file after a fresh Emacs ran the block.
func (b *recordedBlock) inEmacs(t *testing.T, dir string) (string, bool) {
	file, out := filepath.Join(dir, "emacs", filepath.Base(b.file)), filepath.Join(dir, "out.org")
	b.copy(t, file)
	script, err := filepath.Abs("testdata/execute-one.el")
	if err != nil {
		t.Error(err)
		return "", false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "emacs", "-Q", "--batch", "-l", script, file, fmt.Sprint(b.component.Pos.Line), out)
	cmd.Dir, cmd.WaitDelay = filepath.Dir(file), time.Second
	cmd.Env = []string{"HOME=" + dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=dumb", "PATH=/nonexistent", "TMPDIR=" + dir, "TZ=UTC"}
	cmd.Args[0] = cmd.Path // without a path to search, Emacs finds its files by its own name
	if said, err := cmd.CombinedOutput(); err != nil {
		b.complaint = cmp.Or(lastLine(string(said)), err.Error())
		return "", false
	}
	text, err := os.ReadFile(out)
	return string(text), err == nil
}

// inWb is the file after wb ran the block and what it needs.
func (b *recordedBlock) inWb(t *testing.T, dir string, registry *compile.Registry) string {
	file := filepath.Join(dir, "wb", filepath.Base(b.file))
	b.copy(t, file)
	r, err := Run(t.Context(), Options{
		Book:      Book{File: file, Lanes: registry},
		Selection: Selection{Only: []string{b.component.ID}, Force: true},
		Checks:    Checks{Lint: func(*plan.Plan) []diag.Finding { return nil }},
	})
	if err != nil {
		b.complaint = err.Error()
		return string(b.source)
	}
	for _, done := range r.Components {
		if done.ID == b.component.ID && done.Err != nil {
			b.complaint = done.Err.Error()
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.complaint = errors.Join(errors.New(b.complaint), err).Error()
	}
	return string(text)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines {
		if message, ok := strings.CutPrefix(line, "Debugger entered--Lisp error: "); ok {
			return message
		}
	}
	return lines[len(lines)-1]
}

func (b *recordedBlock) copy(t *testing.T, file string) {
	if err := cmp.Or(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, b.source, 0o644)); err != nil {
		t.Error(err)
	}
}

// cacheHash is what :cache yes writes: each Org has its own, and Emacs keeps the
// case of a keyword that stands there.
var cacheHash = lazyregexp.New(`^#\+(?i:results)\[[0-9a-f]+\]`)

// result is what stands below the block in a file, its heading line included.
func (b *recordedBlock) result(text string) string {
	doc := org.ParseString(text)
	n := 0
	for node := range doc.Nodes(org.KindSrcBlock) {
		if n == b.number {
			r, ok := doc.ResultOf(node)
			if !ok {
				return "no result"
			}
			line := cacheHash.ReplaceAllString(strings.TrimSpace(doc.Text(r.Line)), "#+RESULTS[…]")
			return line + "\n" + doc.Text(r.Body)
		}
		n++
	}
	return "no block"
}
