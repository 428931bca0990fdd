package exchange

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrgKeepsEverything takes org documents to Markdown and to notebooks and
// back: each byte is there again.
func TestOrgKeepsEverything(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*.org")
	docs, _ := filepath.Glob("../../docs/*.org")
	files = append(files, docs...)
	if len(files) == 0 {
		t.Fatal("no examples")
	}
	for _, file := range append(files, filepath.SplitList(os.Getenv("WB_ORG_FILES"))...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("md/"+filepath.Base(file), func(t *testing.T) {
			if back := string(FromMarkdown(ToMarkdown(src, Lossless))); back != string(src) {
				t.Errorf("%d bytes became %d, the first at %d", len(src), len(back), differAt(string(src), back))
			}
		})
		t.Run("ipynb/"+filepath.Base(file), func(t *testing.T) {
			notebook, err := ToNotebook(src, func(string) ([]byte, error) { return nil, os.ErrNotExist })
			if err != nil {
				t.Fatal(err)
			}
			back, err := FromNotebook(notebook, "nb")
			if err != nil {
				t.Fatal(err)
			}
			if string(back.Org) != string(src) {
				at := differAt(string(src), string(back.Org))
				t.Errorf("%d bytes became %d, the first at %d: %.60q", len(src), len(back.Org), at, back.Org[at:])
			}
		})
	}
}

func differAt(a, b string) int {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return at
}

// TestMarkdownOfOrg takes documents that are hard to say in Markdown there and
// back.
func TestMarkdownOfOrg(t *testing.T) {
	for _, src := range []string{
		"", "\n", "\n\n* A\n", "text", "a\r\nb\r\n", "a\r\nb", "a\r\nb\nc", "a\n\n#+begin_src sh\nx\r\n#+end_src\n", "* A\r\n\n| a |\n| b |\r\n", "* H\n\n\n\nb\n\n\n",
		"* TODO H :t:\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:ID: x\n:END:\ntext\n",
		"- a\n * b\n", "- a\n\n\n- b\n", "para\n- a\npara\n| a |\npara\n", "#+begin_export html\n<div>\n#+end_export\ntext\n",
		"# c -->\n# c --\\>\n", ":LOGBOOK:\n:END:\n# x\n", "- a :: b\n- c :: d\n", "[fn:1] a\n\n\n[fn:1] b\n",
		"$a_{0}$ \\(b_{0}\\) \\[c\\]\n", "cost $5_x$y\n", "#+begin_box\nx\n#+end_box\ny\n", "a  \n   \nb\n", "<!--org=\nx\n-->\nx\n",
		"#+begin_export yaml\n\n#+end_export\n", "=v= ~c~ \\alpha a_b ^c\n",
	} {
		md := ToMarkdown([]byte(src), Lossless)
		if back := string(FromMarkdown(md)); back != src {
			t.Errorf("%q became %q by\n%s", src, back, md)
		}
	}
}

// TestEditedMarkdown makes sure that a change of the Markdown wins over the org
// text that is kept beside it, and that all else stays.
func TestEditedMarkdown(t *testing.T) {
	src := "* A\ntext =one= here\n\n:DRAWER:\nx\n:END:\n* B\n- t :: d\n"
	md := string(ToMarkdown([]byte(src), Lossless))
	edited := strings.Replace(md, "\ntext `one` here", "\ntext `two` here", 1)
	if edited == md {
		t.Fatalf("nothing to edit in\n%s", md)
	}
	want := strings.Replace(src, "text =one= here", "text ~two~ here", 1)
	if got := string(FromMarkdown([]byte(edited))); got != want {
		t.Errorf("got\n%s\nfrom\n%s", got, edited)
	}
}

// FuzzOrg makes sure that any org text is the same after a way to Markdown and
// back.
func FuzzOrg(f *testing.F) {
	for _, seed := range []string{"* A\ntext\n- a\n", "| a |\n|-\n#+TBLFM: x\n", "#+begin_src js -n\n  1\n#+end_src\n\n#+RESULTS:\n: 1\n", ":D:\n-->\n:END:\n", "a\r\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.ContainsAny(src, "\x00\r") || !validText(src) {
			t.Skip()
		}
		if back := string(FromMarkdown(ToMarkdown([]byte(src), Lossless))); back != src {
			t.Errorf("%q became %q", src, back)
		}
	})
}
