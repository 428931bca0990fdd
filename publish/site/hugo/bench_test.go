package hugo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/test/cpu"
	"wb/proof/verify"
	"wb/publish/site"
	"wb/publish/site/highlight"
	"wb/publish/site/worker"
)

// thousand writes a thousand pages of org: headings, prose with markup, lists,
// tables, links between pages, highlighted code and tags, 8 KB each.
const pages = 1000

func thousand(tb testing.TB, dir string) {
	tb.Helper()
	tags := []string{"garden", "water", "soil", "tools", "harvest", "seeds", "weather", "notes"}
	words := strings.Fields("the garden needs water every morning and tools stay dry under a roof while seeds wait for warm soil and steady weather")
	for i := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, "#+TITLE: Page %d\n#+DATE: 2025-%02d-%02d\n#+FILETAGS: :%s:%s:\n#+TAGS[]: %[4]s %[5]s\n\n", i, 1+i%12, 1+i%28, tags[i%8], tags[(i/8)%8])
		for s := range 6 {
			fmt.Fprintf(&b, "* Section %d of %d\n", s, i)
			for p := range 3 {
				for w := range 60 {
					word := words[(i*7+s*13+p*17+w*w)%len(words)]
					switch w % 20 {
					case 3:
						word = "*" + word + "*"
					case 9:
						word = "/" + word + "/"
					case 15:
						word = "~" + word + "~"
					}
					b.WriteString(word)
					if w%12 == 11 {
						b.WriteString("\n")
					} else {
						b.WriteString(" ")
					}
				}
				fmt.Fprintf(&b, "See [[file:p%04d.org][another page]].\n\n", (i+s*37+p)%pages)
			}
			fmt.Fprintf(&b, "- one item %d\n- another item\n- a third\n\n| town | crates |\n|------+--------|\n| Ghent | %d |\n| Bruges | 7 |\n\n", s, i)
			fmt.Fprintf(&b, "#+begin_src python\ndef total(rows):\n    # add them up\n    return sum(n for _, n in rows if n > %d)\n\nprint(total([(\"Ghent\", %d)]))\n#+end_src\n\n", i, s)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%04d.org", i)), []byte(b.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// ours builds the program that lays out our sites.
func ours(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "wb-publish")
	if out, err := exec.Command("go", "build", "-o", path, "wb/cmd/wb-publish").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// theirs builds hugo's own program, of the version that ours has within.
func theirs(b *testing.B) string {
	b.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", "github.com/gohugoio/hugo").Output()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("go", "install", strings.TrimSpace(string(version)))
	dir := b.TempDir()
	cmd.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "hugo")
}

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes resident, at most
}

func costOf(start time.Time, s *os.ProcessState) cost {
	return cost{time.Since(start), s.UserTime() + s.SystemTime(), cpu.Peak(s)}
}

// BenchmarkThousandPages builds a thousand pages of org, cold, with wb-publish
// and with hugo's own program, which renders org with go-org, one after the other. Both
// highlight code and make tables of contents, tags, feeds, a sitemap and a
// search index. Reported are the least of the rounds.
func BenchmarkThousandPages(b *testing.B) {
	content := b.TempDir()
	thousand(b, content)
	ours, theirs := ours(b), theirs(b)
	own := b.TempDir()
	if err := os.CopyFS(own, os.DirFS("testdata/hugo")); err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(own, "content"), os.DirFS(content)); err != nil {
		b.Fatal(err)
	}
	least := map[string]cost{}
	keep := func(name string, c cost) {
		if old, ok := least[name]; !ok || c.cpu < old.cpu {
			least[name] = c
		}
	}
	var first map[string][]byte
	for b.Loop() {
		out := b.TempDir()
		request, err := json.Marshal(worker.Request{Version: worker.Version, Do: worker.Site, Dir: content, Out: out})
		if err != nil {
			b.Fatal(err)
		}
		in, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(ours, "work")
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &said, os.Stderr
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write(append(request, '\n')); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || strings.Contains(said.String(), `"error"`) {
			b.Fatalf("%v %.2000s", err, said.String())
		}
		keep("wb", costOf(start, cmd.ProcessState))
		w.Close()
		in.Close()
		files, err := verify.ReadDir(out)
		if err != nil {
			b.Fatal(err)
		}
		if first != nil && !maps.EqualFunc(first, files, bytes.Equal) {
			b.Fatal("the second build gives other bytes")
		}
		first = files

		os.RemoveAll(filepath.Join(own, "public"))
		cmd = exec.Command(theirs, "--source", own, "--quiet", "--noBuildLock", "--logLevel", "error")
		start = time.Now()
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%.2000s", err, text)
		}
		keep("hugo", costOf(start, cmd.ProcessState))
	}
	for name, c := range least {
		b.ReportMetric(float64(c.wall.Milliseconds()), name+"-ms")
		b.ReportMetric(float64(c.cpu.Milliseconds()), name+"-cpu-ms")
		b.ReportMetric(float64(c.peak>>20), name+"-peak-MiB")
	}
	b.ReportMetric(float64(least["wb"].wall)/float64(least["hugo"].wall), "ratio")
	b.ReportMetric(float64(least["wb"].cpu)/float64(least["hugo"].cpu), "cpu-ratio")
	b.ReportMetric(float64(len(first)), "files")
}

// BenchmarkRelease publishes a thousand pages from nothing, then again with nothing
// changed, then with one page changed, signed each time, as people do. Reported is what
// wb and wb-publish used together; the peak is that of the larger one.
func BenchmarkRelease(b *testing.B) {
	dir, bin, home := b.TempDir(), b.TempDir(), b.TempDir()
	thousand(b, dir)
	if out, err := exec.Command("go", "build", "-o", bin, "wb/cmd/wb", "wb/cmd/wb-publish").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	wb := func(args ...string) cost {
		cmd := exec.Command(filepath.Join(bin, "wb"), args...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
			"XDG_CACHE_HOME="+filepath.Join(home, "cache"))
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("wb %v: %v\n%s", args, err, out)
		}
		return costOf(start, cmd.ProcessState)
	}
	wb("key", "new")
	report := func(what string, c cost) {
		b.ReportMetric(float64(c.cpu.Milliseconds()), what+"-cpu-ms")
		b.ReportMetric(float64(c.peak>>20), what+"-peak-MiB")
	}
	for b.Loop() {
		for _, gone := range []string{filepath.Join(home, "cache"), filepath.Join(home, "state", "wb", "signed"), filepath.Join(dir, site.DefaultOutput)} {
			if err := os.RemoveAll(gone); err != nil {
				b.Fatal(err)
			}
		}
		report("full", wb("publish", "site", dir))
		report("unchanged", wb("publish", "site", dir))
		name := filepath.Join(dir, "p0500.org")
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, append(text, "\nOne more line.\n"...), 0o644); err != nil {
			b.Fatal(err)
		}
		report("changed", wb("publish", "site", dir))
	}
}

// BenchmarkOnePage changes the text of one page of a thousand, as a preview sees it.
func BenchmarkOnePage(b *testing.B) {
	dir := b.TempDir()
	thousand(b, dir)
	p, err := site.Open(dir, site.Ask{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	builder := site.NewBuilder(p, Layout{}, site.Options{Highlight: highlight.New()})
	if _, err := builder.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(dir, "p0500.org")
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	n, used := 0, cpu.Own()
	for b.Loop() {
		n++
		if err := os.WriteFile(name, fmt.Appendf(bytes.Clone(text), "\nChange %d.\n", n), 0o644); err != nil {
			b.Fatal(err)
		}
		if err := p.Reload(); err != nil {
			b.Fatal(err)
		}
		r, err := builder.Build(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if len(r.Rebuilt) != 1 || r.Framed {
			b.Fatalf("%d pages, framed %v", len(r.Rebuilt), r.Framed)
		}
	}
	b.ReportMetric(float64((cpu.Own()-used).Microseconds())/1000/float64(n), "cpu-ms/op")
}
