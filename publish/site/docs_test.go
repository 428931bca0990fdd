package site

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDocumented compares the table in docs/sites.org with the keywords there
// are.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/sites.org")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\| ~PUBLISH_([A-Z_]+)~ `).FindAllSubmatch(text, -1) {
		documented = append(documented, string(m[1]))
	}
	slices.Sort(documented)
	if known := slices.Sorted(maps.Keys(setters)); !slices.Equal(documented, known) {
		t.Errorf("documented %v\nknown %v", documented, known)
	}
}
