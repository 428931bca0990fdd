//go:build long

package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/internal/test/emacs"
	"wb/publish/site"
)

// TestDOM compares the site that wb makes of the folder with Emacs's export of each
// document, as a browser reads them: of each construct, the share of texts that both
// have. Emacs's pages stay in WB_DOM_OUT for the next time; differences.txt there lists
// what one of both alone has.
func TestDOM(t *testing.T) {
	folder, out := os.Getenv("WB_WORLD"), os.Getenv("WB_DOM_OUT")
	if folder == "" || out == "" {
		t.Skip("WB_WORLD and WB_DOM_OUT name no folders: just dom DIR OUT")
	}
	d := &domWorld{world: newWorld(t, folder), out: out, counts: map[string]*count{}}
	copyFolder(t, folder, d.dir)                                  // pictures and what documents include
	d.files = slices.DeleteFunc(d.files, func(file string) bool { // no part of a site
		return strings.Contains("/"+filepath.ToSlash(file), "/.")
	})
	d.byEmacs(emacs.Need(t))
	d.byWb()
	d.compare()
	d.reportDOM()
}

// domWorld is a world whose pages are compared.
type domWorld struct {
	*world
	out         string
	documents   int
	same        int // documents without a difference
	counts      map[string]*count
	differences strings.Builder
	untold      map[string]string // documents that Emacs does not export, and why
}

// count counts the texts of one construct.
type count struct{ both, ours, theirs, faulty int }

func (c count) share() float64 { return 100 * float64(c.both) / float64(max(c.ours, c.theirs)) }

// right is the share without texts that differ by a fault of Emacs's alone.
func (c count) right() float64 {
	return 100 * float64(c.both) / float64(max(c.ours, c.theirs)-c.faulty)
}

// exported is where a document's page lies: not where people keep one that another
// program made.
func (d *domWorld) exported(by, file string) string {
	return filepath.Join(d.out, by, file+".exported.html")
}

// batch is how many documents one Emacs exports.
const batch = 20

// byEmacs has Emacs export the documents whose pages it did not make before. What
// documents evaluate when they are exported reaches nothing but the copy.
func (d *domWorld) byEmacs(e *emacs.Emacs) {
	dir := filepath.Join(d.out, "emacs")
	copyFolder(d.t, d.dir, dir)
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o777); err != nil {
		d.t.Fatal(err)
	}
	if err := walled(d.t.Context(), dir, "true").Run(); err != nil {
		d.t.Skipf("unshare makes no wall here, without which Emacs exports nothing: %v", err)
	}
	script, err := os.ReadFile("testdata/export.el")
	if err != nil {
		d.t.Fatal(err)
	}
	d.write(filepath.Join(dir, "home", "export.el"), script)
	d.untold = map[string]string{}
	var todo []string
	for _, file := range d.files {
		if _, err := os.Stat(d.exported("emacs", file)); err != nil {
			todo = append(todo, file)
		}
	}
	for len(todo) > 0 {
		todo = d.export(e, dir, todo)
	}
	d.showFaults(e)
}

// export has one Emacs export the first documents, and says which are left: one that
// ends Emacs is not among them.
func (d *domWorld) export(e *emacs.Emacs, dir string, todo []string) (left []string) {
	part := todo[:min(batch, len(todo))]
	list := filepath.Join(dir, "home", "list")
	var names strings.Builder
	for _, file := range part {
		fmt.Fprintln(&names, filepath.Join(dir, file))
	}
	d.write(list, []byte(names.String()))
	asked := e.Command("-l", filepath.Join(dir, "home", "export.el"), list)
	cmd := walled(d.t.Context(), dir, asked.Path, asked.Args[1:]...)
	cmd.Env = append(cmd.Env, "SHELL=/bin/bash", "LC_ALL=C.UTF-8")
	var said, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &errs
	failed := cmd.Run()
	for line := range strings.Lines(said.String()) {
		if name, why, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			d.untold[inside(dir, name)] = why
		}
	}
	for i, file := range part {
		if _, err := os.Stat(d.exported("emacs", file)); err != nil && d.untold[file] == "" {
			text := strings.TrimSpace(errs.String())
			d.untold[file] = fmt.Sprintf("Emacs ends (%v): %s", failed, text[max(0, len(text)-200):])
			return todo[i+1:]
		}
	}
	return todo[len(part):]
}

// byWb publishes the folder as it is.
func (d *domWorld) byWb() {
	program := filepath.Join(filepath.Dir(d.program), "wb-publish")
	if out, err := exec.Command("go", "build", "-o", program, "wb/cmd/wb-publish").CombinedOutput(); err != nil {
		d.t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(d.t.Context(), d.program, "publish", "site", d.dir, "--no-sign")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+d.t.TempDir(), "XDG_STATE_HOME="+d.t.TempDir())
	said, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("wb publish site: %v\n%.4000s", err, said)
	}
	built := filepath.Join(d.dir, site.DefaultOutput)
	for _, file := range d.files {
		text, err := os.ReadFile(filepath.Join(built, strings.TrimSuffix(file, ".org")+".html"))
		if err != nil {
			d.t.Logf("no page of wb: %s", file)
			continue
		}
		to := d.exported("wb", file)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			d.t.Fatal(err)
		}
		d.write(to, text)
	}
}

// compare reads both pages of each document in one tab.
func (d *domWorld) compare() {
	script, err := os.ReadFile("testdata/dom.js")
	if err != nil {
		d.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/pages/", http.StripPrefix("/pages", http.FileServer(http.Dir(d.out))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") })
	server := httptest.NewServer(mux)
	defer server.Close()
	tab := chromium.Start(d.t).Open(d.t, server.URL)
	tab.Eval(string(script) + "; 0")
	read := func(by, file string) map[string][]string {
		rel, err := filepath.Rel(d.out, d.exported(by, file))
		if err != nil {
			d.t.Fatal(err)
		}
		said := map[string][]string{}
		address, _ := json.Marshal("/pages/" + (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath())
		text := tab.Text("constructs(" + string(address) + ").then(JSON.stringify)")
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			d.t.Fatalf("%s: %v", file, err)
		}
		return said
	}
	for _, file := range d.files {
		_, err := os.Stat(d.exported("emacs", file))
		_, failed := os.Stat(d.exported("wb", file))
		if err != nil || failed != nil {
			continue
		}
		d.documents++
		if d.document(file, read("wb", file), read("emacs", file)) {
			d.same++
		}
	}
}

// document counts what both pages of a document have, and lists the rest.
func (d *domWorld) document(file string, ours, theirs map[string][]string) (same bool) {
	if len(theirs["h1"]) == 0 {
		delete(ours, "h1") // a page without a title is called after its file
	}
	constructs := maps.Clone(ours)
	maps.Copy(constructs, theirs)
	same = true
	for _, construct := range slices.Sorted(maps.Keys(constructs)) {
		c := d.counts[construct]
		if c == nil {
			c = &count{}
			d.counts[construct] = c
		}
		c.ours += len(ours[construct])
		c.theirs += len(theirs[construct])
		mine, others := without(ours[construct], theirs[construct]), without(theirs[construct], ours[construct])
		c.both += len(ours[construct]) - len(mine)
		c.faulty += faulty(mine, others)
		for i := range max(len(mine), len(others)) {
			same = false
			fmt.Fprintf(&d.differences, "%s %s\n", construct, file)
			if i < len(mine) {
				fmt.Fprintf(&d.differences, "  wb:    %s\n", mine[i])
			}
			if i < len(others) {
				fmt.Fprintf(&d.differences, "  Emacs: %s\n", others[i])
			}
		}
	}
	return same
}

// without are the texts of one list that the other does not have as often.
func without(list, other []string) (left []string) {
	there := map[string]int{}
	for _, s := range other {
		there[s]++
	}
	for _, s := range list {
		if there[s]--; there[s] < 0 {
			left = append(left, s)
		}
	}
	return left
}

func (d *domWorld) reportDOM() {
	d.write(filepath.Join(d.out, "differences.txt"), []byte(d.differences.String()))
	fmt.Printf("\n%d documents, %d without a difference\n\n", d.documents, d.same)
	var least float64 = 100
	for _, construct := range slices.Sorted(maps.Keys(d.counts)) {
		c := d.counts[construct]
		fmt.Printf("%-16s %7d of wb %7d of Emacs %7d alike  %6.2f %%, %6.2f %% without faults of Emacs's\n", construct, c.ours, c.theirs, c.both, c.share(), c.right())
		least = min(least, c.right())
	}
	for _, file := range slices.Sorted(maps.Keys(d.untold)) {
		fmt.Printf("Emacs does not export %s: %s\n", file, d.untold[file])
	}
	fmt.Printf("\nthe least share without faults is %.2f %%; %s lists the differences\n", least, filepath.Join(d.out, "differences.txt"))
}
