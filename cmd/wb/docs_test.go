package main

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestVerbTable compares docs/cli.org with the verbs there are.
func TestVerbTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.org")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| ~wb ([a-z]+)").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1])
	}
	for _, verb := range verbs() {
		if i := slices.Index(documented, verb.name); i >= 0 {
			documented = slices.Delete(documented, i, i+1)
			continue
		}
		t.Errorf("docs/cli.org does not have wb %s", verb.name)
	}
	for _, verb := range documented {
		t.Errorf("docs/cli.org has wb %s, which does not exist", verb)
	}
}
