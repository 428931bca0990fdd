package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunReadsFiles(t *testing.T) {
	n := newNotebook(t, "#+NAME: content\n#+begin_src toy\nread data.txt\n#+end_src\n\n#+NAME: trace\n#+begin_src toy\nread events.org\n#+end_src\n")
	data := filepath.Join(filepath.Dir(n.file), "data.txt")
	for i, content := range []string{"one", "one", "two"} {
		if err := os.WriteFile(data, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(n.file), "events.org"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, got := n.run()
		want := []string{"content:ok trace:failed", "content:cached trace:failed", "content:ok trace:failed"}[i]
		if got != want || !strings.Contains(n.text(), ": "+content+"\n") {
			t.Errorf("run %d: %s\n%s", i, got, n.text())
		}
	}
}

func TestRunMakesFiles(t *testing.T) {
	n := newNotebook(t, `#+begin_src toy :results file link :file out.txt :dir sub :mkdirp yes
write sub/out.txt drawn by the program
write sub/scratch.txt not asked for
#+end_src

#+NAME: table
#+begin_src toy :results file :file t.csv :sep ,
return [["a",1],["b",2]]
#+end_src

#+begin_src toy :results file :file events.org
return "forged"
#+end_src

#+begin_src toy :results file link :file ../escape.txt
write escape.txt x
#+end_src
`)
	dir := filepath.Dir(n.file)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	report, got := n.run()
	if got != "block-1:ok table:ok block-2:failed block-3:failed" {
		t.Errorf("got %s", got)
	}
	if got := report.Components[2].Err.Error(); !strings.Contains(got, "write blocked: events.org is reserved for the host") {
		t.Errorf("got %s", got)
	}
	if got := report.Components[3].Err.Error(); !strings.Contains(got, ":file ../escape.txt lies outside the workbook's directory") {
		t.Errorf("got %s", got)
	}
	if read("sub/out.txt") != "drawn by the program" || read("t.csv") != "a,1\nb,2" {
		t.Errorf("files: %q %q", read("sub/out.txt"), read("t.csv"))
	}
	if _, err := os.Stat(filepath.Join(dir, "sub", "scratch.txt")); err == nil {
		t.Error("a file nobody named was written")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "escape.txt")); err == nil {
		t.Error("a file outside the directory was written")
	}
	if w := report.Components[0].Warnings; len(w) != 1 || w[0].Code != "file-discarded" {
		t.Errorf("warnings %v", w)
	}
	if text := n.text(); !strings.Contains(text, "[[file:sub/out.txt]]") || !strings.Contains(text, "[[file:t.csv]]") {
		t.Errorf("links:\n%s", text)
	}
	os.Remove(filepath.Join(dir, "sub/out.txt"))
	if _, got = n.run(); !strings.HasPrefix(got, "block-1:cached") || read("sub/out.txt") != "drawn by the program" {
		t.Errorf("a kept file is not restored: %s", got)
	}
}
