package tangle

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/org"
)

// bigDocument is about 1 MB of org with 2,000 blocks below 400 headings: prose,
// tables, four languages, inherited arguments, references and links.
func bigDocument() string {
	var b strings.Builder
	b.WriteString("#+TITLE: big\n#+PROPERTY: header-args :tangle yes\n\n")
	languages := []string{"python", "sh", "emacs-lisp", "js"}
	for h := range 400 {
		fmt.Fprintf(&b, "%s Heading %d about something :tag%d:\n", strings.Repeat("*", 1+h%3), h, h%7)
		if h%10 == 0 {
			fmt.Fprintf(&b, ":PROPERTIES:\n:CUSTOM_ID: h%d\n:header-args: :tangle part%d.txt :comments link\n:END:\n", h, h/40)
		}
		for range 8 {
			b.WriteString("Some prose that explains what the code below does and why it does it so, with a [[https://example.org][link]].\n")
		}
		fmt.Fprintf(&b, "\n| key | value |\n|-----+-------|\n| a%d  | %d     |\n\n", h, h)
		for i := range 5 {
			n := h*5 + i
			if i == 0 {
				fmt.Fprintf(&b, "#+name: chunk-%d\n", h)
			}
			args := ""
			switch {
			case i == 1:
				args = " :noweb yes"
			case i == 2:
				args = fmt.Sprintf(" :var x=%d name=\"n%d\"", n, n)
			}
			fmt.Fprintf(&b, "#+begin_src %s%s\n", languages[n%4], args)
			for line := range 7 {
				fmt.Fprintf(&b, "  line %d of block %d, doing some work\n", line, n)
			}
			if i == 1 {
				fmt.Fprintf(&b, "  <<chunk-%d>>\n", h)
			}
			b.WriteString("#+end_src\n\n")
		}
	}
	return b.String()
}

func BenchmarkPlan(b *testing.B) {
	text := bigDocument()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		out, err := Plan(context.Background(), org.ParseString(text), Options{File: "/d/big.org"})
		if err != nil {
			b.Fatal(err)
		}
		if out.Blocks != 2000 {
			b.Fatalf("%d blocks", out.Blocks)
		}
	}
}

// BenchmarkTangle parses, plans and writes into an empty directory.
func BenchmarkTangle(b *testing.B) {
	text := []byte(bigDocument())
	b.SetBytes(int64(len(text)))
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		sub := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		out, err := Plan(context.Background(), org.Parse(text), Options{File: filepath.ToSlash(filepath.Join(sub, "big.org"))})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := out.Write(WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProcess is the whole of it as authors see it, side by side: a
// program starts, reads the document, writes its files and ends.
func BenchmarkProcess(b *testing.B) {
	text := []byte(bigDocument())
	each := func(b *testing.B, tangle func(dir, file string)) {
		b.SetBytes(int64(len(text)))
		root := b.TempDir()
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			dir := filepath.Join(root, fmt.Sprint(i))
			if err := os.Mkdir(dir, 0o755); err != nil {
				b.Fatal(err)
			}
			file := filepath.Join(dir, "doc.org")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			tangle(dir, file)
		}
	}
	b.Run("wb", func(b *testing.B) {
		wb := filepath.Join(b.TempDir(), "wb")
		if out, err := exec.Command("go", "build", "-o", wb, "wb/cmd/wb").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		state := b.TempDir()
		each(b, func(dir, file string) {
			cmd := exec.Command(wb, "tangle", "--quiet", file)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		})
	})
	b.Run("emacs", func(b *testing.B) {
		e := emacs.Need(b)
		each(b, func(dir, file string) {
			list := filepath.Join(dir, "list")
			if err := os.WriteFile(list, []byte(file+"\n"), 0o644); err != nil {
				b.Fatal(err)
			}
			e.Run(b, "testdata/tangle.el", list)
		})
	})
}

// The big document is right as well as fast.
func TestBigDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("asks Emacs about a large document")
	}
	compareWithEmacs(t, map[string]string{"big": bigDocument()})
}
