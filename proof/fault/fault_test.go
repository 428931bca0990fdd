package fault

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumented: docs/publishing.org has every code, with the words of this
// package, and no other.
func TestDocumented(t *testing.T) {
	source, err := os.ReadFile("fault.go")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/publishing.org")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(docs), "| code ")
	known := map[string]string{}
	for _, m := range regexp.MustCompile(`Code = "([a-z0-9-]+)"\s*// (.*)`).FindAllStringSubmatch(string(source), -1) {
		if known[m[1]] != "" {
			t.Errorf("code %s twice", m[1])
		}
		known[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`(?m)^\| ~([a-z0-9-]+)~ +\| (.*?) +\|$`).FindAllStringSubmatch(table, -1) {
		if known[m[1]] != m[2] {
			t.Errorf("docs/publishing.org says %s means %q, the package %q", m[1], m[2], known[m[1]])
		}
		delete(known, m[1])
	}
	for code := range known {
		t.Errorf("docs/publishing.org does not have %s", code)
	}
}
