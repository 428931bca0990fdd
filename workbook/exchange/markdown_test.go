package exchange

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMarkdown compares translations both ways with testdata/*.txtar: in.md,
// the org it becomes, and the Markdown that becomes again.
func TestMarkdown(t *testing.T) {
	files, _ := filepath.Glob("testdata/markdown/*.txtar")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := archive.Files[0].Data
			orgText := FromMarkdown(in)
			again := ToMarkdown(orgText, Lossless)
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: []txtar.File{{Name: "in.md", Data: in},
				{Name: "out.org", Data: orgText}, {Name: "back.md", Data: again}}})
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want, _ := os.ReadFile(file); string(want) != string(got) {
				t.Errorf("got\n%s", got)
			}
			sameMarkdown(t, string(in), string(again))
		})
	}
}

// sameMarkdown fails unless two texts look the same as HTML.
func sameMarkdown(t testing.TB, before, after string) {
	t.Helper()
	_, before = cutFrontMatter(before)
	_, after = cutFrontMatter(after)
	md := commonMark()
	if a, b := look(md, before), look(md, after); a != b {
		t.Errorf("Markdown changed on the way to org and back:\n%s\n---\n%s\n--- as HTML\n%s\n---\n%s", before, after, a, b)
	}
}

// FuzzMarkdown makes sure that whatever Markdown says, it says after a round
// trip.
func FuzzMarkdown(f *testing.F) {
	files, _ := filepath.Glob("testdata/markdown/*.txtar")
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			f.Add(string(archive.Files[0].Data))
		}
	}
	for _, seed := range []string{"*a* /b/ =c=", "- a\n\n  b\n- [ ] c", "1) x\n   ```\n   y\n   ```", "a | b\n-|-\n1 | `2`", "[x]: /u\n\n[x] [^1]\n\n[^1]: note", "<div>\n*a*\n</div>", "> > q\n\n***"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.ContainsAny(src, "\x00\r") || !validText(src) {
			t.Skip()
		}
		src = strings.TrimRight(src, " \t\n") + "\n"
		sameMarkdown(t, src, string(ToMarkdown(FromMarkdown([]byte(src)), Lossless)))
	})
}
