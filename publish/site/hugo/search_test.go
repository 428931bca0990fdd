package hugo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearch asks the site's own script for pages, in node.
func TestSearch(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("node is not installed: apt-get install nodejs")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"roses.org":  "#+TITLE: Roses\nRoses need water. A rosé is no rose.\n",
		"water.org":  "#+TITLE: Water\nWater the garden; roses drink much of it, tulips little.\n",
		"tulips.org": "#+TITLE: Tulips\nThey need cold. Crème brûlée they do not need.\n",
		"ja.org":     "#+TITLE: 庭\n日本語の庭です。\n",
		"odd.org":    "#+TITLE: Odd\nThe words constructor and __proto__ and toString.\n",
		"long.org": "#+TITLE: A year\nThe year of a gardener.\n* Spring\nSow radishes.[fn:1]\n** Beds\nDig them.\n* Autumn\nRake leaves; sow garlic.\n" +
			"[fn:1] They like shade.\n",
		"hidden.org": "#+TITLE: Hidden\n* Mine :noexport:\nshipwreck\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := siteOf(t, dir)
	args := []string{"testdata/search.mjs"}
	for _, name := range []string{"assets/site.js", "assets/search-index.js"} {
		at := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(at, files[name], 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, at)
	}
	want := []string{
		"roses: ./roses.html ./water.html (2 places)", // in its title first
		"water roses: ./roses.html ./water.html (2 places)",
		"tul: ./tulips.html ./water.html (2 places)", // the last word may be unfinished
		"CREME Brulee: ./tulips.html (1 place)",
		"日本: ./ja.html (1 place)",
		"constructor: ./odd.html (1 place)",
		"__proto__:  (Nothing found)", // what JavaScript keeps for itself
		"valueOf:  (Nothing found)",
		"shipwreck:  (Nothing found)",
		"sow: ./long.html#spring ./long.html#autumn (2 places)", // a heading each, the longer text last
		"spring: ./long.html#spring (1 place)",
		"beds dig: ./long.html#beds (1 place)",
		"year garlic: ./long.html ./long.html#autumn (2 places)", // words of one page, in two parts of it
		"shade: ./long.html (1 place)",
		"roses shipwreck:  (Nothing found)",
		":  ()",
	}
	for _, line := range want {
		query, _, _ := strings.Cut(line, ":")
		args = append(args, query)
	}
	out, err := exec.Command(node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
