package exchange

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/org"
)

// TestOrgKeepsEverything takes org documents to Markdown and to notebooks and
// back: headings, code and the words in between are all there again, in order.
func TestOrgKeepsEverything(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*.org")
	if len(files) == 0 {
		t.Fatal("no examples")
	}
	for _, file := range append(files, filepath.SplitList(os.Getenv("WB_ORG_FILES"))...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("md/"+filepath.Base(file), func(t *testing.T) {
			sameOrg(t, string(src), string(FromMarkdown(ToMarkdown(src, Lossless))))
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
			sameOrg(t, string(src), string(back.Org))
		})
	}
}

func sameOrg(t *testing.T, before, after string) {
	t.Helper()
	if a, b := headings(before), headings(after); !slices.Equal(a, b) {
		t.Errorf("headings %q became %q", a, b)
	}
	if a, b := codes(before), codes(after); !slices.Equal(a, b) {
		t.Errorf("code %q became %q\n%s", a, b, after)
	}
	have := map[string]bool{}
	for _, word := range strings.FieldsFunc(after, notWord) {
		have[word] = true
	}
	for _, word := range strings.FieldsFunc(before, notWord) {
		if !have[word] && !strings.EqualFold(word, "begin_src") {
			t.Errorf("the word %q is lost", word)
		}
	}
}

func notWord(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127) }

func headings(src string) []string {
	var all []string
	for h := range org.ParseString(src).Headlines() {
		all = append(all, strings.Repeat("*", h.Level)+h.Keyword.Text+" "+h.Title.Text+h.TagList.Text)
	}
	return all
}

func codes(src string) []string {
	var all []string
	for b := range org.ParseString(src).Blocks(org.KindSrcBlock) {
		all = append(all, b.Name().Text+"|"+b.Lang.Text+"|"+b.Args.Text+"|"+b.Code())
	}
	return all
}
