//go:build long

package world

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestWorldSite makes a site of the folder as it is: nobody edits a document
// first. Every link within the site must lead somewhere or say that it does not.
func TestWorldSite(t *testing.T) {
	folder := os.Getenv("WB_WORLD")
	if folder == "" {
		t.Skip("WB_WORLD names no folder of org files: just world-site DIR")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "wb/cmd/wb", "wb/cmd/wb-publish").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	dir := t.TempDir()
	copyFolder(t, folder, dir)
	cmd := exec.Command(filepath.Join(bin, "wb"), "publish", "site", dir, "--no-sign", "--json")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("wb publish site: %v\n%.4000s\n%.2000s", err, out, stderr.String())
	}
	var answer struct {
		Data struct {
			Output   string
			Pages    int
			Warnings []struct {
				Code  string
				Count int
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	broken, links := brokenLinks(t, answer.Data.Output)
	for _, b := range broken {
		t.Errorf("leads nowhere: %s", b)
	}
	t.Logf("%d pages, %v of processor time with wb's own, %d links within the site", answer.Data.Pages,
		cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), links)
	for _, k := range answer.Data.Warnings {
		t.Logf("%6d × %s", k.Count, k.Code)
	}
}

// copyFolder copies a folder without what is hidden.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, name)
		switch {
		case err != nil:
			return err
		case rel != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// brokenLinks are the links of a site's pages to files and places of the site
// that are not there, but for those that the pages mark.
func brokenLinks(t *testing.T, dir string) (broken []string, total int) {
	t.Helper()
	type link struct{ from, to, id string }
	var links []link
	files, ids := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		files[rel] = true
		if path.Ext(rel) != ".html" || rel == "404.html" { // whose links begin at the root
			return nil
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		doc, err := html.Parse(file)
		if err != nil {
			return err
		}
		for n := range doc.Descendants() {
			attrs := map[string]string{}
			for _, a := range n.Attr {
				attrs[a.Key] = a.Val
			}
			if id := attrs["id"]; id != "" {
				ids[rel+"#"+id] = true
			}
			for _, key := range []string{"href", "src"} {
				u, err := url.Parse(attrs[key])
				if attrs[key] == "" || err != nil || u.Scheme != "" || u.Host != "" || attrs["class"] == "broken" {
					continue
				}
				to := rel
				if u.Path != "" {
					to = path.Join(path.Dir(rel), u.Path)
				}
				links = append(links, link{rel, to, u.Fragment})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if !files[l.to] || l.id != "" && path.Ext(l.to) == ".html" && !ids[l.to+"#"+l.id] {
			broken = append(broken, l.from+" → "+l.to+"#"+l.id)
		}
	}
	return broken, len(links)
}
